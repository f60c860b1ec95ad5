polytrace convert -c pc amber/sync.tt6 -o $T/out.tt6
