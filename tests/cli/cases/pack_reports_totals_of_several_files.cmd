# needs zstd xxhash
cp cis501/sort_1k.trace $T/a.trace
cp cis501/sort_1k.trace $T/b.trace
echo no trace >$T/c.trace
polytrace pack --no-verify $T/a.trace $T/c.trace $T/b.trace 2>$T/messages
echo $? $(grep -c 'bytes packed to' $T/messages)
tail -n 1 $T/messages | sed 's/ to [0-9]*, .* times/ to some, some times/'
# The totals are the sums of the lines above.
bytes=$(tail -n 1 $T/messages | grep -o '[0-9]* bytes to [0-9]*')
[ "$bytes" = "$(($(wc -c <$T/a.trace) * 2)) bytes to $(($(wc -c <$T/a.trace.ptz) * 2))" ] && echo the sums
# Existing packed files are skipped unless they are older than their trace.
polytrace pack --resume $T/*.trace*
echo $?
rm $T/a.trace.ptz
touch -d '2001-01-01' $T/b.trace.ptz
polytrace pack --resume --no-verify $T/a.trace $T/b.trace 2>$T/messages
echo $?
tail -n 2 $T/messages | sed 's/ to [0-9]*, .* times/ to some, some times/'
rm $T/c.trace
polytrace pack --resume $T/a.trace $T/a.trace.ptz
echo $?
polytrace pack --resume $T/a.trace -o $T/d.ptz
echo $?
