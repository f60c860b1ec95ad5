# stwcx. that stored: the escape follows it.
printf '\0\0\020\0\174\0\031\055\0\0\040\0\0\002\0\001\040\0\0\0\140\0\0\0' > $T/cr.tt6
polytrace state -f tt6 $T/cr.tt6
polytrace view -f tt6 -c row,record,cr,cr0 $T/cr.tt6
