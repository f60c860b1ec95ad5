# needs capstone jansson
# vpgatherdd xmm0, dword ptr [rax + xmm1*4], xmm2: its index is a vector register.
printf '{"polytrace":"trace","version":1,"isa":"x86-64","columns":["kind","pc","opcode","opcode_size"]}\n' >$T/gather.jsonl
printf '{"kind":"instruction","pc":"0x401000","opcode":"0xc4e269900488","opcode_size":6}\n' >>$T/gather.jsonl
polytrace convert $T/gather.jsonl --to cis501 -o -
