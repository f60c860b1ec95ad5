# needs jansson
for n in 1 2 3; do
	echo '{"kind":"access","access":"read","address":"0x'$n'000","size":4}'
done > $T/a.jsonl
for n in 3 1 2; do
	sed -n ${n}p $T/a.jsonl
done > $T/b.jsonl
polytrace diff $T/a.jsonl $T/b.jsonl; echo $?
polytrace diff --strict $T/a.jsonl $T/b.jsonl > /dev/null; echo $?
for n in a b; do
	echo '{"polytrace":"trace","version":1,"columns":["kind","access","address","size"]}' |
		cat - $T/$n.jsonl > $T/headed.$n.jsonl
done
polytrace diff --summary $T/headed.a.jsonl $T/headed.b.jsonl | grep Verdict
