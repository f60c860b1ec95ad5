polytrace sim pipeline --csv --sweep rob=8..32,model=inorder,ooo cis501/sort_1k.trace | sed -n '/^table,size/,$p'
polytrace sim pipeline --csv --sweep rob=8,width=1-3 cis501/sort_1k.trace | sed -n '/^table,size/,$p'
# What cannot be: no such option, a value out of range, an option twice, no number, too many.
for sweep in colour=red width=0 width=1,2,width=4 8 width=8..4 load=1..128,penalty=1..1024,size=1..4096 width=1,line=48 from=1,2, width=3-1 width=60-65; do
polytrace sim pipeline --sweep "$sweep" cis501/sort_1k.trace > $T/answer || cat $T/answer
done
# Numbers of options may end in units, as those of sweeps.
polytrace sim pipeline --json -S cache=1k -S line=0x20 cis501/sort_1k.trace > $T/answer; polytrace sim pipeline --json -S cache=1024 -S line=32 cis501/sort_1k.trace | cmp - $T/answer
polytrace sim pipeline -S cache=8k -S taken-ends=1k cis501/sort_1k.trace
