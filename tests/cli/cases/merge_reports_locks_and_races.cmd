polytrace merge --report --csv pthr/thread_00?.tt6 | sed '/^order.races.accesses,/q' | cut -c 1-100
