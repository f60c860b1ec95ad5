# needs jansson
# A header without columns does not state whether there are outcomes; until a record has one, and if the
# listed columns lack them, next PCs determine them.
for columns in '' ',"columns":["kind","pc","opcode","opcode_size","text"]'; do
printf '%s\n' '{"polytrace":"trace","version":1,"format":"hand","isa":"arm"'"$columns"'}' '{"kind":"instruction","pc":"0x100","opcode":"0x0a000010","opcode_size":4,"text":"beq #0x148"}' '{"kind":"instruction","pc":"0x148","opcode":"0xe1a00000","opcode_size":4,"text":"nop"}' > $T/hand.jsonl
polytrace sim branch --json -O predictors=taken $T/hand.jsonl | cut -d[ -f1 | sed "s|$T/||"
done
# A recorded taken branch without a prediction is a misprediction.
printf '%s\n' '{"polytrace":"trace","version":1,"format":"hand","isa":"arm"}' '{"kind":"instruction","pc":"0x100","opcode":"0xea000010","opcode_size":4,"branch":"taken","text":"b #0x148"}' > $T/hand.jsonl
polytrace sim branch --json -O predictors=taken $T/hand.jsonl | cut -d[ -f1 | sed "s|$T/||"
