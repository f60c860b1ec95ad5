# needs jansson
for columns in '"kind","pc"' '"kind","pc","reg"'; do
	echo '{"polytrace":"trace","version":1,"format":"jsonl","columns":['$columns']}'
done > $T/headers
sed -n 1p $T/headers > $T/few.jsonl; echo '{"kind":"instruction","pc":"0x1000"}' >> $T/few.jsonl
sed -n 2p $T/headers > $T/more.jsonl; echo '{"kind":"register","reg":"r1"}' >> $T/more.jsonl
polytrace join $T/few.jsonl $T/more.jsonl -o $T/whole.jsonl; echo $?
polytrace join $T/more.jsonl $T/few.jsonl -o $T/whole.jsonl; echo $?
polytrace check $T/whole.jsonl | grep Verdict
