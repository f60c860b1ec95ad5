# segment, data address 0x5000, lwz, condition register, one of code 0x3a, an unknown one, null
printf '\0\0\020\0\0\0\0\03\0\0\0\021\0\0\0\042\0\0\0\063\0\01\0\01\0\0\120\0\200\141\0\010\0\0\120\0\0\02\0\01\204\0\0\0\0\072\0\02\0\0\0\01\0\0\0\02\01\0\0\05\0\0\0\01\0\0\0\02\0\0\0\03\0\0\0\04\0\0\0\05\0\0\0\0\0\040\0\02\0\0\040\0\0\0\0\05' >$T/escapes.tt6
polytrace view --from tt6 $T/escapes.tt6
polytrace view --from tt6 -c row,text $T/escapes.tt6
