for n in 0 1 2; do
	awk -v n=$n 'BEGIN { for (i = 1; i < 300; i++)
		print int(i * (3 + n) / 4) " clk " n " IT (" i ") 00008004 e5901000 A svc_s : nop" }' > $T/$n.q4v
done
polytrace merge $T/0.q4v $T/1.q4v $T/2.q4v -o $T/all.q4v
cat $T/0.q4v $T/1.q4v $T/2.q4v | sort -s -n -k1,1 | cmp - $T/all.q4v && echo sorted
# Standard input is read once.
polytrace merge --by time $T/0.q4v - -o $T/two.q4v < $T/1.q4v
cat $T/0.q4v $T/1.q4v | sort -s -n -k1,1 | cmp - $T/two.q4v && echo sorted
for at in '4 clk 0 IT (1)' '5 clk 0 IT (2)' '3 clk 0 IT (3)'; do
	echo "$at 00008004 e5901000 A svc_s : nop"
done > $T/back.q4v
polytrace merge $T/back.q4v $T/0.q4v -o $T/three.q4v; echo $?
polytrace merge $T/back.q4v $T/0.q4v -o $T/four.q4v --strict; echo $?; ls $T
