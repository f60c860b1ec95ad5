# needs jansson
printf '{"polytrace":"trace","version":1,"isa":"x86-64"}\n{"kind":"instruction","pc":"0x10","opcode_size":9,"payload":"660f1f840000000000"}\n{"kind":"instruction","pc":"0x19","opcode":"0x90","opcode_size":1}\n' >$T/a.jsonl
printf '{"polytrace":"trace","version":1}\n{"kind":"instruction","pc":"0x10","payload":"01"}\n{"kind":"instruction","pc":"0x19"}\n' >$T/b.jsonl
polytrace diff $T/a.jsonl $T/b.jsonl
