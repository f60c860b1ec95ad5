# needs zstd xxhash jansson
printf '0 1000\n1 2000' >$T/a.din; printf '2 3000\n0 4000\n' >$T/b.din
polytrace join -f din $T/a.din $T/b.din -o - 2>/dev/null
polytrace pack -o $T/ab.ptz -f din $T/a.din 2>/dev/null; polytrace pack --append $T/ab.ptz -f din $T/b.din 2>/dev/null
polytrace unpack $T/ab.ptz -o - 2>/dev/null
printf '1 clk R r0 00000001\n2 clk R r1 00000002' >$T/a.tarmac; printf '1 clk R r2 00000009\n3 clk R r0 00000003\n' >$T/b.tarmac
polytrace merge -f tarmac --by time $T/a.tarmac $T/b.tarmac -o - --to tarmac 2>/dev/null
printf '{"kind":"instruction","pc":"0x1000","mnemonic":"add"}\n' >$T/a.jsonl
printf '{"kind":"instruction","pc":"0x1004","mnemonic":"sub"}\n{"kind":"instruction","pc":"0x1008","mnemonic":"add"}\n' >$T/b.jsonl
for x in a b; do polytrace convert $T/$x.jsonl -o $T/$x.ptz; done
polytrace join $T/a.ptz $T/b.ptz -o $T/j.ptz; polytrace view --csv -c pc,mnemonic $T/j.ptz
printf 'core   0: 3 0x0000000080000000 (0x00500093) x1  0x0000000000000005\n' >$T/a.log
printf 'core   0: 3 0x0000000080000004 (0x00600113) x2  0x0000000000000006\ncore   0: 3 0x0000000080000008 (0x00700093) x1  0x0000000000000007\n' >$T/b.log
polytrace join -f riscv-log $T/a.log $T/b.log -o -
polytrace join aix/stream1114.trc aix/stream1114.trc -o $T/j.trc; polytrace check $T/j.trc; polytrace view --csv -c record $T/j.trc | sort | uniq -c
polytrace join riscv_log/spike.log riscv_log/cva6.log -o $T/x; echo $?
printf ' M 04016d90,3' >$T/a.lackey; printf ' L 04016d98,1\n' >$T/b.lackey
polytrace join -f lackey $T/a.lackey $T/b.lackey -o - 2>/dev/null
polytrace join champsim/free.champsim champsim/layout72.champsim -o $T/x; echo $?
