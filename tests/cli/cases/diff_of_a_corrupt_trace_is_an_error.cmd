sed "900s/$/$(printf '%0100d' 0)/" qemu4v/arm_start_2k.q4v >$T/b.q4v
polytrace diff -C0 --max-line 100 qemu4v/arm_start_2k.q4v $T/b.q4v
