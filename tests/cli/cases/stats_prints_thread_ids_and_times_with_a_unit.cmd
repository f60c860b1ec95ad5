polytrace stats -a events aix/log1113.trc | sed -n '/^  Threads/,/^    Gap p90/p'
