polytrace formats
polytrace formats --csv | head -n 3
