# needs zstd xxhash
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do cat cis501/sort_1k.trace; done >$T/a.trace
polytrace convert -T ptz.rows=4096 $T/a.trace -o $T/a.ptz
for range in 1-1 4095-4098 8192-8193 15001-15500; do
	polytrace convert --range $range $T/a.ptz --to cis501 -o - >$T/part
	sed -n ${range%-*},${range#*-}p $T/a.trace | cmp - $T/part && wc -l <$T/part
done
polytrace convert --range 19999- $T/a.ptz --to cis501 -o - >$T/part
tail -n 2 $T/a.trace | cmp - $T/part && wc -l <$T/part
# Other segments are not read: a corrupt one in the middle has no effect.
size=$(wc -c <$T/a.ptz)
{ head -c $((size / 2)) $T/a.ptz; head -c 4000 /dev/zero; tail -c +$((size / 2 + 4001)) $T/a.ptz; } >$T/corrupt.ptz
polytrace view --range 1-2 -c row,pc $T/corrupt.ptz
polytrace view --range 19999-20000 -c row,pc $T/corrupt.ptz
polytrace view --tail 2 -c row,pc $T/corrupt.ptz
polytrace view --range 20-2000 --tail 1 -c row,pc $T/corrupt.ptz
polytrace view -c row $T/corrupt.ptz >$T/all 2>$T/messages
echo $?
