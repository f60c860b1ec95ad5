# needs capstone
polytrace view --color always -c number,record,pc amber/sync.tt6 | cat -v
