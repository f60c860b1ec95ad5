# Only the first and the third of four CPUs were traced.
cp aix/base.trc "$T/log"
cp aix/base-0.trc "$T/log-0"
cp aix/base-1.trc "$T/log-2"
polytrace trcrpt -h -C all -d 106 -O ids=off,filename=on,timestamp=3 "$T/log" | cut -c1-5
rm "$T/log-0" "$T/log-2"
polytrace trcrpt -h -C all -d 106 "$T/log"
