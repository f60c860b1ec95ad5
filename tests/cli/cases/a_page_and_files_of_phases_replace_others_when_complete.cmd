for name in page weights; do echo old > $T/$name && ln $T/$name $T/$name.before; done
polytrace report --force tt6/isamix.tt6 -o $T/page && grep -c '</html>' $T/page
polytrace stats --force -O phases.interval=100 --weights $T/weights tt6/isamix.tt6 > $T/out && head -c 2 $T/weights
echo
cat $T/page.before $T/weights.before
ls -A $T
