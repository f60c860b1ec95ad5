# needs zstd jansson
for trace in amber/thread_001.tt6e tt6/isamix.tt6 full/start.full1008 bach/enables.tr bach/special.txt; do
	format=$(polytrace info --json $trace | sed -n 's/.*"trace": {"format": "\([^"]*\)".*/\1/p')
	polytrace convert --force $trace -o $T/t.jsonl.zst && polytrace convert $T/t.jsonl.zst --to $format -o - | cmp - $trace && echo $format
done
