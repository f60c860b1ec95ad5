polytrace merge --schedule pthr/thread_003.tt6 pthr/thread_001.tt6 pthr/thread_002.tt6 pthr/thread_004.tt6
polytrace merge --schedule --json --quantum 10000 amber/thread_001.tt6 amber/memset_thread_001.tt6
polytrace merge --schedule --csv --quantum 1000 pthr/thread_00?.tt6 | head -8
