# needs jansson
{ polytrace view --json -n 3 amber/sync.tt6; echo xx; polytrace view --json -n 5 amber/sync.tt6 | tail -n 2; } >$T/bad.jsonl
polytrace check $T/bad.jsonl
polytrace check --on-error=skip $T/bad.jsonl
