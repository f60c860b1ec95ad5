# Limits of simulators, and the sizes of their curves.
polytrace sim mrc --points 2 --csv --table fully_associative_caches cis501/thumb.trace | cut -d, -f1 | head -n 6
polytrace stats -a cache,mrc --limit memory=1G --points 4 --csv --table fully_associative_caches cis501/thumb.trace | cut -d, -f1 | head -n 6
for limit in memory=1M memory 128M lines=3; do
	polytrace sim cache --limit $limit cis501/thumb.trace
	echo $?
done
polytrace sim cache --points 2 cis501/thumb.trace
polytrace stats --points 2 cis501/thumb.trace
polytrace sim mrc --points 65 cis501/thumb.trace
polytrace sim --course penn --limit memory=1G cis501/thumb.trace
