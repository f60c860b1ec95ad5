# needs zstd xxhash
for i in 1 2 3 4 5 6 7 8; do cat cis501/sort_1k.trace; done >$T/a.trace
polytrace pack --no-verify $T/a.trace 2>$T/messages
for skip in 1 63 64 4095 5001; do
	polytrace convert --skip $skip --count 2500 $T/a.trace.ptz --to cis501 -o - >$T/part
	tail -n +$((skip + 1)) $T/a.trace | head -n 2500 | cmp - $T/part && wc -l <$T/part
done
polytrace convert --where 'access == write' $T/a.trace.ptz --to cis501 -o - >$T/part
awk '$8 == "S"' $T/a.trace | cmp - $T/part && wc -l <$T/part
polytrace convert --tail 4500 $T/a.trace.ptz --to cis501 -o - >$T/part
tail -n 4500 $T/a.trace | cmp - $T/part && wc -l <$T/part
