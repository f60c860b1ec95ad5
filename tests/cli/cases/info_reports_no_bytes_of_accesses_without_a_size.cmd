polytrace info din/labels.din | sed -n '/^Accesses/,/^$/p'
polytrace info --json din/labels.din | grep -o '"accesses":.*"instruction_addresses"'
printf 'r 2000\nf 1000\nf 1004\nr 3000 4\n' |
	polytrace info --from 'text:access:r/w/f,address,size:dec?' | sed -n '/^Accesses/,/^$/p'
