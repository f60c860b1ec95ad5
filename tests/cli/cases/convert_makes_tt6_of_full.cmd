for run in altivec isamix sort; do
	polytrace convert full/$run.full.gz -o $T/$run.tt6e
	polytrace convert full/$run.full.gz -o $T/$run.tt6
	cmp $T/$run.tt6e full/$run.tt6e
	cmp $T/$run.tt6 full/$run.tt6
done
