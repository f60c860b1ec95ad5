polytrace report -a mix pthr/thread_001.tt6 pthr/thread_002.tt6 -o $T/report.html
grep -o '<h[1-6]>[^<]*' $T/report.html
polytrace report -a mix --title '<A & B>' cis501/sort_1k.trace -o - | grep -o '<h[1-6]>[^<]*'
