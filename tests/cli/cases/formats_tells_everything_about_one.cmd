polytrace formats bach-text
polytrace formats --json byutr | sed -n "/options/,\$p"
