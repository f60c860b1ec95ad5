# needs zstd xxhash
cat cis501/sort_1k.trace | polytrace pack -o $T/a.ptz 2>&1 | sed 's/[0-9.]* times/N times/; s/in [0-9]*/in N/'
polytrace pack --no-verify cis501/sort_1k.trace -o $T/a.ptz 2>&1 | sed 's/[0-9.]* times/N times/; s/in [0-9]*/in N/'
polytrace pack --small - -o - <cis501/sort_1k.trace | polytrace unpack -o - | cmp - cis501/sort_1k.trace
