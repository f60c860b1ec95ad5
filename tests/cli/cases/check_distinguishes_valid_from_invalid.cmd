# needs isal
polytrace check bach/special.tr
echo $?
polytrace check --strict bach/special.tr >$T/strict
echo $? $(grep Verdict $T/strict)
head -c 2000 full/sort.full.gz | polytrace check
echo $?
echo nothing | polytrace check
echo $?
polytrace check $T/absent
echo $?
