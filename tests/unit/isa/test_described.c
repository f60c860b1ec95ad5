/* SPDX-License-Identifier: MIT */
/*
 * Descriptions by hand for the sets of the disassembly library: one line for each instruction
 * that Capstone 4.0.2 describes wrongly or not at all, and the branch kinds of every set.
 *
 * spec: Intel SDM volume 2; Arm ARM (A32, T32, A64); MIPS32 volume II; SPARC V9 A;
 * z/Architecture Principles of Operation 7; M68000 Family Programmer's Reference Manual 4.
 */
#include "isa/isa.h"
#include "trace_help.h"

enum {
	J = ISA_JUMPS,
	C = ISA_CONDITIONAL,
	I = ISA_INDIRECT,
	CALL = ISA_CALLS,
	RET = ISA_RETURNS,
	D = ISA_DELAYED,
	A = ISA_ANNULS,
};

/* An encoding with its description: registers in the order of their numbers, and accesses as
 * direction, size, base, index, scale and displacement. */
struct expectation {
	const char *isa, *encoding, *reads, *writes, *accesses;
	enum isa_class cls;
};

static const struct expectation x86_cases[] = {
#define X64(code, class, from, into, memory)                                    \
	{                                                                       \
		.isa = "x86-64", .encoding = code, .cls = class, .reads = from, \
		.writes = into, .accesses = memory                              \
	}
	/* cmpxchg [rdi], ecx; lock; cmpxchg16b [rdi]; xadd [rdi], eax; xchg [rdi], eax */
	X64("0fb10f", ISA_ATOMIC, "rax rcx rdi", "rax flags", "RW4 rdi+0"),
	X64("f00fb10f", ISA_ATOMIC, "rax rcx rdi", "rax flags", "RW4 rdi+0"),
	X64("480fc70f", ISA_ATOMIC, "rax rcx rdx rbx rdi", "rax rdx flags", "RW16 rdi+0"),
	X64("f00fc107", ISA_ATOMIC, "rax rdi", "rax flags", "RW4 rdi+0"),
	X64("8707", ISA_ATOMIC, "rax rdi", "rax", "RW4 rdi+0"),
	/* movnti [rdi], ecx; movntdq [rdi], xmm0; movups [rdi], xmm0; movbe [rax], ecx */
	X64("0fc30f", ISA_STORE, "rcx rdi", "", "W4 rdi+0"),
	X64("660fe707", ISA_STORE, "rdi zmm0", "", "W16 rdi+0"),
	X64("0f1107", ISA_STORE, "rdi zmm0", "", "W16 rdi+0"),
	X64("0f38f108", ISA_STORE, "rax rcx", "", "W4 rax+0"),
	/* lea rax, [rcx+rsi*2+8]; nop [rax]; prefetcht0 [rax]; clflush [rax] */
	X64("488d447108", ISA_INTEGER, "rcx rsi", "rax", ""),
	X64("0f1f00", ISA_INTEGER, "", "", ""),
	X64("0f1808", ISA_CACHE, "rax", "", ""),
	X64("0fae38", ISA_CACHE, "rax", "", ""),
	/* push rbp; pop rbp; push [rax]; pop [rsp+8]; leave; enter 16, 0; pushfq */
	X64("55", ISA_STORE, "rsp rbp", "rsp", "W8 rsp-8"),
	X64("5d", ISA_LOAD, "rsp", "rsp rbp", "R8 rsp+0"),
	X64("ff30", ISA_STORE, "rax rsp", "rsp", "R8 rax+0 W8 rsp-8"),
	X64("8f442408", ISA_STORE, "rsp", "rsp", "W8 rsp+16 R8 rsp+0"),
	X64("c9", ISA_LOAD, "rsp rbp", "rsp rbp", "R8 rbp+0"),
	X64("c8100000", ISA_STORE, "rsp rbp", "rsp rbp", "W8 rsp-8"),
	X64("9c", ISA_STORE, "rsp flags", "rsp", "W8 rsp-8"),
	/* call rel32; call [rip+0x10]; ret */
	X64("e800000000", ISA_BRANCH, "rsp", "rsp", "W8 rsp-8"),
	X64("ff1510000000", ISA_BRANCH, "rsp rip", "rsp", "R8 rip+16 W8 rsp-8"),
	X64("c3", ISA_BRANCH, "rsp", "rsp", "R8 rsp+0"),
	/* rep movsb; movsb; stosq; rep stosq; scasb */
	X64("f3a4", ISA_STORE, "rcx rsi rdi flags", "rcx rsi rdi", "W0 rdi+0 R0 rsi+0"),
	X64("a4", ISA_STORE, "rsi rdi flags", "rsi rdi", "W1 rdi+0 R1 rsi+0"),
	X64("48ab", ISA_STORE, "rax rdi flags", "rdi", "W8 rdi+0"),
	X64("f348ab", ISA_STORE, "rax rcx rdi flags", "rcx rdi", "W0 rdi+0"),
	X64("ae", ISA_INTEGER, "rax rdi flags", "rdi flags", "R1 rdi+0"),
	/* xsave [rax]; fxsave [rax]; syscall; rcl dword [rax], 1; test [rax], 1; adox eax, ecx
	 */
	X64("0fae20", ISA_SYSTEM, "rax rdx mxcsr fpcw", "", "W0 rax+0"),
	X64("0fae00", ISA_SYSTEM, "rax mxcsr fpcw", "", "W0 rax+0"),
	X64("0f05", ISA_SYSTEM, "flags", "rcx r11", ""),
	X64("d110", ISA_INTEGER, "rax flags", "flags", "RW4 rax+0"),
	X64("f60001", ISA_INTEGER, "rax", "flags", "R1 rax+0"),
	X64("f30f38f6c1", ISA_INTEGER, "rax rcx flags", "rax flags", ""),
	/* stmxcsr [rax]; ldmxcsr [rax]; fnstcw [rax]; fldcw [rax]; setg [rax] */
	X64("0fae18", ISA_SYSTEM, "rax mxcsr", "", "W4 rax+0"),
	X64("0fae10", ISA_SYSTEM, "rax", "mxcsr", "R4 rax+0"),
	X64("d938", ISA_SYSTEM, "rax fpcw", "fpsw", "W2 rax+0"),
	X64("d928", ISA_SYSTEM, "rax", "fpsw fpcw", "R2 rax+0"),
	X64("0f9f00", ISA_INTEGER, "rax flags", "", "W1 rax+0"),
	/* fld dword [rax]; fstp qword [rdi]; faddp st1; fadd st0, st1; fxch st1; fchs */
	X64("d900", ISA_LOAD, "rax", "fpsw st0", "R4 rax+0"),
	X64("dd1f", ISA_STORE, "rdi st0", "fpsw", "W8 rdi+0"),
	X64("dec1", ISA_FLOAT, "st0 st1", "fpsw st1", ""),
	X64("d8c1", ISA_FLOAT, "st0 st1", "fpsw st0", ""),
	X64("d9c9", ISA_FLOAT, "st0 st1", "fpsw st0 st1", ""),
	X64("d9e0", ISA_FLOAT, "st0", "fpsw st0", ""),
	/* vpgatherdd ymm1, [ymm1], ymm2: its accesses are not known; comiss xmm0, [rsp] */
	X64("c4e26d900c0d00000000", ISA_LOAD, "zmm1 zmm2", "zmm1 zmm2", "?"),
	X64("0f2f0424", ISA_FLOAT, "rsp zmm0", "flags", "R4 rsp+0"),
	/* maskmovdqu xmm0, xmm1; vpcmpeqd k1{k2}, ymm17, [rsi+rdx*4] */
	X64("660ff7c1", ISA_STORE, "rdi zmm0 zmm1", "", "W0 rdi+0"),
	X64("62f375221f0c9600", ISA_VECTOR, "rdx rsi k2 zmm17", "k1", "R32 rsi+rdx*4+0"),
	/* mov rax, fs:[0x28]; mov al, 1 keeps the rest; mov eax, 1; mov eax, cr0 */
	X64("64488b042528000000", ISA_LOAD, "fs", "rax", "R8 +40"),
	X64("b001", ISA_INTEGER, "rax", "rax", ""),
	X64("b801000000", ISA_INTEGER, "", "rax", ""),
	X64("0f20c0", ISA_SYSTEM, "control", "rax", ""),
	/* add [rax], ecx; imul rax, rcx; div rcx; addsd, addps; mfence; endbr64; lock add */
	X64("0108", ISA_INTEGER, "rax rcx", "flags", "RW4 rax+0"),
	X64("480fafc1", ISA_MULTIPLY, "rax rcx", "rax flags", ""),
	X64("48f7f1", ISA_DIVIDE, "rax rcx rdx", "rax rdx flags", ""),
	X64("f20f58c1", ISA_FLOAT, "zmm0 zmm1", "zmm0", ""),
	X64("0f58c1", ISA_VECTOR, "zmm0 zmm1", "zmm0", ""),
	X64("0faef0", ISA_FENCE, "", "", ""),
	X64("f30f1efa", ISA_INTEGER, "", "", ""),
	X64("f00108", ISA_ATOMIC, "rax rcx", "flags", "RW4 rax+0"),
#undef X64
	{.isa = "x86",
		.encoding = "55",
		.cls = ISA_STORE,
		.reads = "rsp rbp",
		.writes = "rsp",
		.accesses = "W4 rsp-4"},
	{.isa = "x86-16",
		.encoding = "50",
		.cls = ISA_STORE,
		.reads = "rax rsp",
		.writes = "rsp",
		.accesses = "W2 rsp-2"},
	/* xlatb: the index is al alone */
	{.isa = "x86-64",
		.encoding = "d7",
		.cls = ISA_INTEGER,
		.reads = "rax rbx",
		.writes = "rax",
		.accesses = "R1 rbx+rax*0+0"},
};

