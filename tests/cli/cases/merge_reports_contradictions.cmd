# Each thread waits for a signal that the other one sends after its own wait.
printf '\0\0\020\0\0\060\0\002\0\0\040\0\0\0\0\001\0\040\0\002\0\0\060\0\0\0\0\001' > $T/thread_1.tt6
printf '\0\0\020\0\0\060\0\002\0\0\060\0\0\0\0\001\0\040\0\002\0\0\040\0\0\0\0\001' > $T/thread_2.tt6
polytrace merge -f tt6 --schedule $T/thread_1.tt6 $T/thread_2.tt6; echo $?
polytrace merge -f tt6 $T/thread_1.tt6 $T/thread_2.tt6 -o $T/all.jsonl; echo $?
polytrace merge -f tt6 $T/thread_1.tt6 $T/thread_2.tt6 -o $T/part.csv -c record,thread --partial; echo $?
cat $T/part.csv
polytrace merge -f tt6 $T/thread_1.tt6 $T/thread_2.tt6 -o $T/all.csv -c record,thread --accept-contradictions; echo $?
cat $T/all.csv
# Signals are missing in the trace of one thread alone.
polytrace merge pthr/thread_003.tt6 -o $T/three.csv; echo $?
polytrace merge pthr/thread_003.tt6 -o $T/strict.csv --strict 2> /dev/null; echo $?
ls $T
