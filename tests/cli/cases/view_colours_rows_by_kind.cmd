# needs capstone
polytrace view --color always -c row,record,pc amber/sync.tt6 | cat -v
