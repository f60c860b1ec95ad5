# needs jansson
polytrace merge pthr/thread_00?.tt6 -o $T/run.jsonl
for n in 1 2 3 4; do
	polytrace convert -w "thread == $n" $T/run.jsonl -o $T/$n.tt6 2> /dev/null
	cmp $T/$n.tt6 pthr/thread_00$n.tt6 && echo $n
done
# A FULL trace has no number in its name: all are numbered by their position.
polytrace merge pthr/thread_003.tt6 full/start.full1008 -c thread,record -t csv -o - | sort | uniq -c | sed 's/^ *//'
