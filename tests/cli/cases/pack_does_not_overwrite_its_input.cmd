# needs zstd xxhash
cp cis501/sort_1k.trace $T/a.trace
ln -s a.trace $T/b
polytrace pack --force $T/a.trace -o $T/a.trace
echo $?
polytrace pack --force $T/a.trace -o $T/b
echo $?
cmp $T/a.trace cis501/sort_1k.trace
cp ptz/sort_1k.ptz $T/c.ptz
polytrace unpack --force $T/c.ptz -o $T/c.ptz
echo $?
cmp $T/c.ptz ptz/sort_1k.ptz
