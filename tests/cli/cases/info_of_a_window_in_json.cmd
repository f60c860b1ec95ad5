polytrace info --json --skip 1 --count 8 amber/sync.tt6 | grep -v evidence
