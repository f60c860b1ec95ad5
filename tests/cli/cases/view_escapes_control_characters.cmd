# needs jansson
printf '{"kind":"other","text":"a\\u001b[2Jb"}\n%.0s' 1 2 3 >$T/escape.jsonl
polytrace view -c text $T/escape.jsonl
