/* SPDX-License-Identifier: MIT */
/*
 * Instructions of x86 and their accesses, converted to micro-operations as the course CIS 501
 * has them.
 *
 * How an instruction cracks follows from the published traces of the course where they have it;
 * each rule below is one of their forms. What they do not have becomes loads, one generic
 * micro-operation and stores: its name begins with GEN_, or with FP_ if it computes in floating
 * point. The accesses are those that the trace has: a form whose loads and stores differ from
 * them is not used.
 *
 * spec: "The Penn CIS 501 instruction trace format", 2.3 and 2.4.
 */
#include "effects/conversion.h"
#include "effects/x86_operands.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"

#include <stdio.h>
#include <string.h>

enum { NONE = X86_NO_REGISTER, RAX = 0, RCX = 1, RDX = 2, RSP = 4, TEMP = 44, TEMP2 = 45 };

/* Maximum micro-operations of an instruction, whose index has 8 bits, and accesses of a type.
 */
#define OPS_MAX 255
#define ACCESSES_MAX 120

/* Bytes of a name; the course's parsers take 11 and 22. */
#define MACRO_MAX 12
#define MICRO_MAX 23

/* The flags of x86 in a set of registers. */
enum { FLAGS = 16, GENERAL = 16 };

/* A micro-operation. */
struct op {
	char name[MICRO_MAX];
	int8_t src1, src2, dest;
	uint8_t flags;	/* enum poly_flags */
	int8_t access;	/* enum poly_access, or -1 */
	bool is_branch; /* the last one may be */
	int64_t immediate;
};

/* An instruction whose accesses follow. */
struct open_instruction {
	bool is_open;
	uint64_t number, pc;
	unsigned size;
	const struct x86_instruction *decoded; /* NULL: not an instruction */
	unsigned reads, writes;
	uint64_t read[ACCESSES_MAX], written[ACCESSES_MAX];
};

struct micro_ops {
	struct isa_decoder *decoder;
	struct x86_instruction *known; /* by index in by_encoding */
	uint32_t known_count, known_capacity;
	struct map by_encoding;
	struct x86_instruction longer; /* of more than 8 bytes: not kept */
	struct open_instruction open;
	struct op ops[OPS_MAX];
	unsigned count;
};

/* Instructions that are kept; later ones are decoded each time. */
#define KNOWN_MAX (1u << 20)

static struct op *
add(struct micro_ops *state, const char *name, int src1, int src2, int dest)
{
	struct op *op = &state->ops[state->count < OPS_MAX - 1 ? state->count++ : OPS_MAX - 1];
	*op = (struct op){.src1 = (int8_t)src1,
		.src2 = (int8_t)src2,
		.dest = (int8_t)dest,
		.flags = POLY_FLAGS_NONE,
		.access = -1};
	snprintf(op->name, sizeof op->name, "%s", name);
	return op;
}

/* Adds a load of a memory operand. */
static void
add_load(struct micro_ops *state, const struct x86_operand *from, int dest, int temporary)
{
	int base = from->base;
	if (from->is_rip) {
		add(state, "SAVE_PC", NONE, NONE, temporary);
		base = temporary;
	}
	struct op *op = add(state, "LOAD", from->index, base, dest);
	op->access = POLY_ACCESS_READ;
	op->immediate = from->value;
}

/* Adds a store to a memory operand; value NONE: an immediate. */
static void
add_store(struct micro_ops *state, const struct x86_operand *to, int value)
{
	const int temporary = value == TEMP ? TEMP2 : TEMP;
	int base = to->base;
	int64_t displacement = to->value;
	if (to->is_rip) {
		add(state, "SAVE_PC", NONE, NONE, temporary);
		base = temporary;
	} else if (to->index != NONE) {
		add(state, "LEA", to->index, to->base, temporary)->immediate = to->value;
		base = temporary;
		displacement = 0;
	}
	struct op *op = add(state, "STORE", value, base, NONE);
	op->access = POLY_ACCESS_WRITE;
	op->immediate = displacement;
}

