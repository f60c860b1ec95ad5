# needs jansson
{ polytrace view --json amber/sync.tt6 | head -n 3; echo xx; polytrace view --json amber/sync.tt6 | tail -n 1; } >$T/bad.jsonl
polytrace convert $T/bad.jsonl -o $T/t.csv -c record,pc,opcode
echo $? $(ls $T)
polytrace convert --on-error=skip $T/bad.jsonl -o $T/t.csv -c record,pc,opcode
echo $?
cat $T/t.csv
