# Unselected process hooks are not shown, but still apply.
# needs jansson
polytrace trcrpt -h -w 'hook in 0x1340..0x1390' -O exec=on,pid=on aix/published.jsonl
polytrace trcrpt -w 'pc == 1' aix/published.jsonl
polytrace trcrpt -w 'hook ==' aix/published.jsonl
