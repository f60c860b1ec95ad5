/* SPDX-License-Identifier: MIT */
/*
 * Properties of operations from the text of a disassembly of ARM, AArch64, MIPS and x86. A
 * mnemonic that two of these share has the same kind of instruction in both.
 *
 * spec: Arm ARM (A32, T32, A64 instruction lists; UAL suffixes); MIPS32 volume II; Intel SDM
 * volume 2.
 */
#include "analysis/facts/static_ops_facts.h"

#include "isa/flow.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool
begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static bool
is_condition(const char *word)
{
	return mnemonic_is_among(" eq ne cs hs cc lo mi pl vs vc hi ls ge lt gt le al ", word);
}

/* Removes the condition of an ARM instruction whose name without a condition is known. */
static void
drop_condition(struct mnemonic *instruction)
{
	static const char *const conditional =
		" adc adcs add adds and ands bic bics cmn cmp eor eors mov movs movt movw mvn "
		"mvns orr orrs rsb rsbs rsc rscs sbc sbcs sub subs teq tst lsl lsls lsr lsrs "
		"asr asrs ror rors rrx mul muls mla mlas mls umull smull umlal smlal sdiv udiv "
		"clz rev rev16 revsh rbit ubfx sbfx bfi bfc sxtb sxth uxtb uxth uxtab sxtab "
		"uxtah sxtah usat ssat ldr ldrb ldrh ldrsb ldrsh ldrd ldm ldmia ldmib ldmda "
		"ldmdb ldmfd ldrex ldrexb ldrexh ldrexd str strb strh strd strex strexb stm "
		"stmia stmib stmdb stmda stmfd push pop swp swpb mcr mrc mcrr mrrc msr mrs svc "
		"swi nop vmov vmrs vldr vstr vldm vstm vpush vpop vadd vsub vmul vdiv vcmp "
		"vcvt ";
	const size_t n = strlen(instruction->base);
	char rest[MNEMONIC_SIZE];
	if (n < 4 || !is_condition(instruction->base + n - 2))
		return;
	memcpy(rest, instruction->base, n - 2);
	rest[n - 2] = 0;
	if (!mnemonic_is_among(conditional, rest))
		return;
	/* Keep the suffix. */
	memmove(instruction->word + n - 2, instruction->word + n,
		strlen(instruction->word + n) + 1);
	strcpy(instruction->base, rest);
}

/* B, BL, BX and BLX of ARM with a condition, b.cond of AArch64, Jcc of x86. */
static bool
has_condition(const struct mnemonic *instruction)
{
	static const char *const jumps =
		" o no b c nae ae nb nc e z ne nz be na a nbe s ns p pe np po l nge nl ge le "
		"ng g nle cxz ecxz rcxz ";
	const char *word = instruction->base;
	if (strcmp(word, "b") == 0)
		return instruction->word[1] == '.' && is_condition(instruction->word + 2);
	if (word[0] == 'j')
		return mnemonic_is_among(jumps, word + 1);
	if (word[0] != 'b')
		return false;
	return is_condition(word + 1) || (word[1] == 'x' && is_condition(word + 2)) ||
	       (word[1] == 'l' && is_condition(word + 2)) ||
	       (begins(word, "blx") && is_condition(word + 3));
}

/* Whether an operand list writes the program counter, as in "pop {r4,pc}". */
static bool
writes_pc(const struct mnemonic *instruction)
{
	const char *operands = instruction->operands;
	if (begins(instruction->base, "pop") || begins(instruction->base, "ldm"))
		return strstr(operands, "pc}") || strstr(operands, "r15}");
	/* Comparisons and stores read their first operand. */
	return (begins(operands, "pc,") || begins(operands, "r15,")) &&
	       !mnemonic_is_among(" cmp cmn tst teq msr mcr ", instruction->base) &&
	       !begins(instruction->base, "st") && !begins(instruction->base, "pld");
}

/* Whether a MIPS branch, listed with its primary opcode, has a delay slot. */
static bool
is_delayed(const struct mnemonic *instruction, uint64_t encoding, unsigned size)
{
	static const struct {
		const char *words;
		unsigned primary;
	} forms[] = {{" jr jalr jr.hb jalr.hb ", 0},
		{" bal bltz bgez bltzal bgezal bltzl bgezl bltzall bgezall ", 1}, {" j ", 2},
		{" jal ", 3}, {" jalx ", 29}, {" b beq beqz ", 4}, {" bne bnez ", 5},
		{" blez ", 6}, {" bgtz ", 7}, {" bc1t bc1f bc1tl bc1fl ", 17},
		{" beql beqzl ", 20}, {" bnel bnezl ", 21}, {" blezl ", 22}, {" bgtzl ", 23}};
	for (size_t i = 0; size == 4 && i < sizeof forms / sizeof *forms; i++) {
		if (encoding >> 26 == forms[i].primary &&
			mnemonic_is_among(forms[i].words, instruction->base))
			return true;
	}
	return false;
}

