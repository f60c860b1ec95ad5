# needs isal
printf '\000\000\040\010\000\300\000\000\060\020\000\200\000\000\100' >$T/c.bach
polytrace convert --partial $T/c.bach -o $T/d.bach
echo $?
wc -c <$T/d.bach
polytrace check $T/d.bach | grep Verdict
# A line of which a compressed stream has only the beginning could be another record.
printf '2 clk R r1 00000001\n2 clk R r0 0000000' | gzip | head -c -8 >$T/c.tarmac.gz
polytrace convert --partial -f tarmac $T/c.tarmac.gz -o $T/d.tarmac
cat $T/d.tarmac
