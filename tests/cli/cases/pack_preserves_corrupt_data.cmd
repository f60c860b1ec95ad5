# needs zstd xxhash
(head -c 1000 cis501/sort_1k.trace; echo corrupt; tail -c 1000 cis501/sort_1k.trace) >$T/corrupt.trace
polytrace pack --fast $T/corrupt.trace 2>&1 | sed 's/packed to .*er;/packed;/'
polytrace unpack -o - $T/corrupt.trace.ptz | cmp - $T/corrupt.trace && echo the same
