sed 1,6d qemu4v/arm_start_2k.q4v >$T/b.q4v
polytrace diff -C0 qemu4v/arm_start_2k.q4v $T/b.q4v
polytrace diff --skip-a 3 qemu4v/arm_start_2k.q4v $T/b.q4v
polytrace diff --start-a 'pc == 0x1060a' qemu4v/arm_start_2k.q4v $T/b.q4v
polytrace diff --start-at 'pc == 0x1060c' qemu4v/arm_start_2k.q4v $T/b.q4v
