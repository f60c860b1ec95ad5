polytrace grade course/bimodal.expected course/bimodal.expected
echo $?
polytrace grade --json course/bimodal.expected course/bimodal.actual
head -n 3 course/bimodal.expected | polytrace grade course/bimodal.expected -
echo $?
