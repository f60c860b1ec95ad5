# needs isal jansson
head -c 3000 tt6/sort.tt6.jsonl.gz >$T/b.jsonl.gz
polytrace diff -C0 tt6/sort.tt6e $T/b.jsonl.gz
