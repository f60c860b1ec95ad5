cp cis501/free.trace $T/free.trace
polytrace report --force $T/free.trace -o $T/free.trace || cmp cis501/free.trace $T/free.trace && echo as before
