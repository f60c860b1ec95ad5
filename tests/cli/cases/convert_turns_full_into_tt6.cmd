# needs isal
for run in altivec isamix sort; do
	polytrace convert full/$run.full.gz -o $T/$run.tt6e
	polytrace convert full/$run.full.gz -o $T/$run.tt6
	cmp $T/$run.tt6e tt6/$run.tt6e
	cmp $T/$run.tt6 tt6/$run.tt6
done
