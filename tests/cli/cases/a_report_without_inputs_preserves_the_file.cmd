echo before > $T/report.html
polytrace report --force $T/absent.tt6 -o $T/report.html
cat $T/report.html
