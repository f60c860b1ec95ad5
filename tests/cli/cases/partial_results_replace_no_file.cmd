# Ten micro-operations, and a line that is not one.
{ gzip -dcf cis501/sort_1k.trace | head -10; echo junk; } >$T/bad.trace
for output in 'sim pipeline --konata' 'sim pipeline --diagram' 'stats -a phases --bbv' 'stats -a phases --simpoints' \
	'stats -a phases --weights' 'stats -a mix --table instruction_classes -o' 'report -o'; do
	echo OLD >$T/out
	polytrace $output $T/out --force -f cis501 $T/bad.trace >/dev/null 2>$T/errors
	echo $? $(cat $T/out) $output
	grep replaced $T/errors
done
# --partial accepts it.
polytrace sim pipeline --konata $T/out --force --partial -f cis501 $T/bad.trace >/dev/null 2>&1
echo $? $(head -c 6 $T/out)
# Data that are corrupt, but do not end the input, are named.
polytrace report -o $T/page.html aix/damaged64.trc
echo $? $(grep -o 'Corrupt' $T/page.html | head -1)
