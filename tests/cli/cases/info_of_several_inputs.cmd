polytrace info amber/sync.tt6 $T/absent bach/special.tr | grep -E "==>|Total"
polytrace info --csv amber/sync.tt6 | head -n 4
