# The initial pc 0x1000 is selected, the nop there is not: 48000000 with the address of the nop at
# 0x1004 would be a branch to itself.
printf '\0\0\020\0\140\0\0\0\140\0\0\0\140\0\0\0' > $T/nops.tt6
polytrace convert --force -f tt6 -w 'not pc == 0x1000' $T/nops.tt6 -o $T/out.tt6
od -A n -t x1 -v $T/out.tt6
polytrace convert --force -f tt6 -w 'row in {1, 3, 4}' $T/nops.tt6 -o $T/out.tt6
od -A n -t x1 -v $T/out.tt6
# The second trace begins where the first one ends.
printf '\0\0\020\014\140\0\0\0' > $T/next.tt6
polytrace join --force -f tt6 $T/nops.tt6 $T/next.tt6 -o $T/out.tt6
od -A n -t x1 -v $T/out.tt6
