polytrace sim
polytrace sim abacus cis501/sort_1k.trace
polytrace sim branch -O predictors=oracle cis501/sort_1k.trace
polytrace sim branch -O predictors=gshare:3:4:5 cis501/sort_1k.trace
polytrace sim branch -O predictors=bimodal:40 cis501/sort_1k.trace
polytrace sim branch -O predictors=bimodal, cis501/sort_1k.trace
polytrace sim branch -O sweep=5..3 cis501/sort_1k.trace
polytrace sim branch -O color=red cis501/sort_1k.trace
polytrace sim branch bach/special.tr
