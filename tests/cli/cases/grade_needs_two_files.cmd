polytrace grade course/bimodal.expected
polytrace grade course/bimodal.expected course/nothing
