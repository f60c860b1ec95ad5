# Two threads of a signal, condition register and real pc before a nop at 0x1000, and condition
# register before one at 0x1004: each turn is one record.
thread() { printf '\0\0\020\0\0\040\0\002\0\0\120\0\0\0\0'$1'\0\002\0\001\0'$1'\0\0\0\005\0\001\014\336\0\0\140\0\0\0\0\002\0\001\060\0\0\0\140\0\0\0'; }
thread '\001' > $T/thread_001.tt6
thread '\002' > $T/thread_002.tt6
polytrace merge -f tt6 -q 1 $T/thread_001.tt6 $T/thread_002.tt6 -o $T/merged.tt6
od -A n -t x1 -v $T/merged.tt6
# The pair of a twi.
printf '\0\0\020\0\014\0\0\0\110\0\007\002\0\0\007\0\114\0\0\144\0\0\020\004\140\0\0\0' > $T/thread_001.tt6e
cp $T/thread_001.tt6e $T/thread_002.tt6e
polytrace merge -f tt6e -q 1 $T/thread_001.tt6e $T/thread_002.tt6e -o $T/merged.tt6e
od -A n -t x1 -v $T/merged.tt6e
