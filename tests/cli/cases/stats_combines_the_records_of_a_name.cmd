polytrace stats --together -a summary cis501/sort_1k.trace tarmac/calls.tarmac | sed -n '/Records by name/,/^$/p'
polytrace stats -a wustl_hw4 -O debug=0 cis501/sort_1k.trace | tail -n 3
