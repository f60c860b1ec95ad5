polytrace sim --course penn hw3 -O predictor=gshare -O size=3 -n 60 cis501/sort_1k.trace
polytrace sim --course wustl hw2a -O latency=3 -n 4 cis501/sort_1k.trace
polytrace sim --course wustl hw6 -n 4 -O trace=sort cis501/sort_1k.trace
polytrace sim --course sfsu 1b -O system=2 -O predictors=16 -n 60 cis501/sort_1k.trace
polytrace sim --course penn v2 -O memlat=1 cis501/thumb.trace
polytrace sim --list | sed -n '/^Homeworks/,/^$/p'
