# needs isal capstone
polytrace view -c pc,opcode -r r1,lr,v0,cr -n 3 full/altivec.full.gz
polytrace view -c pc -r r1 -n 2 amber/sync.tt6
