polytrace formats bahc
polytrace formats zzz
polytrace formats bach tt6
polytrace formats --json --csv
