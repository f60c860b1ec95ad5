polytrace merge pthr/thread_001.tt6; echo $?
polytrace merge --schedule; echo $?
polytrace merge pthr/thread_001.tt6 -o $T/all.tt6e; echo $?
polytrace merge pthr/thread_001.tt6 -o -; echo $?
polytrace merge pthr/thread_001.tt6 -o - --to jsonl --report; echo $?
polytrace merge pthr/thread_001.tt6 -o $T/all.xyz; echo $?
polytrace merge pthr/thread_001.tt6 -o $T/all.q4v -c pc; echo $?
polytrace merge --schedule - < pthr/thread_001.tt6; echo $?
polytrace merge --report qemu4v/seed3.q4v; echo $?
polytrace merge --by time pthr/thread_001.tt6 -o $T/all.jsonl; echo $?
polytrace merge din/none qemu4v/seed3.q4v -o $T/all.jsonl; echo $?
polytrace merge qemu4v/seed3.q4v tarmac/times.tarmac -o $T/all.jsonl; echo $?
polytrace merge lackey/words.lackey -o $T/all.jsonl; echo $?
ls $T
