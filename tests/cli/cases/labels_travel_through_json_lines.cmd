# needs zstd xxhash jansson
labels() { polytrace info "$1" | sed -n '/Labels/,/^$/p'; }
polytrace pack --no-verify --label host=amber --label 'of="a" = b' cis501/seed15.trace -o $T/a.ptz 2>$T/messages
polytrace convert $T/a.ptz -o $T/a.jsonl
head -n 1 $T/a.jsonl | grep -o '"labels".*'
polytrace convert $T/a.jsonl -o $T/b.ptz
labels $T/b.ptz
polytrace unpack $T/b.ptz -o - | cmp - cis501/seed15.trace && echo the same bytes
# Labels of options replace those with the same key, also in a header that is preserved.
sed 's/,"labels"/, "labels"/' $T/a.jsonl >$T/odd.jsonl
polytrace convert $T/odd.jsonl -o - --to jsonl | cmp - $T/odd.jsonl && echo the same bytes
polytrace convert $T/odd.jsonl -o $T/odd.ptz
polytrace convert $T/odd.ptz -o - --to jsonl | cmp - $T/odd.jsonl && echo the same bytes
polytrace convert --label host=beryl --label run=7 $T/odd.jsonl -o - --to jsonl | head -n 1 | grep -o '"labels".*'
polytrace convert --label host=beryl --label run=7 $T/odd.ptz -o $T/c.ptz
polytrace convert $T/c.ptz -o - --to jsonl | head -n 1 | grep -o '"labels".*'
# JSON Lines, packed and unpacked, preserve their labels.
printf '%s\n' '{"polytrace":"trace","version":1,"labels":{"b":"2","a":"1"}}' '{"pc":"0x1"}' >$T/own.jsonl
polytrace pack $T/own.jsonl
labels $T/own.jsonl.ptz
polytrace pack --label a=2 $T/own.jsonl -o $T/no.ptz
echo $?
polytrace convert --label a=2 $T/own.jsonl -o $T/more.ptz
polytrace unpack $T/more.ptz -o -
polytrace pack $T/a.jsonl -o $T/no.ptz
echo $?
# Formats without labels.
polytrace convert --label host=amber $T/a.jsonl -o $T/no.trace
echo $?
polytrace convert --strict $T/a.jsonl -o $T/no.trace
echo $?
polytrace convert $T/a.jsonl -o $T/back.trace
cmp $T/back.trace cis501/seed15.trace && echo the same bytes
# Joined and split traces.
for n in 1 2; do
	printf '%s\n' '{"polytrace":"trace","version":1,"format":"jsonl","columns":["kind","time","pc"],"labels":{"host":"amber","run":"'$n'","only'$n'":""}}' \
		'{"kind":"instruction","time":'$n',"pc":"0x'$n'000"}' >$T/$n.jsonl
done
polytrace merge $T/1.jsonl $T/2.jsonl -o - --to jsonl | head -n 1 | grep -o '"labels".*'
polytrace join $T/2.jsonl $T/1.jsonl -o - | head -n 1 | grep -o '"labels".*'
polytrace split --by time $T/2.jsonl -o $T/part.jsonl
head -n 1 $T/part.2.jsonl | grep -o '"labels".*'
ls $T
