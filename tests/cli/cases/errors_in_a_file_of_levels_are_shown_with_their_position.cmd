printf '# x\nl1 = 32k/8/64/4 # y\n\tl3 = 1M/16/64\n' >$T/levels
polytrace sim levels --config $T/levels tt6/sort.tt6
printf 'l1 = 32k/8/64/4 inclusion=both' >$T/levels
polytrace sim levels --config $T/levels tt6/sort.tt6
polytrace sim levels --config none.levels tt6/sort.tt6
polytrace sim cache --config $T/levels tt6/sort.tt6
# Errors and what the messages expect instead: settings, levels, numbers, words.
for text in 'colour=red' 'l1' 'l1=' 'l2=32k/8/64/4' 'l1=32k/8/64/4 l1=32k/8/64/4' 'l1i=1k/2/64 l1i=1k/2/64' 'l1=32q/8/64/4' 'l1=32k/0/64/4' 'l1=32k/8/wide/4' 'l1=32k/8/64/4000000000k' 'l1=32k/8' 'l1=32k/7/64/4' 'l1=48k/8/64/4' 'l1=48/1/48/4' 'l1=32k/8/64/4/opt' 'l1=32k/8/64/4/mru' 'l1=6k/3/32/1/plru' 'l1=32k/8/64/4/next' 'l1=32k/8/64/4/next:1000' 'l1=32k/8/64/4 memory=far' 'l1=1k/2/64/1 l2=2k/2/64/1 l3=4k/2/64/1 l4=8k/2/64/1 l5=16k/2/64/1' 'l1=32k/8/64/4 l2=64k/8/32/4' 'memory=200'; do
polytrace sim levels -O "caches=$text" tt6/sort.tt6 && echo "$text"
done
printf 'l1=1k/2/64/1\nsource=%0200d\n' 1 >$T/levels; polytrace sim levels --config $T/levels tt6/sort.tt6
