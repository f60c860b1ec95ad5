# needs isal
head -c 2000 full/sort.full.gz >$T/cut.gz
polytrace info $T/cut.gz | grep -E "Partial|Total"
