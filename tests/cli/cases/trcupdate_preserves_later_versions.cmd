cd $T
printf '010 2.0 "later"\n020 1.0 "same"\n' >master
printf '* /etc/trcfmt\n+ 010 1.9 "earlier"\n+ 020 1.0 "again"\n- 030\n' >c.trc
polytrace trcupdate -t master c; echo $?; cat master
printf '020 1.0 "same"\n' >master
rm c.undo.trc; polytrace trcupdate --later -t master c; echo $?; cat master
printf '010 2.0 "later"\n' >master
rm c.undo.trc; polytrace trcupdate -o -t master c; echo $?; cat master
