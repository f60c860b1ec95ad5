# needs zstd xxhash
# Code differs between regions of the trace: few segments contain the last selected records.
{ head -n 500 cis501/sort_1k.trace; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do tail -n 500 cis501/sort_1k.trace; done; cat cis501/sort_1k.trace; } >$T/a.trace
polytrace convert -T ptz.rows=4096 $T/a.trace -o $T/a.ptz
for columns in row,site,pc site row,pc,address; do
	for where in 'row > 10000' 'pc == 0x401760' 'site < 3 and row > 9000' 'address in 0x1..0x2'; do
		polytrace view -c $columns --where "$where" $T/a.trace >$T/plain 2>$T/messages
		polytrace view -c $columns --where "$where" $T/a.ptz 2>$T/messages | cmp - $T/plain && wc -l <$T/plain
		polytrace stats -a mix,coverage,branches --where "$where" $T/a.trace 2>&1 | grep -v trace >$T/plain
		polytrace stats -a mix,coverage,branches --where "$where" $T/a.ptz 2>&1 | grep -v ptz | diff - $T/plain | head -n 5
	done
done
