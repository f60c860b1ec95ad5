head -c 1001 tt6/sort.tt6e >$T/b.tt6e
polytrace diff -C0 tt6/sort.tt6e $T/b.tt6e
