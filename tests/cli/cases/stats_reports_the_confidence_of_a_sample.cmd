polytrace stats -a memory --sample-units 100/1000 amber/memset_thread_001.tt6 | sed -n '/Confidence/,$p'
# all of it is certain; of one unit nothing is known
polytrace stats -a memory --sample-units 10/10 amber/thread_001.tt6 --csv | grep -A 2 confidence
polytrace stats -a memory --sample-units 100/20000 amber/memset_thread_001.tt6 --csv | grep -A 2 confidence
