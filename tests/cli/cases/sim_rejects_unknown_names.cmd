polytrace sim
polytrace sim abacus cis501/sort_1k.trace
polytrace sim branch -S predictors=oracle cis501/sort_1k.trace
polytrace sim branch -S predictors=gshare:3:4:5 cis501/sort_1k.trace
polytrace sim branch -S predictors=bimodal:40 cis501/sort_1k.trace
polytrace sim branch -S predictors=bimodal, cis501/sort_1k.trace
polytrace sim branch -S sweep=5..3 cis501/sort_1k.trace
polytrace sim branch -S color=red cis501/sort_1k.trace
polytrace sim branch bach/special.tr
