refused() {
	polytrace convert "$@"
	echo $? $(ls $T)
}
refused bach/special.tr -o $T/t.full
refused amber/thread_001.tt6 -o $T/t.full
refused amber/thread_001.tt6 --strict -o $T/t.bach
refused amber/thread_001.tt6 -o $T/t.unknown
refused amber/thread_001.tt6 --to tt7 -o $T/t
refused amber/thread_001.tt6
refused amber/thread_001.tt6 -o -
refused amber/thread_001.tt6 amber/sync.tt6 -o $T/t.tt6
refused amber/thread_001.tt6 --to csv -c pcs -o -
refused $T/absent.tt6 -o $T/t.csv
refused amber/thread_001.tt6 -o $T/absent/t.csv
