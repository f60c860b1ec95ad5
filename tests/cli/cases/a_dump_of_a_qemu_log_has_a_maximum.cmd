# The dump has 1 + 1025 lines, of which the last two are text.
{
	printf 'Trace 0: 0x7f [00000000/0000000000001000/0/0]\n pc       0000000000001000\n'
	seq -f ' x28/t3   00000000%08.0f' 1025
} >$T/long.log
polytrace view --from qemu-log -c row,record,pc,value,text $T/long.log
