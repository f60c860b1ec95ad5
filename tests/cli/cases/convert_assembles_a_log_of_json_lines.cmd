# needs jansson
printf '{"hook":"0x1340","subhook":"0x2a","thread":100,"time":16}\n' > $T/events.jsonl
printf '{"hook":"0x1060","thread":100,"time":17,"payload":"00000064"}\n' >> $T/events.jsonl
polytrace convert -f jsonl $T/events.jsonl -o $T/events.aix
od -An -tx4 --endian=big -v $T/events.aix
polytrace convert -f jsonl $T/events.jsonl --to aix -T aix.container=stream -o - | polytrace view -
printf '{"hook":"0x1341","time":17}\n{"kind":"instruction","pc":"0x1000"}\n' | polytrace convert -f jsonl - --to aix -o $T/wide.aix
polytrace convert aix/raw64.trc --to aix -T aix.word=32 -o $T/narrow.aix
polytrace convert bach/special.tr --to aix -o $T/no.aix
ls $T
