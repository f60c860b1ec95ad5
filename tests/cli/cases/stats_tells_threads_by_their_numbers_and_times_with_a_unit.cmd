polytrace stats -a events aix/log1113.trc | sed -n '/^  Threads/,/^    90 %/p'
