polytrace stats --together -a mix cis501/thumb.trace tt6/isamix.tt6 | head -5
polytrace stats --side-by-side --json -a mix cis501/thumb.trace tt6/isamix.tt6 | grep -o '"file": "[^"]*"'
polytrace stats --together --side-by-side cis501/thumb.trace
echo $?
