# needs jansson
# Two payloads with the same 64-bit hash, as diff once computed it.
echo '{"kind":"instruction","pc":"0x1000","opcode_size":9,"payload":"90bd7dd43913a8e409"}' >$T/a.jsonl
echo '{"kind":"instruction","pc":"0x1000","opcode_size":9,"payload":"903a2ce2d1b9ebae2d"}' >$T/b.jsonl
polytrace diff $T/a.jsonl $T/b.jsonl
echo $?
polytrace diff $T/a.jsonl $T/a.jsonl
