polytrace stats --json jsonl/unknown_isa.jsonl | sed 's/, "footprint".*//'
polytrace stats -a mix jsonl/unknown_isa.jsonl
echo $?
polytrace sim pipeline jsonl/unknown_isa.jsonl
echo $?
polytrace stats -a flow --isa riscv64 --json jsonl/unknown_isa.jsonl
