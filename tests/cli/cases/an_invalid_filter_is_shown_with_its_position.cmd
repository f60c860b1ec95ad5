polytrace view --where 'address = 1 and addres = 2' cis501/seed15.trace
