# The condition register after the last instruction, and one that a signal parts from its nop.
printf '\0\0\020\0\140\0\0\0\0\002\0\001\040\0\0\0\0\040\0\002\0\0\120\0\0\0\0\002\140\0\0\0\0\002\0\001\060\0\0\0' > $T/cr.tt6
for selection in "-w row>0" "-w not(has(sync))" "-w kind==instruction" "-w pc==0x1000"; do
	polytrace convert --force -f tt6 $selection $T/cr.tt6 -o $T/out.tt6
	od -A n -t x1 -v $T/out.tt6
done
