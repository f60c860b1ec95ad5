# Decimal without 0x: 08192 is 0x2000.
polytrace who --addr 08192 --before 5 qemu4v/memory.q4v | sed -n '/Record/p'
polytrace who --addr 0x2000 --before 5 qemu4v/memory.q4v | sed -n '/Record/p'
polytrace who --addr 0a --before 5 qemu4v/memory.q4v
