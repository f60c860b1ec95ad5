cd $T
polytrace trcupdate c; echo $?
polytrace trcupdate -t master; echo $?
polytrace trcupdate -t master -x 010 c; echo $?
polytrace trcupdate -t master c d; echo $?
ln -s "$(command -v polytrace)" trcupdate
./trcupdate -t master; echo $?
