# needs isal capstone
head -c 2000 full/sort.full.gz >$T/cut.gz
polytrace view -c row,pc $T/cut.gz | tail -n 1
head -c 3001 full/start.full1008 >$T/cut.full
polytrace view -c row,record,pc $T/cut.full
polytrace view -c row,record,pc --strict $T/cut.full
