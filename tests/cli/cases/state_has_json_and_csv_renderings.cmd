polytrace state --at 25 --csv tarmac/calls.tarmac
polytrace state --at 9 --json --order big tarmac/calls.tarmac
polytrace state --at 3 --csv full/start.full1008 | head -n 12
