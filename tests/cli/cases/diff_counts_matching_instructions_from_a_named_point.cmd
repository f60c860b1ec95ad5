for cpu in 1 0; do for i in 1 2 3 4; do echo "$i clk $cpu IT ($i) 0000100$i e0000000 A usr : x"; echo "$i clk R r$i 00000001"; done; done >$T/a.q4v
sed -e '/R r3/s/1$/2/' -e '$s/1$/2/' $T/a.q4v >$T/b.q4v
polytrace diff --all -C0 $T/a.q4v $T/b.q4v
polytrace diff --all -C0 --each-cpu $T/a.q4v $T/b.q4v
polytrace diff --all -C0 --json $T/a.q4v $T/b.q4v | grep -o '"matching_[a-z]*": [^,]*'