static bool
is_register(const struct x86_operand *operand)
{
	return operand->kind == X86_OPERAND_REGISTER && operand->number != NONE;
}

static bool
is_memory(const struct x86_operand *operand)
{
	return operand->kind == X86_OPERAND_MEMORY;
}

/* Adds the operation of a first operand with a second one: NAME, or NAME_IMM. */
static struct op *
add_operation(struct micro_ops *state, const char *name, const struct x86_operand *second,
	int first, int dest)
{
	char full[MICRO_MAX];
	if (second->kind != X86_OPERAND_IMMEDIATE)
		return add(state, name, first, second->number, dest);
	snprintf(full, sizeof full, "%s_IMM", name);
	struct op *op = add(state, full, first, NONE, dest);
	op->immediate = second->value;
	return op;
}

/* A rule: cracks an instruction; false: the operands have another form. */
typedef bool rule(struct micro_ops *state, const struct x86_instruction *in, const char *name);

/* CMP and TEST: the result is a temporary. */
static bool
crack_compare(struct micro_ops *state, const struct x86_instruction *in, const char *name)
{
	const struct x86_operand *a = &in->operands[0], *b = &in->operands[1];
	struct op *op;
	if (is_memory(a)) {
		add_load(state, a, TEMP2, TEMP2);
		op = add_operation(state, name, b, TEMP2, TEMP);
	} else if (is_memory(b)) {
		add_load(state, b, TEMP2, TEMP2);
		op = add(state, name, a->number, TEMP2, TEMP);
	} else {
		op = add_operation(state, name, b, a->number, TEMP);
	}
	op->flags = POLY_FLAGS_WRITE;
	return in->count == 2 && (is_register(a) || is_memory(a));
}

/* ADD and its like. */
static bool
crack_arithmetic(struct micro_ops *state, const struct x86_instruction *in, const char *name)
{
	const struct x86_operand *a = &in->operands[0], *b = &in->operands[1];
	struct op *op;
	if (in->count != 2)
		return false;
	if (is_register(a) && is_register(b) && a->number == b->number &&
		strcmp(name, "XOR") == 0) {
		add(state, "ADD", NONE, NONE, a->number);
		return true;
	}
	if (is_memory(a)) {
		add_load(state, a, TEMP2, TEMP2);
		op = add_operation(state, name, b, TEMP2, TEMP);
		op->flags = POLY_FLAGS_WRITE;
		add_store(state, a, TEMP);
		return true;
	}
	if (is_memory(b)) {
		add_load(state, b, TEMP, TEMP);
		op = add(state, name, a->number, TEMP, a->number);
	} else {
		op = add_operation(state, name, b, a->number, a->number);
	}
	op->flags = POLY_FLAGS_WRITE;
	return is_register(a);
}

/* INC, DEC and NOT: one operand, and no flags. */
static bool
crack_single(struct micro_ops *state, const struct x86_instruction *in, const char *name)
{
	const struct x86_operand *a = &in->operands[0];
	const int64_t immediate = strstr(name, "_IMM") != NULL;
	if (in->count != 1)
		return false;
	if (is_memory(a))
		add_load(state, a, TEMP2, TEMP2);
	const int from = is_memory(a) ? TEMP2 : a->number, to = is_memory(a) ? TEMP : from;
	add(state, name, from, NONE, to)->immediate = immediate;
	if (is_memory(a))
		add_store(state, a, TEMP);
	return is_memory(a) || is_register(a);
}

static bool
crack_move(struct micro_ops *state, const struct x86_instruction *in, const char *name)
{
	const struct x86_operand *a = &in->operands[0], *b = &in->operands[1];
	(void)name;
	if (in->count != 2)
		return false;
	if (is_memory(a)) {
		add_store(state, a, b->kind == X86_OPERAND_IMMEDIATE ? NONE : b->number);
		return b->kind == X86_OPERAND_IMMEDIATE || is_register(b);
	}
	if (is_memory(b))
		add_load(state, b, a->number, TEMP);
	else if (b->kind == X86_OPERAND_IMMEDIATE)
		add(state, "ADD_IMM", NONE, NONE, a->number)->immediate = b->value;
	else
		add(state, "ADD", b->number, NONE, a->number);
	return is_register(a) &&
	       (is_memory(b) || b->kind == X86_OPERAND_IMMEDIATE || is_register(b));
}