static const struct expectation arm_cases[] = {
#define A64(code, class, from, into, memory)                                     \
	{                                                                        \
		.isa = "aarch64", .encoding = code, .cls = class, .reads = from, \
		.writes = into, .accesses = memory                               \
	}
	/* str w0, [x1], #4; strb w0, [x1]; stp x0, x1, [x2]; prfm pldl1keep, [x0, #8] */
	A64("b8004420", ISA_STORE, "x0 x1", "x1", "W4 x1+0"),
	A64("39000020", ISA_STORE, "x0 x1", "", "W1 x1+0"),
	A64("a9000440", ISA_STORE, "x0 x1 x2", "", "W16 x2+0"),
	A64("f9800400", ISA_CACHE, "x0", "", ""),
	/* stlxrb w0, w1, [x3]; stlr w0, [x1]; stxp w0, x1, x2, [x3]; ldxr w0, [x1] */
	A64("0800fc61", ISA_ATOMIC, "x1 x3", "x0", "W1 x3+0"),
	A64("889ffc20", ISA_STORE, "x0 x1", "", "W4 x1+0"),
	A64("c8200861", ISA_ATOMIC, "x1 x2 x3", "x0", "W16 x3+0"),
	A64("885f7c20", ISA_ATOMIC, "x1", "x0", "R4 x1+0"),
	/* ldp s0, s1, [x0, #8]!; ld1 {v0.16b, v1.16b}, [x0], #32; ld1 {v0.s}[1], [x0];
	 * ld4r {v0.2s-v3.2s}, [x0]; st4 {v0.8h-v3.8h}, [x0], #64 */
	A64("2dc10400", ISA_LOAD, "x0", "x0 v0 v1", "R8 x0+8"),
	A64("4cdfa000", ISA_LOAD, "x0", "x0 v0 v1", "R32 x0+0"),
	A64("0d409000", ISA_LOAD, "x0 v0", "v0", "R4 x0+0"),
	A64("0d60e800", ISA_LOAD, "x0", "v0 v1 v2 v3", "R16 x0+0"),
	A64("4c9f0400", ISA_STORE, "x0 v0 v1 v2 v3", "x0", "W64 x0+0"),
	/* bl; blr x17; ret; svc; bti c (hint); cmp x0, #1; mov x0, #3 writes alone; lsl */
	A64("97fffffe", ISA_BRANCH, "", "x30", ""),
	A64("d63f0220", ISA_BRANCH, "x17", "x30", ""),
	A64("d65f03c0", ISA_BRANCH, "x30", "", ""),
	A64("d4000001", ISA_SYSTEM, "", "", ""),
	A64("d503245f", ISA_INTEGER, "", "", ""),
	A64("f100041f", ISA_INTEGER, "x0", "nzcv", ""),
	A64("d2800060", ISA_INTEGER, "", "x0", ""),
	A64("d37df020", ISA_INTEGER, "x1", "x0", ""),
	A64("f2800060", ISA_INTEGER, "x0", "x0", ""),
	/* ldaddal w0, w1, [x2]; stadd x0, [sp]; swpb w0, w1, [x2]; casal x0, x1, [x2];
	 * casp x0, x1, x2, x3, [x4]; ldaprh w0, [x1] */
	A64("b8e00041", ISA_ATOMIC, "x0 x2", "x1", "RW4 x2+0"),
	A64("f82003ff", ISA_ATOMIC, "x0 sp", "", "RW8 sp+0"),
	A64("38208041", ISA_ATOMIC, "x0 x2", "x1", "RW1 x2+0"),
	A64("c8e0fc41", ISA_ATOMIC, "x0 x1 x2", "x0", "RW8 x2+0"),
	A64("48207c82", ISA_ATOMIC, "x0 x1 x2 x3 x4", "x0 x1", "RW16 x4+0"),
	A64("78bfc020", ISA_LOAD, "x1", "x0", "R2 x1+0"),
	/* retaa; braa x0, x1; blraaz x3 */
	A64("d65f0bff", ISA_BRANCH, "x30 sp", "", ""),
	A64("d71f0801", ISA_BRANCH, "x0 x1", "", ""),
	A64("d63f087f", ISA_BRANCH, "x3", "x30", ""),
	/* ldr x0, [x1, w2, uxtw #3]; ldr q0, [x1, x2, lsl #4]; ldr x0, .+4; msr fpcr, x0 */
	A64("f8625820", ISA_LOAD, "x1 x2", "x0", "R8 x1+x2*0+0"),
	A64("3ce27820", ISA_LOAD, "x1 x2", "v0", "R16 x1+x2*16+0"),
	A64("58000020", ISA_LOAD, "", "x0", "R8 pc+4"),
	A64("d51b4400", ISA_SYSTEM, "x0", "fpcr", ""),
	/* add x0, x1, xzr; mul; sdiv; fadd d0, d1, d2; add v0.4s, v1.4s, v2.4s; dmb; dc zva */
	A64("8b1f0020", ISA_INTEGER, "x1", "x0", ""),
	A64("9b027c20", ISA_MULTIPLY, "x1 x2", "x0", ""),
	A64("9ac20c20", ISA_DIVIDE, "x1 x2", "x0", ""),
	A64("1e622820", ISA_FLOAT, "v1 v2", "v0", ""),
	A64("4ea28420", ISA_VECTOR, "v1 v2", "v0", ""),
	A64("d5033bbf", ISA_FENCE, "", "", ""),
	A64("d50b7420", ISA_CACHE, "x0", "", ""),
#undef A64
#define A32(code, class, from, into, memory)                                                 \
	{                                                                                    \
		.isa = "arm", .encoding = code, .cls = class, .reads = from, .writes = into, \
		.accesses = memory                                                           \
	}
	/* ldmdb fp, {r4, fp, sp, pc}; push {r4, lr}; strb; strexd r0, r2, r3, [r1] */
	A32("e91ba810", ISA_BRANCH, "r11", "r4 r11 sp pc", "R16 r11-16"),
	A32("e92d4010", ISA_STORE, "r4 sp lr", "sp", "W8 sp-8"),
	A32("e5c10000", ISA_STORE, "r0 r1", "", "W1 r1+0"),
	A32("e1a10f92", ISA_ATOMIC, "r1 r2 r3", "r0", "W8 r1+0"),
	/* addseq r0, r1, #3; umlal r0, r1, r2, r3; vpush {d8, d9}; vldmia r0!, {d0-d3} */
	A32("02910003", ISA_INTEGER, "r0 r1 cpsr", "r0 cpsr", ""),
	A32("e0a10392", ISA_MULTIPLY, "r0 r1 r2 r3", "r0 r1", ""),
	A32("ed2d8b04", ISA_STORE, "sp d8 d9", "sp", "W16 sp-16"),
	A32("ecb00b08", ISA_LOAD, "r0", "r0 d0 d1 d2 d3", "R32 r0+0"),
	/* ldr r0, [r1, -r2]; ldr r0, [r1, r2, lsl #2]; mrc p15, 0, r0, c13, c0, 3; svc */
	A32("e7110002", ISA_LOAD, "r1 r2", "r0", "R4 r1+r2*0+0"),
	A32("e7910102", ISA_LOAD, "r1 r2", "r0", "R4 r1+r2*4+0"),
	A32("ee1d0f70", ISA_SYSTEM, "", "r0", ""),
	A32("ef000000", ISA_SYSTEM, "", "", ""),
	/* vswp d0, d1; vadd.i32 q0, q1, q2; vadd.f32 s0, s1, s2 keeps s1; swp r0, r1, [r2] */
	A32("f3b20001", ISA_VECTOR, "d0 d1", "d0 d1", ""),
	A32("f2220844", ISA_VECTOR, "d2 d3 d4 d5", "d0 d1", ""),
	A32("ee300a81", ISA_FLOAT, "d0 d1", "d0", ""),
	A32("e1020091", ISA_ATOMIC, "r1 r2", "r0", "RW4 r2+0"),
#undef A32
};