/* Whether a MIPS "branch likely" annuls its delay slot when it falls through. */
static bool
annuls(const struct mnemonic *instruction)
{
	return mnemonic_is_among(
		" beql beqzl bnel bnezl blezl bgtzl bltzl bgezl bltzall bgezall bc1tl "
		"bc1fl ",
		instruction->base);
}

static unsigned
text_flow(const struct mnemonic *instruction, enum flow flow)
{
	static const char *const direct = " b bl j jal jalx bal ";
	static const char *const conditional =
		" cbz cbnz tbz tbnz beqz bnez blez bgtz bltz bgez bltzal bgezal beql bnel "
		"blezl bgtzl bltzl bgezl bltzall bgezall beqzl bnezl bc1t bc1f bc1tl bc1fl "
		"bgtu bltu bgeu bleu bgez bdnz bdz loop loope loopne ";
	static const char *const indirect =
		" bx bxj br blr braa brab braaz brabz blraa blrab blraaz blrabz jr jalr tbb "
		"tbh bctr bctrl blrl ";
	const bool is_plain = instruction->operands[0] == '#' ||
			      isdigit((unsigned char)instruction->operands[0]) ||
			      instruction->operands[0] == '-' ||
			      begins(instruction->operands, "{pc}");
	unsigned bits = 0;
	/* Test direct branches first: bal is a MIPS branch, and ARM does not write the
	 * condition al. */
	if (mnemonic_is_among(direct, instruction->word))
		bits = ISA_JUMPS;
	else if (mnemonic_is_among(conditional, instruction->base) ||
		 has_condition(instruction))
		bits = ISA_JUMPS | ISA_CONDITIONAL;
	else if (mnemonic_is_among(indirect, instruction->base) || writes_pc(instruction) ||
		 flow == FLOW_RETURN)
		bits = ISA_JUMPS | ISA_INDIRECT;
	else if (strcmp(instruction->base, "blx") == 0 || begins(instruction->base, "jmp") ||
		 flow == FLOW_CALL)
		bits = ISA_JUMPS | (is_plain ? 0u : ISA_INDIRECT);
	if (begins(instruction->base, "bx") || (begins(instruction->base, "blx") && !is_plain))
		bits |= bits ? ISA_INDIRECT : 0u;
	return bits;
}

static bool
is_load(const char *word)
{
	return begins(word, "ldr") || begins(word, "ldp") || begins(word, "ldu") ||
	       begins(word, "ldx") || begins(word, "lda") || begins(word, "ldm") ||
	       begins(word, "ldn") || begins(word, "vld") ||
	       mnemonic_is_among(
		       " pop vpop lb lbu lh lhu lw lwu ld lwl lwr ldl ldr ll lld lwc1 ldc1 "
		       "lwxc1 ldxc1 swp swpb rfe ld1 ld2 ld3 ld4 ld1r ",
		       word);
}

static bool
is_store(const char *word)
{
	return begins(word, "str") || begins(word, "stp") || begins(word, "stu") ||
	       begins(word, "stx") || begins(word, "stl") || begins(word, "stm") ||
	       begins(word, "stn") || begins(word, "vst") ||
	       mnemonic_is_among(
		       " push vpush sb sh sw sd swl swr sdl sdr sc scd swc1 sdc1 swxc1 sdxc1 "
		       "srs st1 st2 st3 st4 ",
		       word);
}

static bool
is_system(const char *word)
{
	return begins(word, "cps") || begins(word, "tlb") || begins(word, "mfc0") ||
	       begins(word, "mtc0") ||
	       mnemonic_is_among(
		       " svc swi smc hvc hlt bkpt brk udf mcr mrc mcrr mrrc msr mrs dmb dsb "
		       "isb wfi wfe sev sevl clrex setend eret sys sysl at syscall break sync "
		       "di ei wait rdhwr deret rfeia rfedb int int3 sysenter sysexit iret "
		       "hlt in out cli sti cpuid ",
		       word);
}

static bool
is_vector(const struct mnemonic *instruction)
{
	const char *operands = instruction->operands;
	if (instruction->base[0] == 'v' && !strstr(instruction->word, ".f32") &&
		!strstr(instruction->word, ".f64"))
		return !begins(instruction->base, "vmrs") && !begins(instruction->base, "vmsr");
	if (instruction->base[0] == 'v')
		return operands[0] == 'q' ||
		       (operands[0] == 'd' && strstr(instruction->word, ".f32"));
	return operands[0] == 'v' && isdigit((unsigned char)operands[1]) &&
	       strchr(operands, '.');
}

