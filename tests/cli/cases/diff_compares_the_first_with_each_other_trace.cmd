sed '3s/bc02/bc04/' qemu4v/arm_start_2k.q4v >$T/b.q4v
polytrace convert qemu4v/arm_start_2k.q4v -o $T/c.tarmac 2>/dev/null
polytrace diff -C0 qemu4v/arm_start_2k.q4v $T/b.q4v $T/c.tarmac
