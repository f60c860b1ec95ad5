polytrace calls --style profile cis501/sort_1k.trace | head -n 12
