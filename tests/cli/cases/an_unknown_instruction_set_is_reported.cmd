# needs jansson
polytrace stats --json jsonl/unknown_isa.jsonl | sed 's/, "footprint".*//'
polytrace stats -a mix jsonl/unknown_isa.jsonl
echo $?
polytrace sim pipeline jsonl/unknown_isa.jsonl
echo $?
polytrace stats -a flow --isa riscv64 --json jsonl/unknown_isa.jsonl
polytrace calls jsonl/unknown_isa.jsonl
# Addresses of 64 bits are not those of 32-bit code.
polytrace stats -a mix jsonl/x86_64_bits.jsonl
polytrace view -c pc,text jsonl/x86_64_bits.jsonl
polytrace view -c pc,text --isa x86-64 jsonl/x86_64_bits.jsonl
polytrace view --isa mips jsonl/x86_64_bits.jsonl
