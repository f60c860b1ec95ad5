polytrace view --start-at 'access == write' --stop-at 'branch == taken' --where 'has(address)' --tail 3 cis501/sort_1k.trace
