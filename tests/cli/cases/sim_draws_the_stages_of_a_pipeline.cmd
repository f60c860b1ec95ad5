polytrace sim pipeline -O model=ooo -O from=60 -O count=3 --konata $T/log --diagram $T/svg cis501/sort_1k.trace > $T/answer; cat $T/log; grep -c '<rect' $T/svg; python3 -c "import sys, xml.dom.minidom as m; m.parse(sys.argv[1])" $T/svg
# The selected records are simulated and numbered from 1.
polytrace sim pipeline --force --skip 900 -O count=1 --konata $T/log cis501/sort_1k.trace > $T/answer; cat $T/log
# Errors: two inputs, another simulator, no folder, too many.
polytrace sim pipeline --konata $T/log cis501/sort_1k.trace cis501/thumb.trace
polytrace sim branch --diagram $T/svg cis501/sort_1k.trace
polytrace sim pipeline --konata $T/no/log cis501/sort_1k.trace > $T/answer
rm $T/svg; cat cis501/sort_1k.trace cis501/sort_1k.trace > $T/twice; polytrace sim pipeline --diagram $T/svg -O count=1001 $T/twice > $T/answer
polytrace sim pipeline --diagram $T/svg -O count=65537 cis501/sort_1k.trace > $T/answer; ls $T
