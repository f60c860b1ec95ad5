for option in --every=0 --sample=0 --max-line=0 --tail=16777217 --threads=65 --skip=-1 --count= --head=18446744073709551616; do polytrace view $option tt6/sort.tt6; done
for option in --max=0 --max=-1 --window=0 --window=1025 --context=1025 --resync=262145; do polytrace diff --all $option tt6/sort.tt6 tt6/sort.tt6; done
polytrace split --time 0 -o $T/x tt6/sort.tt6
# The minimum of each is valid.
polytrace view --every=1 --sample=1 --max-line=18446744073709551615 --count=1 tt6/sort.tt6
polytrace diff --all --max=1 --window=1 --context=0 --resync=0 tt6/sort.tt6 tt6/sort.tt6
