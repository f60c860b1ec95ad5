# needs zstd xxhash
normalize() { sed 's/[0-9.]* times/N times/; s/to [0-9]*,/to N,/'; }
cp cis501/sort_1k.trace $T/a.trace
head -n 15 $T/a.trace >$T/b.trace
polytrace pack $T/a.trace 2>&1 | normalize
polytrace pack --append $T/a.trace.ptz $T/a.trace $T/b.trace 2>&1 | normalize
cat $T/a.trace $T/a.trace $T/b.trace >$T/all
polytrace unpack $T/a.trace.ptz -o - | cmp - $T/all && polytrace check $T/a.trace.ptz | grep -E 'Verdict|Records'
polytrace view -c row,pc --range 2000-2002 $T/a.trace.ptz
# Incompatible input leaves it unchanged.
cksum <$T/a.trace.ptz >$T/before
polytrace pack --append $T/a.trace.ptz cis501/seed15.trace $T/a.trace
polytrace pack --append $T/a.trace.ptz amber/sync.tt6
cksum <$T/a.trace.ptz | cmp - $T/before
polytrace pack --append $T/none.ptz $T/a.trace
polytrace pack --append $T/a.trace $T/a.trace
polytrace pack --append $T/a.trace.ptz -o $T/b.ptz $T/a.trace
polytrace pack --append - $T/a.trace
# A file truncated within the third segment.
head -c 11500 $T/a.trace.ptz >$T/cut.ptz
polytrace pack --append $T/cut.ptz $T/b.trace 2>&1 | normalize
polytrace unpack $T/cut.ptz -o - | cmp - $T/all && polytrace check $T/cut.ptz | grep -E 'Verdict|Records'
cat $T/a.trace | polytrace pack --append $T/cut.ptz 2>&1 | normalize
