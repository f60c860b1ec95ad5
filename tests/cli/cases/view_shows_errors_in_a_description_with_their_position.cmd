polytrace view -f text text/branches.txt
polytrace view -f text:pc:hex,brunch:t/n text/branches.txt
polytrace convert text/branches.txt -f text:pc,branch:t/n -t text:pc,size:h/b -o -
polytrace convert text/branches.txt -f text:pc,branch:t/n -t text:pc,size -o -
polytrace view -f bach:le bach/nibbles.tr
printf '10 t\n11 x\n12 n\n' | polytrace view -f text:pc,branch:t/n
printf '10 t\n11 x\n12 n\n' | polytrace view -f text:pc,branch:t/n --on-error=skip
