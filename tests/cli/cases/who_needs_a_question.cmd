polytrace who tarmac/calls.tarmac
polytrace who --reg x0 --addr 1 tarmac/calls.tarmac
polytrace who --reg x0 --before 1 --after 2 tarmac/calls.tarmac
polytrace who --addr table tarmac/calls.tarmac
polytrace who --reg x0 --after 3 tarmac/calls.tarmac
polytrace who --reg x0 bach/special.tr
