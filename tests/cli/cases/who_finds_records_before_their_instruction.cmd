cat > $T/a.q4v <<EOF
1 clk 0 IT (1) 00001000 e1a00000 A svc : nop
2 clk R r0 00000005
2 clk 0 IT (2) 00001004 e3a00005 A svc : mov r0, #5
2 clk MR4 00002000 00000000
3 clk 0 IT (3) 00001008 e1a00000 A svc : nop
4 clk MR4 00002004 00000000
4 clk 0 IT (4) 0000100c e1a00000 A svc : nop
EOF
polytrace who --reg r0 --before 3 --json $T/a.q4v | grep -o '"instruction.*pc": "[^"]*"'
polytrace who --addr 0x2000 --after 1 --json $T/a.q4v | grep -o '"instruction.*pc": "[^"]*"'
polytrace who --addr 0x2004 --after 1 --json $T/a.q4v | grep -o '"instruction.*pc": "[^"]*"'
