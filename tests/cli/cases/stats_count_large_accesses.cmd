# needs jansson
for size in 8 256 257 4096 4097 65536 65537 3221225472; do
	echo '{"kind":"access","access":"read","address":"0x10000","size":'$size'}'
done >$T/large.jsonl
polytrace stats -a memory --csv --table access_sizes $T/large.jsonl
polytrace stats -a memory --csv --table accesses_by_kind $T/large.jsonl
# Four accesses of more than 4096 bytes.
for simulator in mrc cache levels tlb paging sharing; do
	polytrace sim $simulator --json $T/large.jsonl | tr ',' '\n' | grep -E 'complete|truncated'
	polytrace sim $simulator -O $simulator.crossing=first --json $T/large.jsonl | tr ',' '\n' | grep -E 'truncated'
done
polytrace stats -a footprint,workingset,dependencies --json $T/large.jsonl | tr ',' '\n' | grep truncated
