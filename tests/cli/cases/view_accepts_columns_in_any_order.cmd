# needs capstone jansson
polytrace view -n 4 --columns=address,access,row,kind amber/thread_001.tt6
polytrace view --csv -n 3 -c opcode,pc amber/thread_001.tt6
polytrace view --json -n 2 -c opcode,pc,site,origin amber/thread_001.tt6
polytrace view --json -c pc,site amber/thread_001.tt6 | polytrace view -s 88 -c site,pc
