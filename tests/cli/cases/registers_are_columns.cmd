# needs capstone
printf '1 clk IT (1) 00001000 d503201f O EL0t : NOP\n1 clk R X0 00000001ffffffff\n2 clk IT (2) 00001004 d503201f O EL0t : NOP\n2 clk R W0 00000007\n3 clk IT (3) 00001008 d503201f O EL0t : NOP\n' > "$T/parts.tarmac"
polytrace view -f tarmac --isa aarch64 -c row,kind,x0,w0,x1 "$T/parts.tarmac"
polytrace view -f tarmac --isa aarch64 -w 'x0 > 0x100000000' -c row,x0 "$T/parts.tarmac"
polytrace view -f tarmac --isa aarch64 -w 'has(x0) and w0 & 8' -c row,w0 "$T/parts.tarmac"
polytrace view -f tarmac --isa aarch64 -w 'r3 == 1' "$T/parts.tarmac"
polytrace view -f tarmac --isa aarch64 -c r3 "$T/parts.tarmac"
polytrace convert -f tarmac --isa aarch64 -c row,x0 "$T/parts.tarmac" -t csv -o -
printf '1 clk IT (1) 00001000 d503201f O EL0t : NOP\n1 clk R X0 --------00000001\n1 clk R X1 00000000000000--\n' > "$T/digits.tarmac"
polytrace view -f tarmac --isa aarch64 -c row,x0,w0,x1,w1 "$T/digits.tarmac"
polytrace state -f tarmac --isa aarch64 "$T/digits.tarmac"
polytrace view -f tarmac --isa aarch64 -c row,x0 --json "$T/parts.tarmac" | tail -1
