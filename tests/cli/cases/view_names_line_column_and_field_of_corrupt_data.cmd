sed '3s/ L / Q /; 9s/ OR / /' cis501/seed15.columns.trace | polytrace view -c pc,mnemonic -
sed '3s/ L / Q /; 9s/ OR / /' cis501/seed15.columns.trace | polytrace view --on-error skip -s 1 -n 9 -c row,pc,mnemonic -
