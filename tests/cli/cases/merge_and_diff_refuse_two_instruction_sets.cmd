polytrace merge cis501/seed15.trace amber/thread_001.tt6e --by sync -o $T/x.ptz; echo $?
polytrace diff riscv_log/spike.log riscv_log/spike32.log; echo $?
polytrace diff --isa riscv64 riscv_log/spike32.log riscv_log/spike32.log; echo $?
ls $T
