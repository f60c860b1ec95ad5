polytrace view -s 5 -n 1 -O bach.endian=le bach/special.tr
polytrace view --csv -c record,size -s 8 -n 1 -O bach.line=8 bach/nibbles.tr
polytrace view -n 1 -O bach.edian=le bach/special.tr
polytrace view -n 1 -O bach.endian=middle bach/special.tr
polytrace view -n 1 -O bach.endian bach/special.tr
