echo before > $T/report.html
polytrace report $T/absent.tt6 -o $T/report.html
cat $T/report.html
