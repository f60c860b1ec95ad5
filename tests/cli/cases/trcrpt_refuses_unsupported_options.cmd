polytrace trcrpt -@ wpar1 aix/base.trc
polytrace trcrpt -G
polytrace trcrpt -D disk aix/base.trc
polytrace trcrpt -M common aix/base.trc
polytrace trcrpt aix/base-0.trc aix/base-1.trc
polytrace trcrpt -O exec=maybe aix/base.trc
polytrace trcrpt --wall aix/base.trc
printf '106 jump\n' >"$T/hooks"
polytrace trcrpt -O aix.hooks="$T/hooks" aix/base.trc
polytrace trcrpt -s 1021 aix/base.trc
polytrace trcrpt -s 023000000004 aix/base.trc
polytrace trcrpt --date '2001-02-29 00:00:00' aix/base.trc
polytrace trcrpt --date '0x1F-01-01 00:00:00' aix/base.trc