/* MOVZX and MOVSX; name: the first letters of the micro-operation. */
static bool
crack_extension(struct micro_ops *state, const struct x86_instruction *in, const char *name)
{
	static const char *const sizes[] = {
		[1] = "BYTE", [2] = "WORD", [4] = "DWORD", [8] = "QWORD"};
	const struct x86_operand *a = &in->operands[0], *b = &in->operands[1];
	char full[MICRO_MAX];
	if (in->count != 2 || !is_register(a) || a->size > 8 || b->size > 4 || !b->size ||
		!sizes[a->size])
		return false;
	/* The upper half of a register is cleared by any write to the lower one. */
	const unsigned size = *name == 'Z' ? 4 : a->size;
	snprintf(full, sizeof full, "%s_%s_TO_%s", name, sizes[b->size], sizes[size]);
	if (is_memory(b))
		add_load(state, b, TEMP, TEMP);
	add(state, full, is_memory(b) ? TEMP : b->number, NONE, a->number);
	return is_memory(b) || is_register(b);
}

static bool
crack_push(struct micro_ops *state, const struct x86_instruction *in, const char *name)
{
	const struct x86_operand *a = &in->operands[0];
	const int64_t size = in->isa.accesses[0].size ? in->isa.accesses[0].size : 8;
	(void)name;
	if (in->count != 1)
		return false;
	if (is_memory(a))
		add_load(state, a, TEMP, TEMP);
	struct op *op = add(state, "STORE", is_memory(a) ? TEMP : a->number, RSP, NONE);
	op->access = POLY_ACCESS_WRITE;
	op->immediate = -size;
	add(state, "SUB_IMM", RSP, NONE, RSP)->immediate = size;
	return true;
}

static bool
crack_pop(struct micro_ops *state, const struct x86_instruction *in, const char *name)
{
	const struct x86_operand *a = &in->operands[0];
	const int64_t size = in->isa.accesses[0].size ? in->isa.accesses[0].size : 8;
	(void)name;
	add(state, "LOAD", NONE, RSP, a->number)->access = POLY_ACCESS_READ;
	add(state, "ADD_IMM", RSP, NONE, RSP)->immediate = size;
	return in->count == 1 && is_register(a);
}

static bool
crack_lea(struct micro_ops *state, const struct x86_instruction *in, const char *name)
{
	const struct x86_operand *a = &in->operands[0], *b = &in->operands[1];
	int base = b->base;
	(void)name;
	if (b->is_rip) {
		add(state, "SAVE_PC", NONE, NONE, TEMP);
		base = TEMP;
	}
	add(state, "LEA", b->index, base, a->number)->immediate = b->value;
	return in->count == 2 && is_register(a) && is_memory(b);
}

/* SETcc and CMOVcc. */
static bool
crack_set(struct micro_ops *state, const struct x86_instruction *in, const char *name)
{
	const struct x86_operand *a = &in->operands[0];
	(void)name;
	add(state, "ADD", NONE, NONE, a->number);
	add(state, "ADD_IMM", NONE, NONE, a->number)->flags = POLY_FLAGS_READ;
	return in->count == 1 && is_register(a);
}

static bool
crack_conditional_move(
	struct micro_ops *state, const struct x86_instruction *in, const char *name)
{
	const struct x86_operand *a = &in->operands[0], *b = &in->operands[1];
	(void)name;
	if (is_memory(b))
		add_load(state, b, TEMP, TEMP);
	add(state, "ADD", is_memory(b) ? TEMP : b->number, NONE, a->number)->flags =
		POLY_FLAGS_READ;
	return in->count == 2 && is_register(a) && (is_memory(b) || is_register(b));
}

