polytrace split tarmac/calls.tarmac -o $T/x
polytrace split --by kind --records 3 tarmac/calls.tarmac -o $T/x
polytrace split --by kind tarmac/calls.tarmac
polytrace split --records 0 tarmac/calls.tarmac -o $T/x
polytrace split --by text tarmac/calls.tarmac -o $T/x
polytrace split --by hook tarmac/calls.tarmac -o $T/x
polytrace split --by kinds tarmac/calls.tarmac -o $T/x
polytrace split --by address bach/start_2k.bach -o $T/x
ls $T
