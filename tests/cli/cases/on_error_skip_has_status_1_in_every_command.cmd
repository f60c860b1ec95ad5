# needs jansson
polytrace convert -n 20 qemu4v/arm_start_2k.q4v -t jsonl -o $T/good.jsonl
{ head -n 5 $T/good.jsonl; echo xx; tail -n +6 $T/good.jsonl; } >$T/bad.jsonl
{ head -n 1 $T/good.jsonl; echo xx; } >$T/none.jsonl
for name in bad none; do
	bad=$T/$name.jsonl
	skip() { polytrace "$@" --on-error=skip $bad >$T/out 2>$T/err; echo $? $1 $(grep -c 'skipped 3 corrupt bytes' $T/err); }
	skip view; skip info; skip stats; skip stats -a mix --save $T/$name.stats; skip sim branch; skip calls; skip check
	skip state --at 5; skip who --addr 0x1000; skip sql "SELECT count(*) FROM $name"
	skip report -o $T/$name.html; skip convert -o $T/$name.csv; skip convert --partition kind -t csv -o $T/$name.parts
	skip join -o $T/$name.join.jsonl $T/good.jsonl; skip join -o $T/$name.first.jsonl $bad; skip split --records 30 -o $T/$name.split.jsonl
	skip diff $T/good.jsonl; polytrace pack $bad 2>/dev/null; echo $? pack; polytrace unpack -o - $bad.ptz | cmp - $bad
done
ls $T | grep none
for name in bad none; do
	polytrace merge --on-error=skip --by time $T/good.jsonl $T/$name.jsonl -o $T/$name.merged.jsonl 2>/dev/null; echo $? merge
done
