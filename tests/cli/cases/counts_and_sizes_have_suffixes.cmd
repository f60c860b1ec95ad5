# Counts and times: powers of 1000; sizes: powers of 1024.
polytrace view --csv -n 1k amber/memset_thread_001.tt6 | wc -l
polytrace view --csv --range 1k-1002 amber/memset_thread_001.tt6 | wc -l
polytrace stats --csv -a mix --sample-units 0x10/1k amber/memset_thread_001.tt6 | head -n 2
polytrace sim cache --csv -O region=4k -O top=1 tt6/sort.tt6 | head -n 2
polytrace check --max-line 1k lackey/words.lackey | head -n 1
for count in 1K 1kk k 20000000T -1k 1k1 0xk; do polytrace view -n $count tt6/sort.tt6; done
polytrace view --range 2k-1k tt6/sort.tt6
