polytrace diff qemu4v/arm_start_2k.q4v
polytrace diff - -
polytrace diff - bach/special.tr bach/special.tr
polytrace diff --isa powerpc tt6/sort.tt6e bach/special.tr
polytrace diff --ignore nothing bach/special.tr bach/special.tr
polytrace diff --window 0 bach/special.tr bach/special.tr
polytrace diff bach/special.tr no-such-file
polytrace diff --ignore pc bach/special.tr bach/special.tr
