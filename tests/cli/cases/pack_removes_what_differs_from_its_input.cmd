# needs zstd xxhash
# The file has other bytes each time it is read.
file=/proc/sys/kernel/random/uuid
packed() { polytrace pack -f text:text:rest "$@" $file 2>&1 | sed 's/differs .*/differs/'; }
packed -o $T/new.ptz
ls -A $T
polytrace pack --no-verify -o $T/old.ptz text/branches.txt -f text:text:rest 2>/dev/null
cp $T/old.ptz $T/copy.ptz
packed --force -o $T/old.ptz
packed --append $T/old.ptz
cmp $T/old.ptz $T/copy.ptz && ls -A $T
