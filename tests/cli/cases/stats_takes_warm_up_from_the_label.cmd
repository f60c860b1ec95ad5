# Of 1,000 micro-operations the first 400 are warm-up; an option has precedence.
polytrace convert cis501/sort_1k.trace -t jsonl --label warmup=400 -o "$T/part.jsonl" 2>/dev/null
count() { tr ',' '\n' | grep -m 1 '"uops": [0-9]*' | tr -dc '0-9\n'; }
polytrace stats -a mix --json "$T/part.jsonl" | count
polytrace stats -a mix --json --warmup 0 "$T/part.jsonl" | count
