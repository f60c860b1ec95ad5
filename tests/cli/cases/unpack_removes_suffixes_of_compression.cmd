# needs zstd xxhash lzma isal
mkdir $T/in
cp ptz/sort_1k.ptz $T/in/a.trace.ptz
gzip -c ptz/sort_1k.ptz >$T/in/b.ptz.gz
xz -c ptz/sort_1k.ptz >$T/in/c.trace.gz.ptz.xz
cp ptz/sort_1k.ptz $T/in/d.gz
cp ptz/sort_1k.ptz $T/in/.ptz.gz
for name in a.trace.ptz b.ptz.gz c.trace.gz.ptz.xz d.gz .ptz.gz; do
	polytrace unpack $T/in/$name
	rm $T/in/$name
done
ls $T/in
gzip -dc $T/in/c.trace.gz | cmp - cis501/sort_1k.trace
cmp $T/in/b cis501/sort_1k.trace
