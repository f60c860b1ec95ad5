polytrace check --json bach/special.tr amber/sync.tt6
polytrace check --csv bach/special.tr amber/sync.tt6
