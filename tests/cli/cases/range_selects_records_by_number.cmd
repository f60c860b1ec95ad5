polytrace view --range 44-49 -c row,pc amber/thread_001.tt6e >$T/range
polytrace view --skip 43 --count 6 -c row,pc amber/thread_001.tt6e | cmp - $T/range && cat $T/range
polytrace view --range=8- -c row amber/sync.tt6
polytrace view --range 1-1 -c row amber/sync.tt6
polytrace view --range 9-0x9 -c row amber/sync.tt6
polytrace view --range 10-18446744073709551615 -c row amber/sync.tt6
polytrace info --range 2-4 --where 'row != 3' amber/sync.tt6 | grep Total
for range in 0-5 5-4 5 -5 - 5-6-7 5-x 99999999999999999999-; do
	polytrace view --range=$range amber/sync.tt6
	echo $?
done
polytrace view --range 1-2 --skip 3 amber/sync.tt6
polytrace view --range 1-2 --count 3 amber/sync.tt6
