polytrace info --json --skip 1 --count 8 amber/sync.tt6 | python3 -m json.tool | grep -v detected_by
