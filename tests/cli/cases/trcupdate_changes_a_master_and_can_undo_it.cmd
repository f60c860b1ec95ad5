# AIX trace reference 4.2: the example of a file of changes
printf '# templates\n010 1.0 "user" X2\n1B3 1.0 L=KERN "old" \\\n\tX4' >$T/master
cp $T/master $T/before
printf '* /etc/trcfmt\n+ 15A 1.0 "new_fmt"\n- 1B3\n+ 010 1.1 "user" \\n X2\n' >$T/change.trc
cd $T
polytrace trcupdate -v -t master change || exit
cat master
echo
cat change.undo.trc
polytrace trcupdate -o -t master change.undo.trc && cmp master before && ls
