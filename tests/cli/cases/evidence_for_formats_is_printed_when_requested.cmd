polytrace info course/bimodal.expected
polytrace info -v course/bimodal.expected
polytrace check --verbose course/bimodal.expected
