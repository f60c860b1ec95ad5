# Times by the listings beside the files; invoked as trcrpt.
cp aix/base.trc "$T/log"
cp aix/base-0.trc "$T/log-0"
cp aix/base-1.trc "$T/log-1"
ln -s "$(command -v polytrace)" "$T/trcrpt"
"$T/trcrpt" -h -C all -d 106 -O cpuid=on,filename=on,timestamp=3 "$T/log" | cut -c1-14
"$T/trcrpt" -r -C all -o "$T/raw" "$T/log"
polytrace view -f aix -c hook,time "$T/raw"
