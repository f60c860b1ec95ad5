# needs capstone
polytrace view -s 62 -n 9 -c row,record,pc,opcode,text amber/thread_001.tt6e
polytrace view -c pc,value,text tt6/altivec.tt6 | grep "dst"
