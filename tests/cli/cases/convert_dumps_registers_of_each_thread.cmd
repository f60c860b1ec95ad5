# Two identical threads that alternate have the same changes as one thread twice.
polytrace convert full/start.full1008 -o $T/one.vcd 2> /dev/null
polytrace merge --by sync -q 1 full/start.full1008 full/start.full1008 -o $T/two.vcd 2> /dev/null
one=$(grep -c '^b[01]' $T/one.vcd)
two=$(grep -c '^b[01]' $T/two.vcd)
test $one -gt 80 && test $two -eq $((2 * one)) && echo twice
