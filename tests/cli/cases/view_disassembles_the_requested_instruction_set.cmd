# needs capstone
polytrace view --isa aarch64 -c pc,opcode,text tarmac/code.tarmac
polytrace view -c pc,opcode,text tarmac/code.tarmac
polytrace view --isa A tarmac/code.tarmac
polytrace info --isa x86-64 tarmac/code.tarmac | grep ISA
