# needs capstone
polytrace view -n 1 amber/sync.tt6 - bach/special.tr <bach/nibbles.tr
