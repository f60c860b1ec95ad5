polytrace info --where 'pc == 1' cis501/seed15.trace
