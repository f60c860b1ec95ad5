polytrace check aix/damaged1112.trc
head -c 290 aix/wrapped1112.trc | polytrace check
printf 'neither' | polytrace check --from aix
