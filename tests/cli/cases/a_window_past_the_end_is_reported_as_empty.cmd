polytrace view -s 9 amber/sync.tt6
polytrace view -s 8 -c row amber/sync.tt6
polytrace convert -s 18446744073709551615 amber/sync.tt6 -o $T/out.csv && cat $T/out.csv
polytrace view -s 20 -n 0 amber/sync.tt6
