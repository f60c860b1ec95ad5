polytrace grade course/bimodal.expected course/bimodal.expected
echo $?
polytrace grade --json course/bimodal.expected course/bimodal.actual
head -n 3 course/bimodal.expected | polytrace grade course/bimodal.expected -
echo $?
polytrace sim --course penn v2 -O memlat=1 cis501/thumb.trace > $T/stages; sed '4s/ 9 / 8 /' $T/stages | polytrace grade $T/stages -
polytrace sim --course sfsu 1b -O system=2 cis501/sort_1k.trace > $T/lines; sed '$s/$/1/' $T/lines | polytrace grade $T/lines - | head -n 6
polytrace sim --course sfsu 1b -O system=2 cis501/sort_1k.trace > $T/lines; sed '60s/$/1/' $T/lines | polytrace grade $T/lines - | grep -v Actual
polytrace sim --course sfsu 2 cis501/sort_1k.trace > $T/lines; sed '5s/$/1/' $T/lines | polytrace grade $T/lines - | grep -v Actual
