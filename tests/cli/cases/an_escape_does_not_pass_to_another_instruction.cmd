# The real pc of the instruction at 0x1000; also the pair of a twi.
printf '\0\0\020\0\0\005\0\001\014\336\0\0\070\140\0\001\201\043\0\010\040\0\0\010' > $T/or.tt6
for selection in "-w pc!=0x1000" "-w pc==0x1000" "--skip 2" "-w kind==instruction"; do
	polytrace convert --force -f tt6 $selection $T/or.tt6 -o $T/out.tt6
	od -A n -t x1 -v $T/out.tt6
done
printf '\0\0\020\0\014\0\0\0\110\0\007\002\0\0\007\0\114\0\0\144\0\0\020\004\140\0\0\0' > $T/twi.tt6e
for selection in "-w pc!=0x1000" "-w opcode!=0x60000000" "-w not(has(synthetic))"; do
	polytrace convert --force -f tt6e $selection $T/twi.tt6e -o $T/out.tt6e
	od -A n -t x1 -v $T/out.tt6e
done
