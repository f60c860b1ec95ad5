# needs isal
for target in tt6 tt6e; do
	polytrace convert --strict -o $T/run.$target full/isamix.full.gz
	echo $?
done
polytrace convert --strict -o $T/last.tt6e full/thread_001.full1004.gz
echo $?
polytrace convert -o $T/last.tt6 full/thread_001.full1004.gz
echo $?
ls $T
