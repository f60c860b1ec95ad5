polytrace sim --course mit hw1 cis501/sort_1k.trace
polytrace sim --course penn
polytrace sim --course sfsu hw1 cis501/sort_1k.trace
polytrace sim --course penn hw3 -O color=red cis501/sort_1k.trace
polytrace sim --course penn hw3 -O predictor=oracle cis501/sort_1k.trace
polytrace sim --course penn hw3 --json cis501/sort_1k.trace
polytrace sim --course penn hw3 --warmup 5 cis501/sort_1k.trace
polytrace sim --course penn hw4 --sweep size=1k..4k cis501/sort_1k.trace
polytrace sim --course penn hw5 --konata $T/log cis501/sort_1k.trace
polytrace sim --course penn v2 cis501/sort_1k.trace
polytrace sim --course wustl hw5 cis501/thumb.trace
