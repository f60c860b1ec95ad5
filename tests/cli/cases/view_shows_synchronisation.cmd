polytrace view amber/sync.tt6
