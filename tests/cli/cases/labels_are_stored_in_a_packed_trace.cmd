# needs zstd xxhash
cp cis501/sort_1k.trace $T/a.trace
polytrace pack --label host=amber --label 'run.of=sort, 1000 words = all' --label empty= $T/a.trace 2>$T/messages
grep -c '; verified' $T/messages
polytrace info $T/a.trace.ptz | sed -n '/Labels/,$p' | head -n 5
polytrace info --json $T/a.trace.ptz | tr '{' '\n' | grep -A3 labels | cut -c 1-60
polytrace unpack $T/a.trace.ptz -o - | cmp - $T/a.trace
# Packing again and appending preserve them.
polytrace convert $T/a.trace.ptz -T ptz.level=fast -o $T/b.ptz
polytrace pack --append $T/b.ptz $T/a.trace 2>$T/messages
tail -c 22 $T/messages
polytrace info $T/b.ptz | sed -n '/Labels/,$p' | head -n 5
polytrace check --strict $T/b.ptz | grep -E 'Verdict|Records'
polytrace convert $T/b.ptz --to jsonl -o - | head -n 1 | grep -c amber
# Invalid labels.
for label in host =amber 'my host=amber' "host=$(printf 'a\033')" "$(printf '%065d' 0)=x"; do
	polytrace pack --label "$label" $T/a.trace -o $T/c.ptz
	echo $?
done
polytrace pack --label a=1 --label b=2 --label a=3 $T/a.trace -o $T/c.ptz
echo $?
polytrace pack --label a=1 --append $T/b.ptz $T/a.trace
echo $? $(ls $T)
