printf '10 r 4 5\nffffffffffffffff w 8 7\n1f40 f 4 18446744073709551615\n30 p 4 9\n12345680 r 1 -\n' >$T/accesses.txt
for form in ramulator ramulator2 dramsim2 dramsim3; do echo "$form:"; polytrace convert --from 'text:kind=access,address,access:r=read|w=write|f=fetch|p=prefetch,size,time:dec|-' $T/accesses.txt -t $form -o -; done
printf '0x12345680 READ 100\n' >$T/memory.trace
polytrace view --from dramsim3 $T/memory.trace
