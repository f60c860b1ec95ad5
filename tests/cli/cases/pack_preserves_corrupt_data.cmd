# needs zstd xxhash
(head -c 1000 cis501/sort_1k.trace; echo damage; tail -c 1000 cis501/sort_1k.trace) >$T/damaged.trace
polytrace pack --fast $T/damaged.trace 2>&1 | sed 's/packed to .*er;/packed;/'
polytrace unpack -o - $T/damaged.trace.ptz | cmp - $T/damaged.trace && echo the same
