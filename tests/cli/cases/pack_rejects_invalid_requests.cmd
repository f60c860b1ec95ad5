# needs zstd xxhash
cp cis501/sort_1k.trace $T/a.trace
echo mine >$T/a.trace.ptz
polytrace pack $T/a.trace
echo $? $(cat $T/a.trace.ptz)
polytrace pack ptz/sort_1k.ptz -o $T/b.ptz
echo $?
polytrace pack --fast --small $T/a.trace
echo $?
polytrace pack <$T/a.trace
echo $?
polytrace pack $T/a.trace $T/a.trace -o $T/b.ptz
echo $?
polytrace unpack $T/a.trace -o $T/b
echo $?
polytrace unpack $T/a.trace
echo $?
cp ptz/sort_1k.ptz $T/a.trace.ptz
polytrace unpack $T/a.trace.ptz
echo $?
polytrace unpack <ptz/sort_1k.ptz
echo $?
head -c 3000 ptz/sort_1k.ptz >$T/cut.ptz
polytrace unpack $T/cut.ptz 2>$T/messages
echo $? $(ls $T) $(tail -n 1 $T/messages)
