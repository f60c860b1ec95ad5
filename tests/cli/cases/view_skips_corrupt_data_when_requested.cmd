# needs capstone jansson
{ polytrace view --json -n 3 amber/sync.tt6; echo xx; polytrace view --json -n 5 amber/sync.tt6 | tail -n 2; } >$T/bad.jsonl
polytrace view -c row,record,pc $T/bad.jsonl
polytrace view -c row,record,pc --on-error=skip $T/bad.jsonl
