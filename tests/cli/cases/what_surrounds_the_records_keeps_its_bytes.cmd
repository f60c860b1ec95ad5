# needs zstd xxhash jansson
# Names of records that no header states, text before a header, numbers that no other request has.
printf '{"kind":"instruction","record":"foo","pc":"0x10"}\n{"kind":"instruction","record":"bar","pc":"0x14"}\n' >$T/a.jsonl
{ echo 'text before the header'; cat riscv_log/rvvi.log; } >$T/b.riscv-log
printf '\1\0\0\0\7\0\0\0\0\0\0\0\10\0\0\0\5\0\0\0\0\0\0\0\2\0\0\0\7\0\0\0\0\0\0\0\10\0\0\0\3\0\0\0\0\0\0\0' >$T/c.oraclegeneral
for file in $T/a.jsonl $T/b.riscv-log $T/c.oraclegeneral; do
	polytrace convert -f ${file##*.} -t ${file##*.} $file -o $T/converted 2>/dev/null
	polytrace pack -f ${file##*.} $file -o $T/packed.ptz 2>/dev/null
	polytrace unpack $T/packed.ptz -o $T/unpacked
	cmp $file $T/converted && cmp $file $T/unpacked && echo ${file##*/}
	rm $T/converted $T/packed.ptz $T/unpacked
done
# The header of a part, packed or not.
polytrace convert -s 20 -n 1 -t riscv-log riscv_log/rvvi.log -o $T/part 2>/dev/null
polytrace convert -s 20 -n 1 riscv_log/rvvi.log -o $T/part.ptz
polytrace unpack $T/part.ptz -o - | cmp - $T/part && head -n 1 $T/part
