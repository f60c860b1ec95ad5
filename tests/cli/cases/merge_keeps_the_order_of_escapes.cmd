# pc 1000; escapes 05, 01, 04, 02 and lwz r3,8(r1) at 5000; the other thread has 03, 05 and b .+8.
printf '\0\0\020\0\0\05\0\01\0\01\020\0\0\01\0\01\0\0\120\0\0\04\0\01\0\01\120\0\0\02\0\01\0\0\0\07\200\141\0\010\0\0\120\0' >$T/a.tt6
printf '\0\0\040\0\0\05\0\01\0\01\040\0\0\03\0\01\0\01\040\010\110\0\0\010\0\0\040\010' >$T/b.tt6
polytrace merge $T/a.tt6 -o $T/one.tt6
cmp $T/a.tt6 $T/one.tt6
polytrace merge $T/a.tt6 $T/b.tt6 -o $T/two.tt6
polytrace view -c escape,pc,real_pc --csv $T/two.tt6
