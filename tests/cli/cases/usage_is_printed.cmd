polytrace
polytrace frobnicate
polytrace vew
polytrace help vew
polytrace view --colums=pc x
polytrace view --count=ten x
polytrace view --count=-1 x
polytrace view --count
polytrace view --json=1 x
polytrace view --color=blue x
polytrace view -qn1 x
polytrace --version
polytrace help convert
polytrace --verbose
polytrace view -c '' x
polytrace view -c pc,,address x
polytrace view --json -c '' x
polytrace view -r '' x
polytrace view -s 18446744073709551616 x
