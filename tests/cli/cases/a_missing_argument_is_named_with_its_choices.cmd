polytrace sim
polytrace sim cis501/sort_1k.trace
polytrace sim --course penn
polytrace sim --course penn cis501/sort_1k.trace
polytrace convert tt6/sort.tt6 $T/out.csv
polytrace convert --partial --on-error=skip tt6/sort.tt6
polytrace sim cache -O size=32k tt6/sort.tt6
polytrace sim cache --sweep size=3k tt6/sort.tt6
polytrace stats -O top=3 tt6/sort.tt6
polytrace stats -O nothing=3 tt6/sort.tt6
polytrace stats -a mix -O top=3 --csv -n 10 tt6/sort.tt6 | head -n 3
polytrace view --from tt7 tt6/sort.tt6
