# needs jansson
for n in 1 2; do
	cat > $T/$n.jsonl <<-EOF
	{"polytrace":"trace","version":1,"format":"jsonl","columns":["kind","pc","time"]}
	{"kind":"instruction","time":$n,"pc":"0x${n}000"}
	EOF
done
polytrace merge $T/1.jsonl $T/2.jsonl -o $T/both.jsonl
polytrace check $T/both.jsonl | grep Verdict
polytrace view $T/both.jsonl --json -c thread,pc