static bool
crack_multiply(struct micro_ops *state, const struct x86_instruction *in, const char *name)
{
	const struct x86_operand *a = &in->operands[0], *b = &in->operands[1];
	if (in->count == 1 && is_register(a)) {
		add(state, name, RAX, a->number, TEMP)->flags = POLY_FLAGS_WRITE;
		add(state, "ADD", TEMP, NONE, RAX);
		add(state, "UPPER_HALF", TEMP, NONE, RDX);
		return true;
	}
	if (in->count != 3 || !is_register(a) || !is_register(b))
		return false;
	struct op *op = add(state, "IMUL_T_IMM", b->number, NONE, a->number);
	op->flags = POLY_FLAGS_WRITE;
	op->immediate = in->operands[2].value;
	return true;
}

static bool
crack_nop(struct micro_ops *state, const struct x86_instruction *in, const char *name)
{
	(void)in;
	add(state, name, NONE, NONE, NONE);
	return true;
}

/* Adds the jump at the end of a branch: direct, by a register, or by memory through a
 * temporary. */
static void
add_jump(struct micro_ops *state, const struct x86_instruction *in, int by)
{
	const bool is_direct = !(in->isa.flow & ISA_INDIRECT);
	struct op *op = is_direct ? add(state, "JMP_IMM", NONE, NONE, NONE)
				  : add(state, "JMP_REG", by, NONE, NONE);
	op->is_branch = true;
	if (in->isa.flow & ISA_CONDITIONAL)
		op->flags = POLY_FLAGS_READ;
}

static bool
crack_jump(struct micro_ops *state, const struct x86_instruction *in, const char *name)
{
	const struct x86_operand *a = &in->operands[0];
	(void)name;
	if (is_memory(a))
		add_load(state, a, TEMP, TEMP);
	add_jump(state, in, is_memory(a) ? TEMP : a->number);
	return in->isa.flow & ISA_JUMPS;
}

static bool
crack_call(struct micro_ops *state, const struct x86_instruction *in, const char *name)
{
	const struct x86_operand *a = &in->operands[0];
	const struct isa_access *stack = &in->isa.accesses[in->isa.access_count - 1];
	const int64_t size = in->isa.access_count && stack->size ? stack->size : 8;
	(void)name;
	if (is_memory(a))
		add_load(state, a, TEMP2, TEMP2);
	add(state, "SAVE_PC", NONE, NONE, TEMP);
	add(state, "SUB_IMM", RSP, NONE, RSP)->immediate = size;
	add(state, "STORE", TEMP, RSP, NONE)->access = POLY_ACCESS_WRITE;
	add_jump(state, in, is_memory(a) ? TEMP2 : a->number);
	return true;
}

static bool
crack_return(struct micro_ops *state, const struct x86_instruction *in, const char *name)
{
	const int64_t size = in->isa.accesses[0].size ? in->isa.accesses[0].size : 8;
	(void)name;
	add(state, "LOAD", NONE, RSP, TEMP)->access = POLY_ACCESS_READ;
	add(state, "ADD_IMM", RSP, NONE, RSP)->immediate =
		size + (in->count ? in->operands[0].value : 0);
	add_jump(state, in, TEMP);
	return in->isa.flow & ISA_RETURNS;
}

