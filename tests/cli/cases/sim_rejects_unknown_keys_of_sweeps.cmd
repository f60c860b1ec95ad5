polytrace sim paging --sweep ways=1 bach/enables.tr
polytrace sim cache --sweep size=1k,colour=2 bach/enables.tr
polytrace sim cache --sweep size=1k,=2 bach/enables.tr
polytrace stats -a paging -O paging.sweep=of=all bach/enables.tr