/* Of MIPS the general registers alone are known. */
static const struct expectation mips_cases[] = {
#define MIPS(code, class, from, into, memory)                                   \
	{                                                                       \
		.isa = "mips32", .encoding = code, .cls = class, .reads = from, \
		.writes = into, .accesses = memory                              \
	}
	/* addu v0, a0, a1; lui v0, 1; sll v0, a1, 2; mult a0, a1; mflo v0; movz v0, a0, a1 */
	MIPS("00851021", ISA_INTEGER, "a0 a1", "v0", ""),
	MIPS("3c020001", ISA_INTEGER, "", "v0", ""),
	MIPS("00051080", ISA_INTEGER, "a1", "v0", ""),
	MIPS("00850018", ISA_MULTIPLY, "a0 a1", "hi lo", ""),
	MIPS("00001012", ISA_INTEGER, "lo", "v0", ""),
	MIPS("0085100a", ISA_INTEGER, "v0 a0 a1", "v0", ""),
	/* lw v0, 4(a0); sw ra, 28(sp); lwl v0, 4(a0); ll; sc; sb; lh; jal; beq v0, a0; bgezal
	 */
	MIPS("8c820004", ISA_LOAD, "a0", "v0", "R4 a0+4"),
	MIPS("afbf001c", ISA_STORE, "sp ra", "", "W4 sp+28"),
	MIPS("88820004", ISA_LOAD, "v0 a0", "v0", "R0 a0+4"),
	MIPS("c0820000", ISA_ATOMIC, "a0", "v0", "R4 a0+0"),
	MIPS("e0820000", ISA_ATOMIC, "v0 a0", "v0", "W4 a0+0"),
	MIPS("a0820000", ISA_STORE, "v0 a0", "", "W1 a0+0"),
	MIPS("8482fffe", ISA_LOAD, "a0", "v0", "R2 a0-2"),
	MIPS("0c000040", ISA_BRANCH, "", "ra", ""),
	MIPS("10440001", ISA_BRANCH, "v0 a0", "", ""),
	MIPS("04910002", ISA_BRANCH, "a0", "ra", ""),
	/* div a0, a1; jalr t9; addiu sp, sp, -32; sync; syscall */
	MIPS("0085001a", ISA_DIVIDE, "a0 a1", "hi lo", ""),
	MIPS("0320f809", ISA_BRANCH, "t9", "ra", ""),
	MIPS("27bdffe0", ISA_INTEGER, "sp", "sp", ""),
	MIPS("0000000f", ISA_FENCE, "", "", ""),
	MIPS("0000000c", ISA_SYSTEM, "", "", ""),
#undef MIPS
};

