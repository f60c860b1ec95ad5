polytrace view -f "text:kind=access,pc:0x':',access:R/W,address:0x" text/pinatrace.out
polytrace view -f text -O text.columns=pc:hex,branch:t/n text/branches.txt
printf 'address,size\n0x10,4\n' | polytrace view -f text:address,size -O text.separator=, -O text.skip=1
polytrace convert -f text:pc,branch:t/n text/branches.txt -t text:branch:1/0,pc:0x8 -T text.separator=, -o -
