polytrace convert amber/thread_001.tt6e -o $T/t.bach
polytrace convert bach/special.tr -o - --to bach-text | cmp - bach/special.txt