/* Splits the hexadecimal digits of an encoding into bytes. */
static size_t
read_encoding(const char *digits, uint8_t bytes[16])
{
	size_t n = strlen(digits) / 2;
	for (size_t i = 0; i < n; i++) {
		const char pair[] = {digits[2 * i], digits[2 * i + 1], 0};
		bytes[i] = (uint8_t)strtoul(pair, NULL, 16);
	}
	return n;
}

static void
list_registers(
	const struct isa_decoder *decoder, const struct isa_registers *registers, char *text)
{
	*text = 0;
	for (unsigned i = 0; i < ISA_REGISTERS_MAX; i++) {
		if (registers->bits[i / 64] >> i % 64 & 1)
			sprintf(text + strlen(text), "%s%s", *text ? " " : "",
				isa_register_name(decoder, i));
	}
}

static void
list_accesses(const struct isa_decoder *decoder, const struct isa_instruction *instruction,
	char *text)
{
	strcpy(text, instruction->has_accesses ? "" : "?");
	for (unsigned i = 0; i < instruction->access_count; i++) {
		const struct isa_access *access = &instruction->accesses[i];
		const char *base = isa_register_name(decoder, access->base),
			   *index = isa_register_name(decoder, access->index);
		sprintf(text + strlen(text), "%s%s%s%u %s", i ? " " : "",
			access->direction & ISA_READS ? "R" : "",
			access->direction & ISA_WRITES ? "W" : "", (unsigned)access->size,
			base ? base : "");
		if (index)
			sprintf(text + strlen(text), "+%s*%u", index, (unsigned)access->scale);
		sprintf(text + strlen(text), "%+lld", (long long)access->displacement);
	}
}