/* The rules by mnemonic, with the name of the micro-operation and of the instruction. */
static const struct {
	const char *mnemonic, *name, *macro;
	rule *crack;
} rules[] = {
	{.mnemonic = "mov", .name = "", .macro = "MOV", .crack = crack_move},
	{.mnemonic = "movabs", .name = "", .macro = "MOV", .crack = crack_move},
	{.mnemonic = "add", .name = "ADD", .macro = "ADD", .crack = crack_arithmetic},
	{.mnemonic = "sub", .name = "SUB", .macro = "SUB", .crack = crack_arithmetic},
	{.mnemonic = "and", .name = "AND", .macro = "AND", .crack = crack_arithmetic},
	{.mnemonic = "or", .name = "OR", .macro = "OR", .crack = crack_arithmetic},
	{.mnemonic = "xor", .name = "XOR", .macro = "XOR", .crack = crack_arithmetic},
	{.mnemonic = "shl", .name = "SHL", .macro = "SHL", .crack = crack_arithmetic},
	{.mnemonic = "sal", .name = "SHL", .macro = "SHL", .crack = crack_arithmetic},
	{.mnemonic = "shr", .name = "SHR", .macro = "SHR", .crack = crack_arithmetic},
	{.mnemonic = "sar", .name = "SAR", .macro = "SAR", .crack = crack_arithmetic},
	{.mnemonic = "cmp", .name = "SUB", .macro = "CMP", .crack = crack_compare},
	{.mnemonic = "test", .name = "AND", .macro = "TEST", .crack = crack_compare},
	{.mnemonic = "inc", .name = "ADD_IMM", .macro = "INC", .crack = crack_single},
	{.mnemonic = "dec", .name = "SUB_IMM", .macro = "DEC", .crack = crack_single},
	{.mnemonic = "not", .name = "NOT", .macro = "NOT", .crack = crack_single},
	{.mnemonic = "movzx", .name = "ZEXT", .macro = "MOVZX", .crack = crack_extension},
	{.mnemonic = "movsx", .name = "SEXT", .macro = "MOVSX", .crack = crack_extension},
	{.mnemonic = "movsxd", .name = "SEXT", .macro = "MOVSX", .crack = crack_extension},
	{.mnemonic = "push", .name = "", .macro = "PUSH", .crack = crack_push},
	{.mnemonic = "pop", .name = "", .macro = "POP", .crack = crack_pop},
	{.mnemonic = "lea", .name = "", .macro = "LEA", .crack = crack_lea},
	{.mnemonic = "mul", .name = "MUL", .macro = "MUL", .crack = crack_multiply},
	{.mnemonic = "imul", .name = "MUL", .macro = "IMUL", .crack = crack_multiply},
	{.mnemonic = "nop", .name = "NOP", .macro = "NOP", .crack = crack_nop},
	{.mnemonic = "endbr64", .name = "NOP", .macro = "NOP", .crack = crack_nop},
	{.mnemonic = "endbr32", .name = "NOP", .macro = "NOP", .crack = crack_nop},
	{.mnemonic = "jmp", .name = "", .macro = "JMP", .crack = crack_jump},
	{.mnemonic = "call", .name = "", .macro = "CALL", .crack = crack_call},
	{.mnemonic = "ret", .name = "", .macro = "RET", .crack = crack_return},
};

/* Finds the rule of an instruction, and its name; NULL: there is none. */
static rule *
find_rule(const struct x86_instruction *in, const char **name, char macro[MACRO_MAX])
{
	const char *mnemonic = in->isa.mnemonic;
	*name = "";
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		if (strcmp(rules[i].mnemonic, mnemonic) != 0)
			continue;
		snprintf(macro, MACRO_MAX, "%s", rules[i].macro);
		*name = rules[i].name;
		return in->has_prefix && !(in->isa.flow & ISA_JUMPS) ? NULL : rules[i].crack;
	}
	size_t n = 0;
	for (; mnemonic[n] && n < MACRO_MAX - 1; n++) {
		const char c = mnemonic[n];
		macro[n] = c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
	}
	macro[n] = 0;
	const bool is_jump = *mnemonic == 'j' && in->isa.flow & ISA_CONDITIONAL;
	const bool reads_flags = in->isa.reads.bits[0] >> FLAGS & 1;
	if (is_jump && reads_flags) {
		memcpy(macro, "J", sizeof "J");
		return crack_jump;
	}
	if (strncmp(mnemonic, "set", 3) == 0 && reads_flags) {
		memcpy(macro, "SET", sizeof "SET");
		return crack_set;
	}
	if (strncmp(mnemonic, "cmov", 4) == 0) {
		memcpy(macro, "CMOV", sizeof "CMOV");
		return crack_conditional_move;
	}
	return NULL;
}

