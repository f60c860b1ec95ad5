for n in 0 64 65 1000 18446744073709551616 -1
do
	polytrace check --threads=$n din/labels.din >/dev/null
	echo $?
done
