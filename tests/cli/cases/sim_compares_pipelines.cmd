polytrace sim pipeline --csv --sweep rob=8..32,model=inorder,ooo cis501/sort_1k.trace | sed -n '/^table,size/,$p'
polytrace sim pipeline --csv --sweep rob=8,width=1-3 cis501/sort_1k.trace | sed -n '/^table,size/,$p'
# Errors: unknown option, value out of range, repeated option, invalid number, too many.
for sweep in colour=red width=0 width=1,2,width=4 8 width=8..4 load=1..128,penalty=1..1024,size=1..4096 width=1,line=48 from=1,2, width=3-1 width=60-65 width=1,65 width=1..128 rob=1-65 model=x bits=17-200; do
polytrace sim pipeline --sweep "$sweep" cis501/sort_1k.trace > $T/answer || cat $T/answer
done
# Numbers of options accept suffixes like those of sweeps.
polytrace sim pipeline --json -O cache=1k -O line=0x20 cis501/sort_1k.trace > $T/answer; polytrace sim pipeline --json -O cache=1024 -O line=32 cis501/sort_1k.trace | cmp - $T/answer
polytrace sim pipeline -O cache=8k -O taken-ends=1k cis501/sort_1k.trace
# Options of one model do not affect the other: they are rejected unless both are simulated.
for options in '-O order=all -O model=inorder' '-O size=64' '-O order=latency --sweep width=1,model=inorder' '-O order=latency -O size=64 --sweep model=inorder,ooo' '-O size=64 --sweep model=inorder' '--sweep order=free,all,model=inorder,ooo'; do
polytrace sim pipeline $options cis501/sort_1k.trace > $T/answer || echo "$options"
done
for options in '-O order=all' '-O model=inorder -O size=64' '-O model=inorder -O registers=32' '-O memory=none -O model=inorder' '--sweep order=free,all' '--sweep rob=8,16,model=inorder' '-O model=inorder --sweep memory=none,naive' '-O order=latency --sweep width=1,2,model=ooo'; do
polytrace sim pipeline $options cis501/sort_1k.trace && echo "$options"
done
