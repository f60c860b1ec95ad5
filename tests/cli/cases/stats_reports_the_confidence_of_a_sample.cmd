polytrace stats -a memory --sample-units 100/1000 amber/memset_thread_001.tt6 | sed -n '/Confidence/,$p'
# a complete sample is certain; one unit has no confidence interval
polytrace stats -a memory --sample-units 10/10 amber/thread_001.tt6 --csv | grep -A 2 confidence
polytrace stats -a memory --sample-units 100/20000 amber/memset_thread_001.tt6 --csv | grep -A 2 confidence
