# needs zstd xxhash jansson
polytrace pack -o $T/lackey.ptz lackey/words.lackey 2>$T/messages
polytrace pack -o $T/din.ptz din/labels.din 2>$T/messages
polytrace pack -o $T/special.ptz bach/special.tr 2>$T/messages
polytrace pack -o $T/start.ptz bach/start_2k.bach 2>$T/messages
polytrace join $T/lackey.ptz $T/din.ptz -o $T/out.ptz
echo $?
polytrace join $T/din.ptz $T/lackey.ptz -o $T/out.ptz
echo $?
polytrace join $T/lackey.ptz lackey/words.lackey -o $T/out.ptz
echo $?
# The same format with other names of records.
head -n 1 jsonl/columns.jsonl >$T/a.jsonl
sed 's/"records":\["/&other /' $T/a.jsonl >$T/b.jsonl
polytrace pack $T/a.jsonl $T/b.jsonl 2>$T/messages
polytrace join $T/a.jsonl.ptz $T/b.jsonl.ptz -o $T/out.ptz
echo $?
[ -e $T/out.ptz ] || echo there is none
polytrace join $T/special.ptz $T/start.ptz -o $T/out.ptz
cat bach/special.tr bach/start_2k.bach >$T/both
polytrace unpack $T/out.ptz -o - | cmp - $T/both && echo the same bytes
