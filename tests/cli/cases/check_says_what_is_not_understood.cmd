printf '      88 0x80000000 M (0x00000297) auipc   t0, 0x0\n      90 0x80000004 M (0x00000073) ecall\n' > "$T/trace_hart_0.dasm"
cd "$T"
polytrace check trace_hart_0.dasm
polytrace check --json trace_hart_0.dasm | grep -E '"(verdict|code)"'
polytrace view -n 1 trace_hart_0.dasm
polytrace stats -a mix trace_hart_0.dasm > /dev/null; echo $?
printf '1 clk R R1 00       ST 200016c0 00...... ........ ........ ........\n' | polytrace check --from tarmac | grep -E 'Verdict|TXT'
