# needs isal
gzip -c bach/special.tr | polytrace view -n 2
polytrace view -n 1 - <bach/special.tr
