# needs jansson
cat > $T/a.jsonl <<END
{"polytrace":"trace","version":1,"isa":"riscv64","columns":["kind","pc","opcode","opcode_size"]}
{"kind":"instruction","pc":"0x1000","opcode":"0xff010113","opcode_size":4}
{"kind":"instruction","pc":"0x1004","opcode":"0x00113423","opcode_size":4}
{"kind":"instruction","pc":"0x1008","opcode":"0x4505","opcode_size":2}
{"kind":"instruction","pc":"0x100a","opcode":"0x014000ef","opcode_size":4}
{"kind":"instruction","pc":"0x101e","opcode":"0x8082","opcode_size":2}
END
# addi sp,sp,-16; sd ra,8(sp); c.li a0,1; jal ra; ret
polytrace who --reg x2 --before 4 --json $T/a.jsonl | grep -o '"record": [0-9]*'
polytrace who --reg SP --after 1 --json $T/a.jsonl | grep -o '"record": [0-9]*'
polytrace who --reg a0 --json $T/a.jsonl | grep -o '"record": [0-9]*'
polytrace who --reg ra --after 2 --json $T/a.jsonl | grep -o '"record": [0-9]*'
polytrace who --reg fp $T/a.jsonl
polytrace who --reg r3 $T/a.jsonl
