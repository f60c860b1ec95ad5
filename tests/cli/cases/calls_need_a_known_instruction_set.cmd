polytrace calls qemu4v/seed3.q4v --isa s390x
polytrace calls bach/special.tr
polytrace calls --style folded --json tarmac/calls.tarmac
polytrace calls --symbols tarmac/calls.tarmac tarmac/calls.tarmac
polytrace calls --symbols no/file tarmac/calls.tarmac
