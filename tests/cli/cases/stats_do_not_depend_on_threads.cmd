for n in 1 2 3 8; do
	polytrace stats --all --json --threads $n amber/memset_thread_001.tt6 | cksum
	polytrace stats --all --json --threads $n cis501/sort_1k.trace | cksum
done | sort -u | wc -l
