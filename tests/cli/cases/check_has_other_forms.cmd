polytrace check --json bach/special.tr
polytrace check --csv bach/special.tr
