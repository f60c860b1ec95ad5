# AIX trace reference 7.2, -j: the first labels, in lower case.
polytrace trcrpt -j | grep -E '^(00[1-8a]|10[0-8ab]) '
