for cpu in 255 256 256; do printf 'Trace %d: 0x7f [00000000/0000000000001000/0/0]\n' $cpu; done >$T/cpu.log
polytrace view --from qemu-log -c row,cpu,pc $T/cpu.log
