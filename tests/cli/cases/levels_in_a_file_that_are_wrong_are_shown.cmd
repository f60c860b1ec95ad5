printf '# x\nl1 = 32k/8/64/4 # y\n\tl3 = 1M/16/64\n' >$T/levels
polytrace sim levels --config $T/levels tt6/sort.tt6
printf 'l1 = 32k/8/64/4 inclusion=both' >$T/levels
polytrace sim levels --config $T/levels tt6/sort.tt6
polytrace sim levels --config none.levels tt6/sort.tt6
polytrace sim cache --config $T/levels tt6/sort.tt6
