# needs isal
head -c 2000 full/sort.full.gz >$T/cut.gz
echo before >$T/t.tt6
polytrace convert --force $T/cut.gz -o $T/t.tt6
echo $? $(ls $T) $(cat $T/t.tt6)
polytrace convert --force --partial $T/cut.gz -o $T/t.tt6
echo $?
polytrace view --csv -c pc,opcode $T/t.tt6 | sed 1,2d >$T/partial.csv
polytrace view --csv -c pc,opcode full/sort.full.gz | sed 1d | head -n $(wc -l <$T/partial.csv) | cmp - $T/partial.csv
wc -l <$T/partial.csv
