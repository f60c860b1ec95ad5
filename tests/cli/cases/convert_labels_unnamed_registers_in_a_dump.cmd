# needs jansson
printf '%s\n' '{"polytrace":"trace","version":1,"format":"jsonl","columns":["kind","cpu_name","pc"]}' \
	'{"kind":"instruction","cpu_name":"","pc":"0x1000"}' > $T/a.jsonl
polytrace convert $T/a.jsonl -o $T/a.vcd 2> /dev/null
grep scope $T/a.vcd
