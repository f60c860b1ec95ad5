cd $T
printf '010 2.0 "later"\n' >master
printf '* /etc/trcfmt\n+ 010 3.0 "new"\n+ 020 1.0 "text" Q4\n=\t030 1.0 \\\n X2\n' >c.trc
polytrace trcupdate -t master c; echo $?
printf '# /etc/trcfmt\n- 010\n' >c.trc
polytrace trcupdate -t master c; echo $?
polytrace trcupdate -t master missing; echo $?
polytrace trcupdate -t missing c; echo $?
printf '* /etc/trcfmt\n- 010\n' >c.trc
mkdir c.undo.trc
polytrace trcupdate -t master c 2>&1 | grep -c undo
cat master; ls
