polytrace sim --course penn hw3 -S predictor=gshare -S size=3 -n 60 cis501/sort_1k.trace
polytrace sim --course wustl hw2a -S latency=3 -n 4 cis501/sort_1k.trace
polytrace sim --course wustl hw6 -n 4 -S trace=sort cis501/sort_1k.trace
polytrace sim --course sfsu 1b -S system=2 -S predictors=16 -n 60 cis501/sort_1k.trace
polytrace sim --course penn v2 -S memlat=1 cis501/thumb.trace
polytrace sim --list | sed -n '/^Homeworks/,/^$/p'
