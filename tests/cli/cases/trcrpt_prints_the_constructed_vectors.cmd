# AIX trace reference 7.4: entries and templates with texts computed by hand; prints differences only.
for v in v1 v2 v2u v3 v4 v5 v6 v6s; do
	polytrace trcrpt -h -O ids=off,timestamp=3 -t aix/vectors/$v.trcfmt \
		aix/vectors/$v.raw 2>/dev/null | sed 's/^ *//' | diff - aix/vectors/$v.txt
done
# Standard input, too.
polytrace trcrpt -h -O ids=off,timestamp=3 -t aix/vectors/v1.trcfmt - <aix/vectors/v1.raw 2>/dev/null |
	sed 's/^ *//' | diff - aix/vectors/v1.txt
