for arguments in "-c pc,adress" "-r r32" "--style native --json" "--json --csv" "-r r32 --json"; do
	polytrace view $arguments full/start.full1008
	echo $?
done
polytrace view --style native amber/sync.tt6
