# The line of AIX trace reference 7.2 whose blanks are known.
# needs jansson
polytrace trcrpt -h -d 119 -Oexec=on,pid=on,svc=on,timestamp=1 aix/published.jsonl
