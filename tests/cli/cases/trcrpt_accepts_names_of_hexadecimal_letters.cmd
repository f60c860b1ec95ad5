# A word that begins with a digit takes precedence as address: face and add are names.
# needs jansson
printf 'face 10f4\n0x1230 add\n' >"$T/names"
polytrace trcrpt -h -n "$T/names" -O ids=off,timestamp=3 -d 101 aix/published.jsonl
