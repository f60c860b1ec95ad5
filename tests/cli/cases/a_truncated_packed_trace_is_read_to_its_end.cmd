# needs zstd xxhash
for i in 1 2 3 4 5; do cat cis501/sort_1k.trace; done >$T/a.trace
polytrace convert $T/a.trace -T ptz.rows=1000 -o $T/a.ptz
head -c 6500 $T/a.ptz >$T/cut.ptz
polytrace check $T/cut.ptz | grep -E 'P0|Verdict|Records'
polytrace check --strict - <$T/cut.ptz >$T/messages
echo $?
cat $T/cut.ptz | polytrace convert - --to cis501 -o $T/read
echo $? $(ls $T)
cat $T/cut.ptz | polytrace convert --partial - --to cis501 -o $T/read
echo $?
cat cis501/sort_1k.trace | cmp - $T/read
# Unpacking it would not restore the packed file.
polytrace unpack $T/cut.ptz -o $T/unpacked
echo $? $(ls $T)
polytrace unpack $T/cut.ptz -o $T/unpacked --partial
echo $?
cmp $T/read $T/unpacked
polytrace unpack - -o - <$T/cut.ptz | cmp - $T/read
polytrace unpack --partial - -o - <$T/cut.ptz >$T/read
echo $?
