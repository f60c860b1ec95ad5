polytrace view -c pc,src1,src2,dest,mnemonic,uop_name -n 6 cis501/seed15.trace
