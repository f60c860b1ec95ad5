polytrace join tarmac/calls.tarmac bach/special.tr -o $T/x
polytrace join bach/special.tr amber/thread_001.tt6 -o $T/x
polytrace join bach/special.tr
polytrace join --from bach bach/special.tr nosuch.tr -o $T/x
ls $T
polytrace join amber/thread_001.tt6 amber/thread_001.tt6 -o $T/both.tt6
polytrace check $T/both.tt6
