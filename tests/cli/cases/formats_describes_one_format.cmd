polytrace formats bach-text
polytrace formats --json byutr | python3 -m json.tool | sed -n "/options/,\$p"
