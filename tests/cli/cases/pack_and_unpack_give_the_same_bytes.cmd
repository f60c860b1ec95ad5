# needs zstd xxhash
for trace in cis501/sort_1k.trace qemu4v/arm_start_2k.q4v amber/thread_001.tt6e bach/enables.tr aix/log1112.trc; do
	name=${trace##*/}
	cp $trace $T/$name
	gzip -c $trace >$T/$name.again.gz
	polytrace pack $T/$name $T/$name.again.gz 2>$T/messages && rm $T/$name && polytrace unpack $T/$name.ptz $T/$name.again.ptz
	cmp $trace $T/$name && cmp $trace $T/$name.again && grep -c '; verified' $T/messages
done
