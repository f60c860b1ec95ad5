sed '5s/2$/3/' qemu4v/arm_start_2k.q4v >$T/b.q4v
polytrace diff -C1 --color always qemu4v/arm_start_2k.q4v $T/b.q4v | cat -v
