polytrace info --style native cis501/seed15.trace cis501/sort_1k.trace
polytrace info --style native bach/nibbles.tr
polytrace info --style native --json cis501/seed15.trace
