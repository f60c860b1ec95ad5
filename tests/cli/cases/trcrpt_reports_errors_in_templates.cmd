printf '010 1.0 "a" X2\n020 1.0 "b" Q4\n' >"$T/trcfmt"
polytrace trcrpt -c -t "$T/trcfmt"
echo $?
polytrace trcrpt -c
