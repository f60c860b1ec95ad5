sed -e '5s/2$/3/' -e '3s/bc02/bc04/' -e 13d -e '20s/$/ /' qemu4v/arm_start_2k.q4v >$T/b.q4v
polytrace diff --all -C0 qemu4v/arm_start_2k.q4v $T/b.q4v
polytrace diff --all -C0 --max 4294967297 qemu4v/arm_start_2k.q4v $T/b.q4v | tail -n 1
polytrace diff --all -C0 --max 2 qemu4v/arm_start_2k.q4v $T/b.q4v
