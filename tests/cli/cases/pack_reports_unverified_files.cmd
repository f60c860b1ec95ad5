# needs zstd xxhash
cat cis501/sort_1k.trace | polytrace pack -o $T/a.ptz 2>&1 | sed 's/[0-9.]* times/N times/; s/to [0-9]*/to N/'
polytrace pack --force --no-verify cis501/sort_1k.trace -o $T/a.ptz 2>&1 | sed 's/[0-9.]* times/N times/; s/to [0-9]*/to N/'
polytrace pack --small - -o - <cis501/sort_1k.trace | polytrace unpack -o - | cmp - cis501/sort_1k.trace
mkfifo $T/pipe
cat $T/pipe >$T/b.ptz &
polytrace pack cis501/sort_1k.trace -o $T/pipe
echo $?
wait
polytrace unpack $T/b.ptz -o - | cmp - cis501/sort_1k.trace
polytrace pack cis501/sort_1k.trace -o /dev/stdout | polytrace unpack -o - | cmp - cis501/sort_1k.trace
polytrace pack cis501/sort_1k.trace -o /dev/null
echo $?
: >$T/empty
polytrace pack --force --from cis501 $T/empty -o $T/a.ptz 2>&1 | sed 's/to [0-9]*/to N/'
head -n 1 cis501/sort_1k.trace >$T/line
polytrace pack --force --from cis501 $T/line -o $T/a.ptz 2>&1 | sed 's/[0-9.]* times/N times/; s/to [0-9]*/to N/'