/* Returns the n-th general register of a set from 0; NONE: there are fewer. */
static int
register_at(const struct isa_registers *set, unsigned n)
{
	for (int i = 0; i < GENERAL; i++) {
		if (set->bits[0] >> i & 1 && n-- == 0)
			return i;
	}
	return NONE;
}

/* Cracks an instruction that no rule covers. */
static void
crack_generic(struct micro_ops *state, const char *macro)
{
	const struct open_instruction *open = &state->open;
	const struct x86_instruction *in = open->decoded;
	const struct isa_instruction none = {.cls = ISA_UNKNOWN};
	const struct isa_instruction *isa = in ? &in->isa : &none;
	const struct isa_access *access = isa->access_count ? &isa->accesses[0] : NULL;
	const int base = access && access->base < GENERAL ? access->base : NONE;
	char name[MICRO_MAX];
	state->count = 0;
	for (unsigned i = 0; i < open->reads; i++)
		add(state, "LOAD", NONE, base, TEMP + (int)(i & 1))->access = POLY_ACCESS_READ;
	snprintf(name, sizeof name, "%s_%s",
		isa->cls == ISA_FLOAT || isa->cls == ISA_VECTOR ? "FP" : "GEN", macro);
	const int src1 = open->reads ? TEMP : register_at(&isa->reads, 0),
		  src2 = open->reads > 1 ? TEMP2 : register_at(&isa->reads, !open->reads),
		  dest = open->writes ? TEMP : register_at(&isa->writes, 0);
	struct op *op = add(state, name, src1, src2, dest);
	if (isa->writes.bits[0] >> FLAGS & 1)
		op->flags = POLY_FLAGS_WRITE;
	else if (isa->reads.bits[0] >> FLAGS & 1)
		op->flags = POLY_FLAGS_READ;
	for (unsigned i = 0; i < open->writes; i++)
		add(state, "STORE", TEMP, base, NONE)->access = POLY_ACCESS_WRITE;
	if (isa->flow & ISA_JUMPS)
		add_jump(state, in, TEMP);
	if (!in || !in->repeats)
		return;
	/* Each iteration is an instruction, which branches to itself. */
	op = add(state, "GEN_REP", RCX, NONE, NONE);
	op->is_branch = true;
	op->flags = POLY_FLAGS_READ;
}

/* Returns whether the numbers of loads and stores are those of the accesses. */
static bool
has_accesses(const struct micro_ops *state)
{
	unsigned loads = 0, stores = 0;
	for (unsigned i = 0; i < state->count; i++) {
		loads += state->ops[i].access == POLY_ACCESS_READ;
		stores += state->ops[i].access == POLY_ACCESS_WRITE;
	}
	return loads == state->open.reads && stores == state->open.writes;
}

/* Adds the row of a micro-operation; false: out of memory. */
static bool
add_row(struct effects *effects, const struct op *op, unsigned index, uint32_t macro)
{
	struct micro_ops *state = effects->state;
	const struct open_instruction *open = &state->open;
	const uint32_t name = info_name(&effects->info, op->name, strlen(op->name));
	const size_t row = effects_add_row(effects, open->number, POLY_KIND_INSTRUCTION);
	struct batch *rows = effects_rows(effects);
	batch_put(rows, pc, row, open->pc);
	batch_put(rows, fallthrough, row, open->pc + open->size);
	batch_put(rows, uop_index, row, (uint8_t)(index + 1));
	batch_put(rows, mnemonic, row, macro);
	batch_put(rows, uop_name, row, name);
	if (op->src1 != NONE)
		batch_put(rows, src1, row, (uint8_t)op->src1);
	if (op->src2 != NONE)
		batch_put(rows, src2, row, (uint8_t)op->src2);
	if (op->dest != NONE)
		batch_put(rows, dest, row, (uint8_t)op->dest);
	batch_put(rows, flags, row, op->flags);
	batch_put(rows, immediate, row, op->immediate);
	if (op->access >= 0)
		batch_put(rows, access, row, (uint8_t)op->access);
	return name != INTERN_FAILED;
}

