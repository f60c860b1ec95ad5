# needs capstone
echo '# an odd number of digits has no size'
printf '%s\n' '4 clk IT (4) 0000800c e3a0100 A svc_s :' '5 clk IT (5) 00008010 e3a01001 A svc_s :' |
	polytrace view --from qemu4v --isa arm -c pc,opcode,opcode_size,text -
echo '# one site, opcodes of several sizes'
printf '%s\n' '1 clk IT (1) 00008000 0000bf00 T svc_s :' '2 clk IT (2) 00008000 bf00 T svc_s :' \
	'3 clk IT (3) 00008000 0bf00 T svc_s :' '4 clk IT (4) 00008000 0000bf00 T svc_s :' |
	polytrace view --from qemu4v --isa thumb -c pc,opcode,opcode_size,text -
echo '# a format without sizes'
printf '8000 e3a01001\n' |
	polytrace view --from text:pc:hex,opcode:hex --isa arm -c pc,opcode,text -
