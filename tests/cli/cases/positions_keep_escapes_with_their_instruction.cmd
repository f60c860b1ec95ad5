# Rows: initial pc, stwcx., condition register, nop, real pc, nop; then a twi and its pair.
printf '\0\0\020\0\174\0\031\055\0\0\040\0\0\002\0\001\040\0\0\0\140\0\0\0\0\005\0\001\014\336\0\0\140\0\0\0' > $T/cr.tt6
for selection in "-s 3" "-n 3" "--range 3-3" "--range 4-5" "-s 3 -n 1 -w pc>0" "-n 0" "-s 6"; do
	polytrace convert --force -f tt6 $selection $T/cr.tt6 -o $T/out.tt6; echo $?
	[ -f $T/out.tt6 ] && od -A n -t x1 -v $T/out.tt6 && rm $T/out.tt6
done
printf '\0\0\020\0\014\0\0\0\110\0\007\002\0\0\007\0\114\0\0\144\0\0\020\004\140\0\0\0' > $T/twi.tt6e
for selection in "-n 2" "-n 3" "-s 2" "-s 3"; do
	polytrace convert --force -f tt6e $selection $T/twi.tt6e -o $T/out.tt6e
	od -A n -t x1 -v $T/out.tt6e
done
