polytrace who --addr table --symbols symbols/calls.nm tarmac/calls.tarmac
echo $?
polytrace who --addr 0xffd8 tarmac/calls.tarmac
polytrace who --addr 0xffd0 --csv tarmac/calls.tarmac
polytrace who --reg r1 --before 80 amber/thread_001.tt6
polytrace who --reg R1 --after 80 amber/thread_001.tt6