/* Sets outcome and target of the branch in the last row. */
static void
put_branch(struct effects *effects, const struct op *op, const uint64_t *next)
{
	const struct micro_ops *state = effects->state;
	const struct open_instruction *open = &state->open;
	struct batch *rows = effects_rows(effects);
	const size_t row = rows->view.rows - 1;
	const uint64_t fallthrough = open->pc + open->size;
	uint64_t target = next ? *next : 0;
	const bool is_direct = isa_target(&open->decoded->isa, open->pc, &target);
	if (open->decoded->repeats)
		target = open->pc;
	const bool is_taken = op->flags != POLY_FLAGS_READ ||
			      (next && *next == target && *next != fallthrough);
	batch_put(rows, branch, row, is_taken ? POLY_BRANCH_TAKEN : POLY_BRANCH_NOT_TAKEN);
	batch_put(rows, target, row, target);
	if (is_direct)
		batch_put(rows, immediate, row, (int64_t)(target - fallthrough));
}

/* Adds the rows of the open instruction, whose successor is known; NULL: it is the last one. */
static bool
close_instruction(struct effects *effects, const uint64_t *next)
{
	struct micro_ops *state = effects->state;
	struct open_instruction *open = &state->open;
	char macro[MACRO_MAX] = "UNKNOWN";
	const char *name = "";
	if (!open->is_open)
		return true;
	open->is_open = false;
	state->count = 0;
	rule *crack = open->decoded ? find_rule(open->decoded, &name, macro) : NULL;
	if (!crack || !crack(state, open->decoded, name) || !has_accesses(state)) {
		crack_generic(state, macro);
		effects_note(effects, "instructions cracked generically, as GEN_ and FP_");
	}
	const unsigned flow = open->decoded ? open->decoded->isa.flow : 0;
	if (!next && flow & (ISA_CONDITIONAL | ISA_INDIRECT)) {
		effects_note(effects, "last branch dropped: its next address is unknown");
		return true;
	}
	const uint32_t macro_name = info_name(&effects->info, macro, strlen(macro));
	if (macro_name == INTERN_FAILED)
		return false;
	unsigned reads = 0, writes = 0;
	for (unsigned i = 0; i < state->count; i++) {
		const struct op *op = &state->ops[i];
		if (!add_row(effects, op, i, macro_name))
			return false;
		struct batch *rows = effects_rows(effects);
		const size_t row = rows->view.rows - 1;
		if (op->access == POLY_ACCESS_READ)
			batch_put(rows, address, row, open->read[reads++]);
		else if (op->access == POLY_ACCESS_WRITE)
			batch_put(rows, address, row, open->written[writes++]);
		if (op->is_branch)
			put_branch(effects, op, next);
	}
	return true;
}

/* Returns the instruction of an encoding; NULL: it is none. *good: not out of memory. */
static const struct x86_instruction *
decode(struct micro_ops *state, const uint8_t *bytes, size_t n, bool *good)
{
	uint64_t value = 0;
	bool added = false;
	for (size_t i = 0; i < n && i < 8; i++)
		value = value << 8 | bytes[i];
	uint64_t *index = NULL;
	if (n <= 8 && state->known_count < KNOWN_MAX) {
		const uint64_t key = map_pair(&state->by_encoding, value, n);
		index = map_get(&state->by_encoding, key, state->known_count, &added);
		*good = index &&
			VEC_ROOM(state->known, state->known_capacity, state->known_count);
		if (!*good)
			return NULL;
	}
	struct x86_instruction *found = index ? &state->known[*index] : &state->longer;
	if (added)
		state->known_count++;
	if (!index || added)
		x86_instruction_decode(state->decoder, bytes, n, found);
	return found->isa.length == n ? found : NULL;
}

