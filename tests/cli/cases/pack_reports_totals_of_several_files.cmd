# needs zstd xxhash
cp cis501/sort_1k.trace $T/a.trace
cp cis501/sort_1k.trace $T/b.trace
echo no trace >$T/c.trace
polytrace pack --no-verify $T/a.trace $T/c.trace $T/b.trace 2>$T/told
echo $? $(grep -c 'bytes packed to' $T/told)
tail -n 1 $T/told | sed 's/ to [0-9]*, .* times/ to some, some times/'
# Its numbers are the sums of the lines above it.
bytes=$(tail -n 1 $T/told | grep -o '[0-9]* bytes to [0-9]*')
[ "$bytes" = "$(($(wc -c <$T/a.trace) * 2)) bytes to $(($(wc -c <$T/a.trace.ptz) * 2))" ] && echo the sums
# What is packed already is left out, but not what is older than its trace.
polytrace pack --resume $T/*.trace*
echo $?
rm $T/a.trace.ptz
touch -d '2001-01-01' $T/b.trace.ptz
polytrace pack --resume --no-verify $T/a.trace $T/b.trace 2>$T/told
echo $?
tail -n 2 $T/told | sed 's/ to [0-9]*, .* times/ to some, some times/'
rm $T/c.trace
polytrace pack --resume $T/a.trace $T/a.trace.ptz
echo $?
polytrace pack --resume $T/a.trace -o $T/d.ptz
echo $?
