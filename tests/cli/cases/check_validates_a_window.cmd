polytrace check -n 9 bach/special.tr | grep Warnings
polytrace check -s 9 -n 1 bach/special.tr | grep B05
polytrace check -s 10 bach/special.tr | grep Warnings