/* Opens an instruction, whose accesses follow; false: out of memory. */
static bool
open_instruction(struct effects *effects, size_t row)
{
	struct micro_ops *state = effects->state;
	struct open_instruction *open = &state->open;
	const struct poly_batch *batch = effects->batch;
	uint8_t bytes[8];
	bool good = true;
	size_t n = batch->opcode_size[row];
	const uint8_t *encoding = bytes;
	if (n <= sizeof bytes) {
		for (size_t i = 0; i < n; i++)
			bytes[i] = (uint8_t)(batch->opcode[row] >> 8 * (n - 1 - i));
	} else {
		encoding = poly_batch_bytes(batch, POLY_COLUMN_payload, row, &n);
	}
	open->is_open = true;
	open->number = poly_batch_number(batch, row);
	open->pc = batch->pc[row];
	open->size = (unsigned)n;
	open->decoded = decode(state, encoding, n, &good);
	open->reads = open->writes = 0;
	return good;
}

static void
add_access(struct effects *effects, size_t row)
{
	struct micro_ops *state = effects->state;
	struct open_instruction *open = &state->open;
	const struct poly_batch *batch = effects->batch;
	const unsigned access = poly_present(batch, POLY_COLUMN_access, row)
					? batch->access[row]
					: POLY_ACCESS_COUNT;
	if (!open->is_open || !poly_present(batch, POLY_COLUMN_address, row))
		effects_note(effects, "accesses dropped that are not an instruction's own");
	else if (access == POLY_ACCESS_READ && open->reads < ACCESSES_MAX)
		open->read[open->reads++] = batch->address[row];
	else if (access == POLY_ACCESS_WRITE && open->writes < ACCESSES_MAX)
		open->written[open->writes++] = batch->address[row];
	else if (access != POLY_ACCESS_FETCH)
		effects_note(effects, "prefetches, and accesses beyond 120 of one instruction, "
				      "dropped");
}

/* Returns whether a row has an address and an encoding. */
static bool
has_encoding(const struct poly_batch *batch, size_t row)
{
	return poly_present(batch, POLY_COLUMN_pc, row) &&
	       poly_present(batch, POLY_COLUMN_opcode_size, row) && batch->opcode_size[row] &&
	       poly_present(batch,
		       batch->opcode_size[row] <= 8 ? POLY_COLUMN_opcode : POLY_COLUMN_payload,
		       row);
}

static bool
micro_ops_row(struct effects *effects, size_t row)
{
	const struct poly_batch *batch = effects->batch;
	const unsigned kind =
		poly_present(batch, POLY_COLUMN_kind, row) ? batch->kind[row] : POLY_KIND_OTHER;
	if (kind == POLY_KIND_ACCESS) {
		add_access(effects, row);
		return true;
	}
	if (kind != POLY_KIND_INSTRUCTION) {
		effects_note(effects, "records dropped that are neither instructions nor "
				      "accesses");
		return true;
	}
	if (!has_encoding(batch, row)) {
		effects_note(
			effects, "instructions dropped that have no address or no encoding");
		return close_instruction(effects, NULL);
	}
	return close_instruction(effects, &batch->pc[row]) && open_instruction(effects, row);
}

static bool
micro_ops_finish(struct effects *effects)
{
	return close_instruction(effects, NULL);
}

bool
micro_ops_new(struct effects *effects)
{
	struct micro_ops *state = mem_new(1, sizeof *state);
	effects->state = state;
	struct isa_decoder *decoder;
	if (!state || isa_open(effects->source->isa, &decoder, NULL) != POLY_OK)
		return false;
	state->decoder = decoder;
	return true;
}

static void
micro_ops_free(void *opaque)
{
	struct micro_ops *state = opaque;
	if (!state)
		return;
	isa_close(state->decoder);
	map_free(&state->by_encoding);
	mem_free(state->known);
	mem_free(state);
}

const struct effects_way effects_micro_ops = {micro_ops_row, micro_ops_finish, micro_ops_free};
