# needs jansson
# A recorded taken branch that is predicted taken is not mispredicted; a branch without a record counts as not taken.
for columns in '' ',"columns":["kind","pc","opcode","opcode_size","text"]'; do
printf '%s\n' '{"polytrace":"trace","version":1,"format":"hand","isa":"arm"'"$columns"'}' '{"kind":"instruction","pc":"0x100","opcode":"0x0a000010","opcode_size":4,"text":"beq #0x148"}' '{"kind":"instruction","pc":"0x148","opcode":"0xe1a00000","opcode_size":4,"text":"nop"}' > $T/hand.jsonl
polytrace sim pipeline --json -O predictor=taken $T/hand.jsonl | tr ',' '\n' | grep -E 'note|mispredictions"|branches'
done
# One recorded branch suppresses the note.
printf '%s\n' '{"polytrace":"trace","version":1,"format":"hand","isa":"arm"}' '{"kind":"instruction","pc":"0x100","opcode":"0x0a000010","opcode_size":4,"branch":"taken","text":"beq #0x148"}' > $T/hand.jsonl
polytrace sim pipeline --json -O predictor=taken $T/hand.jsonl | tr ',' '\n' | grep -E 'note|mispredictions"|branches'