static bool
is_float(const struct mnemonic *instruction)
{
	const size_t n = strlen(instruction->word);
	const char *last = n > 2 ? instruction->word + n - 2 : "";
	if (instruction->base[0] == 'v' || strcmp(last, ".s") == 0 || strcmp(last, ".d") == 0)
		return true;
	return mnemonic_is_among(
		       " fadd fsub fmul fdiv fneg fabs fsqrt fmov fcmp fcmpe fccmp fcsel fmadd "
		       "fmsub fnmadd fnmsub fnmul fmax fmin fmaxnm fminnm fcvt fcvtzs fcvtzu "
		       "fcvtas fcvtau fcvtms fcvtns fcvtps frinta frinti frintm frintn frintp "
		       "frintx frintz scvtf ucvtf mtc1 mfc1 dmtc1 dmfc1 cfc1 ctc1 mthc1 mfhc1 ",
		       instruction->base) ||
	       begins(instruction->word, "cvt.") || begins(instruction->word, "trunc.") ||
	       begins(instruction->word, "ceil.") || begins(instruction->word, "floor.") ||
	       begins(instruction->word, "round.");
}

static enum op_class
text_class(const struct mnemonic *instruction, unsigned flow)
{
	static const char *const cache = " pld pldw pli prfm prfum pref prefx cache dc ic ";
	if (!isalpha((unsigned char)instruction->base[0]) ||
		mnemonic_is_among(" unknown undefined invalid ", instruction->base))
		return OP_UNKNOWN;
	if (mnemonic_is_among(cache, instruction->base) ||
		begins(instruction->base, "prefetch"))
		return OP_CACHE;
	if (is_load(instruction->base))
		return OP_LOAD;
	if (is_store(instruction->base))
		return OP_STORE;
	if (flow & ISA_JUMPS)
		return OP_BRANCH;
	if (is_system(instruction->base))
		return OP_SYSTEM;
	if (is_vector(instruction))
		return OP_VECTOR;
	return is_float(instruction) ? OP_FLOAT : OP_INTEGER;
}

bool
static_op_reach_of_text(const char *text, size_t n, uint64_t pc, int64_t *reach)
{
	struct mnemonic instruction;
	mnemonic_read(&instruction, text, n);
	/* objdump appends the target's name in "<>", and then omits "0x". */
	char *name = strchr(instruction.operands, '<');
	if (name)
		*name = 0;
	const char *last = strrchr(instruction.operands, ','),
		   *digits = last ? last + 1 : instruction.operands;
	char *end;
	bool is_relative = begins(digits, "{pc}"), is_back = false;
	if (is_relative) {
		is_back = digits[4] == '-';
		digits += digits[4] == '+' || is_back ? 5 : 4;
	}
	digits += *digits == '#';
	const bool is_marked = begins(digits, "0x");
	digits += is_marked ? 2 : 0;
	if ((!is_marked && !name) || !isxdigit((unsigned char)*digits))
		return false;
	const uint64_t number = strtoull(digits, &end, 16);
	if (*end)
		return false;
	*reach = (int64_t)(!is_relative ? number - pc : is_back ? -number : number);
	return true;
}

void
static_op_from_text(struct static_op *op, const char *text, size_t n, uint64_t encoding,
	char word[MNEMONIC_SIZE])
{
	struct mnemonic instruction;
	const enum flow flow = flow_of_text(text, n);
	mnemonic_read(&instruction, text, n);
	op->flow = (uint8_t)text_flow(&instruction, flow);
	/* A removed condition still makes a branch conditional: "popeq {pc}". */
	const size_t full_length = strlen(instruction.base);
	drop_condition(&instruction);
	if (op->flow == 0 && writes_pc(&instruction))
		op->flow = ISA_JUMPS | ISA_INDIRECT;
	if ((op->flow & ISA_JUMPS) && strlen(instruction.base) < full_length)
		op->flow |= ISA_CONDITIONAL;
	if ((op->flow & ISA_JUMPS) && is_delayed(&instruction, encoding, op->size))
		op->flow |= ISA_DELAYED | (annuls(&instruction) ? ISA_ANNULS : 0);
	if (op->flow & ISA_JUMPS)
		op->flow |= flow == FLOW_CALL	  ? ISA_CALLS
			    : flow == FLOW_RETURN ? ISA_RETURNS
						  : 0;
	op->class = (uint8_t)text_class(&instruction, op->flow);
	strcpy(word, instruction.word);
}
