# 251 records: one leading fact and 250 instructions
for n in 0 1 101 251 1000; do
	polytrace stats -a mix --json --warmup $n tt6/isamix.tt6 | grep -o '"instructions": [0-9]*'
done
# of the rest: 10 in each complete 20
polytrace stats -a mix --json --warmup 51 --sample-units 10/20 tt6/isamix.tt6 | grep -o '"instructions": [0-9]*'
polytrace stats -a mix --json --where 'pc & 4 == 0' --warmup 20 tt6/isamix.tt6 | grep -o '"instructions": [0-9]*'
