# needs capstone
polytrace view amber/sync.tt6
