# needs isal
# in the middle of a word; in compressed data, whose length determines nothing
head -c 5001 amber/memset_thread_001.tt6e >$T/cut.tt6e
polytrace info $T/cut.tt6e | grep -A 4 -e Format -e Diagnostics
gzip -c amber/memset_thread_001.tt6e | head -c 5000 >$T/cut.gz
polytrace check $T/cut.gz | grep -e Verdict -e Format
xz -c amber/memset_thread_001.tt6e | head -c 5000 >$T/cut.xz
(cd $T; polytrace info cut.xz) 2>&1 >$T/out | sed 's/ byte [1-9].*: / ... /; s/[0-9]\{4,\}/N/g'
grep -e Partial -e Format $T/out
