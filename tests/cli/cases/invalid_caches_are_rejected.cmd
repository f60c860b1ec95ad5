polytrace sim cache --sweep size=48k cis501/sort_1k.trace; polytrace sim cache --sweep ways=8..4 cis501/sort_1k.trace; polytrace sim cache --sweep policy=mru cis501/sort_1k.trace; polytrace sim cache --sweep size=1k,ways=16,32 cis501/sort_1k.trace; polytrace sim levels -O 'caches=l1=1k/2/32 l3=4k/2/32' cis501/sort_1k.trace; polytrace sim mrc -O line=48 cis501/sort_1k.trace; polytrace sim mrc -O sample=2 cis501/sort_1k.trace; polytrace sim tlb -O entries=65 cis501/sort_1k.trace
polytrace sim cache --sweep policy=opt,write=through tt6/sort.tt6
polytrace sim cache -O top=3 -O region=5 tt6/sort.tt6
polytrace sim cache -O top=3 --sweep policy=opt tt6/sort.tt6
polytrace sim levels -O top=3 -O region=5 tt6/sort.tt6
polytrace sim levels -O 'caches=l1=1k/2/32/1/opt' tt6/sort.tt6
polytrace sim paging --sweep frames=0 tt6/sort.tt6
polytrace sim paging --sweep page=3k tt6/sort.tt6
polytrace sim sharing -O size=1000 tt6/sort.tt6
polytrace sim sharing -O word=128 tt6/sort.tt6
polytrace sim levels -O preset=zen4 -O caches=l1=1k/2/64 tt6/sort.tt6
polytrace sim cache -O top=1 -O region=3 tt6/sort.tt6
polytrace sim mrc -O sample=3 -O sets=1 tt6/sort.tt6
polytrace sim paging --sweep frames=1-65 tt6/sort.tt6
polytrace sim tlb -O page=3000 tt6/sort.tt6
polytrace sim cache --sweep size=1099511627777G tt6/sort.tt6
polytrace sim levels -O 'caches=l1=17592186044417M/2/64/4 memory=9' tt6/sort.tt6
polytrace sim cache -O region=2147483647 tt6/sort.tt6
