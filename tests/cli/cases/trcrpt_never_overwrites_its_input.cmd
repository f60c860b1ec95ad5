# By its name, by a link, or the file of a CPU.
cp aix/base.trc "$T/log"
cp aix/base-1.trc "$T/log-1"
ln -s log "$T/link"
polytrace trcrpt --force -o "$T/link" "$T/log"
echo $?
polytrace trcrpt --force -r -C all -o "$T/log-1" "$T/log"
echo $?
cmp aix/base.trc "$T/log" && cmp aix/base-1.trc "$T/log-1"
cp aix/vectors/v1.trcfmt "$T/templates"
polytrace trcrpt --force -t "$T/templates" -o "$T/templates" aix/base.trc
cmp "$T/templates" aix/vectors/v1.trcfmt
