polytrace stats -a mix,nothing cis501/thumb.trace
polytrace stats -a '' cis501/thumb.trace
polytrace stats -O mix.nothing=1 cis501/thumb.trace
polytrace stats -O mix.top cis501/thumb.trace
polytrace stats -O phases.max=3 cis501/thumb.trace
polytrace stats -a mix -O cache.causes=1 cis501/thumb.trace
polytrace stats -a mix --bbv=$T/vectors cis501/thumb.trace > $T/mix
polytrace stats --all -a mix cis501/thumb.trace
for units in 0/10 11/10 10 x/y 1/2/3; do
	polytrace stats --sample-units $units cis501/thumb.trace
done
polytrace stats --json --csv --list
echo $?
