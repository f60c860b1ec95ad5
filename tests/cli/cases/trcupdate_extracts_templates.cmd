cd $T
printf '# no part of it\n010 1.0 "a" \\\n\tX2\n# nor this\n15A 1.0 L=KERN\n15A2 1.1 "b"\n' >master
polytrace trcupdate -t master -x 15A2,010; echo $?
polytrace trcupdate -t master -x '15A0 15B 1'; echo $?
