# needs zstd xxhash
polytrace info --space --csv ptz/sort_1k.ptz | awk -F, '/^space.items/ { n += $6 } /^space,packed/ { m = $3 } END { print n - m }'
wc -c <ptz/sort_1k.ptz
polytrace info --space ptz/sort_1k.ptz | head -n 14
head -c 5000 ptz/sort_1k.ptz >$T/cut.ptz
polytrace info --space --csv $T/cut.ptz | head -n 10
polytrace convert -o - -t ptz -T ptz.rows=1 --count 0 cis501/sort_1k.trace | polytrace info --space
polytrace info --space cis501/sort_1k.trace
echo $?
polytrace info --space --tail 5 ptz/sort_1k.ptz
echo $?