static void
check(const struct expectation *expected)
{
	struct isa_decoder *decoder;
	struct poly_error error;
	struct isa_instruction instruction;
	uint8_t bytes[16];
	char text[400];
	const size_t n = read_encoding(expected->encoding, bytes);
	const enum poly_status status = isa_open(expected->isa, &decoder, &error);
	skip_unsupported(status, &error);
	assert_int_equal(status, POLY_OK);
	print_message("# %s %s\n", expected->isa, expected->encoding);
	assert_true(isa_describe(decoder, bytes, n, &instruction));
	assert_int_equal(instruction.length, n);
	assert_string_equal(
		isa_class_name((enum isa_class)instruction.cls), isa_class_name(expected->cls));
	list_registers(decoder, &instruction.reads, text);
	assert_string_equal(text, expected->reads);
	list_registers(decoder, &instruction.writes, text);
	assert_string_equal(text, expected->writes);
	list_accesses(decoder, &instruction, text);
	assert_string_equal(text, expected->accesses);
	isa_close(decoder);
}

static void
faults_of_x86_are_corrected(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof x86_cases / sizeof *x86_cases; i++)
		check(&x86_cases[i]);
}

static void
faults_of_arm_are_corrected(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof arm_cases / sizeof *arm_cases; i++)
		check(&arm_cases[i]);
}

