# Apple amber traces 3/14: 48000000 and the PC after the skipped records.
# needs jansson
printf '{"polytrace":"trace","version":1}\n' >"$T/rows.jsonl"
for pc in 1000 1004 1008 100c; do
	printf '{"kind":"instruction","pc":"0x%s","opcode":"0x7c0004ac"}\n' $pc >>"$T/rows.jsonl"
done
polytrace convert --where 'pc not in 0x1004..0x1008' "$T/rows.jsonl" --to tt6 -o - | od -An -v -tx4 --endian=big