static const struct {
	const char *isa, *encoding;
	unsigned flow;
	int64_t target; /* at pc 0x1000; 0: none */
} branches[] = {
	{"x86-64", "e8fbffffff", J | CALL, 0x1000},
	{"x86-64", "c3", J | I | RET, 0},
	{"x86-64", "74fc", J | C, 0xffe},
	{"x86-64", "e2fb", J | C, 0xffd},
	{"x86-64", "ffe0", J | I, 0},
	{"x86-64", "ffd0", J | I | CALL, 0},
	{"x86-64", "cb", J | I | RET, 0},
	{"x86-64", "48cf", 0, 0},
	{"x86-64", "0f05", 0, 0},
	{"x86", "ea112233445566", J, 0x44332211},
	{"x86", "e8fbffffff", J | CALL, 0x1000},
	{"x86-16", "ebfe", J, 0x1000},
	{"x86-16", "e8fdff", J | CALL, 0x1000},
	{"aarch64", "97fffffe", J | CALL, 0xff8},
	{"aarch64", "d65f00a0", J | I | RET, 0},
	{"aarch64", "54000080", J | C, 0x1010},
	{"aarch64", "371fffe0", J | C, 0xffc},
	{"aarch64", "d61f0200", J | I, 0},
	{"aarch64", "d63f0220", J | I | CALL, 0},
	{"aarch64", "d69f03e0", 0, 0},
	/* b; beq; bl; bleq; blx r3; bx lr; bxeq lr; pop {r4, pc}; mov pc, lr; ldr pc,
	 * [sp], #4; ldr pc, [pc, r0, lsl #2] */
	{"arm", "ea000000", J, 0x1008},
	{"arm", "0a000000", J | C, 0x1008},
	{"arm", "eb000000", J | CALL, 0x1008},
	{"arm", "0b000000", J | C | CALL, 0x1008},
	{"arm", "e12fff33", J | I | CALL, 0},
	{"arm", "e12fff1e", J | I | RET, 0},
	{"arm", "012fff1e", J | I | C | RET, 0},
	{"arm", "e8bd8010", J | I | RET, 0},
	{"arm", "e1a0f00e", J | I | RET, 0},
	{"arm", "e49df004", J | I | RET, 0},
	{"arm", "e79ff100", J | I, 0},
	{"arm", "e0810002", 0, 0},
	/* bx lr; pop {r4, pc}; bl; cbz r0; b .+4 */
	{"thumb", "4770", J | I | RET, 0},
	{"thumb", "bd10", J | I | RET, 0},
	{"thumb", "f000f802", J | CALL, 0x1008},
	{"thumb", "b100", J | C, 0x1004},
	{"thumb", "e000", J, 0x1004},
	/* jal; j; jr ra; jalr t9; b; beql; bal; bgezall; bc1t */
	{"mips32", "0c000040", J | D | CALL, 0x100},
	{"mips32", "08000040", J | D, 0x100},
	{"mips32", "03e00008", J | I | D | RET, 0},
	{"mips32", "0320f809", J | I | D | CALL, 0},
	{"mips32", "10000004", J | D, 0x1014},
	{"mips32", "50400004", J | C | D | A, 0x1014},
	{"mips32", "04110002", J | D | CALL, 0x100c},
	{"mips32", "04930002", J | C | D | A | CALL, 0x100c},
	{"mips32", "45010002", J | C | D, 0x100c},
	{"mips32", "8c820004", 0, 0},
	/* call; ret; retl; call %g1; ba; ba,a; bne; bne,a */
	{"sparc", "40000010", J | D | CALL, 0x1040},
	{"sparc", "81c7e008", J | I | D | RET, 0},
	{"sparc", "81c3e008", J | I | D | RET, 0},
	{"sparc", "9fc04000", J | I | D | CALL, 0},
	{"sparc", "10800004", J | D, 0x1010},
	{"sparc", "30800004", J, 0x1010},
	{"sparc", "12bfffff", J | C | D, 0xffc},
	{"sparc", "32800004", J | C | D | A, 0x1010},
	{"sparc64", "02c84002", J | C | D, 0x1008},
	/* brasl; br %r14; basr; bras; j; je; jg; br %r1; bcr 0 */
	{"s390x", "c0e500000010", J | CALL, 0x1020},
	{"s390x", "07fe", J | I | RET, 0},
	{"s390x", "0de1", J | I | CALL, 0},
	{"s390x", "a715fff0", J | CALL, 0xfe0},
	{"s390x", "a7f40004", J, 0x1008},
	{"s390x", "a7840004", J | C, 0x1008},
	{"s390x", "c0f400000010", J, 0x1020},
	{"s390x", "07f1", J | I, 0},
	{"s390x", "078e", J | C | I | RET, 0},
	{"s390x", "b9080012", 0, 0},
	/* jsr; bsr; rts; bra; bne; jsr (a0); jmp (a0); dbra; rte */
	{"m68k", "4eb900002000", J | CALL, 0x2000},
	{"m68k", "61000010", J | CALL, 0x1012},
	{"m68k", "4e75", J | I | RET, 0},
	{"m68k", "6002", J, 0x1004},
	{"m68k", "66f0", J | C, 0xff2},
	{"m68k", "4e90", J | I | CALL, 0},
	{"m68k", "4ed0", J | I, 0},
	{"m68k", "51c8fffe", J | C, 0x1000},
	{"m68k", "4e73", 0, 0},
};

static void
registers_of_mips_are_known(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof mips_cases / sizeof *mips_cases; i++)
		check(&mips_cases[i]);
}

static void
branches_have_their_kind(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof branches / sizeof *branches; i++) {
		struct isa_decoder *decoder;
		struct poly_error error;
		struct isa_instruction instruction;
		uint8_t bytes[16];
		uint64_t target = 0;
		const size_t n = read_encoding(branches[i].encoding, bytes);
		if (isa_open(branches[i].isa, &decoder, &error) == POLY_ERR_UNSUPPORTED)
			skip();
		print_message("# %s %s\n", branches[i].isa, branches[i].encoding);
		assert_true(isa_describe(decoder, bytes, n, &instruction));
		assert_int_equal(instruction.flow, branches[i].flow);
		assert_int_equal(instruction.cls == ISA_BRANCH, branches[i].flow != 0);
		assert_int_equal(
			isa_target(&instruction, 0x1000, &target), branches[i].target != 0);
		assert_int_equal(target, branches[i].target);
		isa_close(decoder);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(faults_of_x86_are_corrected),
		cmocka_unit_test(faults_of_arm_are_corrected),
		cmocka_unit_test(registers_of_mips_are_known),
		cmocka_unit_test(branches_have_their_kind),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
