/* SPDX-License-Identifier: MIT */
/* Builds the synthetic program and executes it. */
#include "program.h"

#include <string.h>

#define LEVELS 6 /* a function calls only functions of higher levels */
#define BLOCKS_MAX 24
#define BLOCK_MAX 8
#define SAVED_MAX 5
#define INSTRUCTIONS_MAX \
	(PROGRAM_FUNCTIONS * (BLOCKS_MAX * (BLOCK_MAX + 1) + 2 * SAVED_MAX + 1))
#define DEPTH_MAX (LEVELS + 2)
#define CODE 0x401000u
#define GLOBALS 0xa00000u
#define HEAP 0x2480000u
#define VECTORS 0x7f31c0000000u
#define STACK 0x7ffd2a40u
#define PHASE 40000 /* steps per phase, which uses few of the functions */
#define PHASE_FUNCTIONS 12

enum { PUSH, POP, CALL, RET, JUMP, BRANCH, OTHERS };

/* Cracked into micro-operations as in published traces of Penn CIS 501. */
/* clang-format off */
static const struct insn_kind kinds[] = {
	[PUSH] = {"PUSH", "push {@a}", 0, 1, 2, 's', '-',
		{{"STORE", "as-", '-', 'S', 'm'}, {"SUB_IMM", "s-s", '-', '-', '8'}}},
	[POP] = {"POP", "pop {@a}", 0, 1, 2, 's', 'a',
		{{"LOAD", "-sa", '-', 'L', '0'}, {"ADD_IMM", "s-s", '-', '-', '8'}}},
	[CALL] = {"CALL", "bl #@t", 0, 5, 5, 's', '-',
		{{"SAVE_PC", "--t", '-', '-', '0'}, {"SUB_IMM", "s-s", '-', '-', '8'},
		 {"STORE", "ts-", '-', 'S', '0'}, {"JMP_IMM", "---", '-', '-', 'j'}}},
	[RET] = {"RET", "bx lr", 0, 1, 2, 's', '-',
		{{"LOAD", "-st", '-', 'L', '0'}, {"ADD_IMM", "s-s", '-', '-', '8'},
		 {"JMP_REG", "t--", '-', '-', '0'}}},
	[JUMP] = {"JMP", "b #@t", 0, 2, 5, '-', '-', {{"JMP_IMM", "---", '-', '-', 'j'}}},
	[BRANCH] = {"J", "bne #@t", 0, 2, 6, '-', '-', {{"JMP_IMM", "---", 'R', '-', 'j'}}},
	{"MOV", "mov @a, @b", 80, 2, 3, '-', 'a', {{"ADD", "b-a", '-', '-', '0'}}},
	{"MOV", "mov @a, #@c", 50, 5, 5, '-', 'a', {{"ADD_IMM", "--a", '-', '-', 'c'}}},
	{"MOV", "ldr @a, [@b, #@c]", 190, 3, 7, 'd', 'a', {{"LOAD", "-ba", '-', 'L', 'c'}}},
	{"MOV", "str @a, [@b, #@c]", 80, 3, 7, 'd', '-', {{"STORE", "ab-", '-', 'S', 'c'}}},
	{"MOV", "ldr @a, =#@c", 30, 7, 7, 'g', 'a',
		{{"SAVE_PC", "--t", '-', '-', '0'}, {"LOAD", "-ta", '-', 'L', 'r'}}},
	{"CMP", "cmp @a, #@c", 90, 3, 6, '-', 'f', {{"SUB_IMM", "a-t", 'W', '-', 'c'}}},
	{"CMP", "cmp @a, @b", 50, 2, 3, '-', 'f', {{"SUB", "abt", 'W', '-', '0'}}},
	{"CMP", "ldrb @a, [@b, #@c]", 40, 4, 8, 'd', 'f',
		{{"LOAD", "-bu", '-', 'L', 'c'}, {"SUB_IMM", "u-t", 'W', '-', '8'}}},
	{"TEST", "tst @a, @b", 60, 2, 3, '-', 'f', {{"AND", "aat", 'W', '-', '0'}}},
	{"ADD", "add @a, @b", 30, 2, 3, '-', 'a', {{"ADD", "aba", 'W', '-', '0'}}},
	{"ADD", "add @a, @a, #@c", 40, 3, 4, '-', 'a', {{"ADD_IMM", "a-a", 'W', '-', 'c'}}},
	{"ADD", "ldr @a, [@b, #@c]", 16, 4, 7, 'd', 'a',
		{{"LOAD", "-bt", '-', 'L', 'c'}, {"ADD", "ata", 'W', '-', '0'}}},
	{"ADD", "str @a, [@b, #@c]", 12, 4, 8, 'd', 'f',
		{{"LOAD", "-bu", '-', 'L', 'c'}, {"ADD_IMM", "u-t", 'W', '-', '8'},
		 {"STORE", "tb-", '-', 'S', 'c'}}},
	{"SUB", "sub @a, @b", 14, 2, 3, '-', 'a', {{"SUB", "aba", 'W', '-', '0'}}},
	{"SUB", "subs @a, @a, #@c", 14, 3, 7, '-', 'a', {{"SUB_IMM", "a-a", 'W', '-', 'c'}}},
	{"AND", "and @a, @a, #@c", 16, 3, 6, '-', 'a', {{"AND_IMM", "a-a", 'W', '-', 'c'}}},
	{"OR", "orr @a, @b", 6, 2, 3, '-', 'a', {{"OR", "aba", 'W', '-', '0'}}},
	{"XOR", "eor @a, @a, @a", 24, 2, 3, '-', 'a', {{"ADD", "--a", '-', '-', '0'}}},
	{"LEA", "add @a, @b, #@c", 40, 3, 8, '-', 'a', {{"LEA", "-ba", '-', '-', 'c'}}},
	{"SHL", "lsl @a, @a, #@c", 10, 3, 4, '-', 'a', {{"SHL_IMM", "a-a", 'W', '-', 'c'}}},
	{"SHR", "lsr @a, @a, #@c", 8, 3, 4, '-', 'a', {{"SHR_IMM", "a-a", 'W', '-', 'c'}}},
	{"MOVZX", "ldrh @a, [@b, #@c]", 30, 4, 8, 'd', 'a',
		{{"LOAD", "-bt", '-', 'L', 'c'}, {"ZEXT_WORD_TO_DWORD", "t-a", '-', '-', '0'}}},
	{"MOVZX", "uxtb @a, @b", 10, 3, 4, '-', 'a', {{"ZEXT_BYTE_TO_DWORD", "b-a", '-', '-', '0'}}},
	{"MOVSX", "sxtw @a, @b", 8, 3, 4, '-', 'a', {{"SEXT_DWORD_TO_QWORD", "b-a", '-', '-', '0'}}},
	{"SET", "cset @a, ne", 6, 3, 4, '-', 'a',
		{{"ADD", "--a", '-', '-', '0'}, {"ADD_IMM", "a-a", 'R', '-', '8'}}},
	{"CMOV", "csel @a, @a, @b, eq", 10, 3, 4, '-', 'a', {{"ADD", "baa", 'R', '-', '0'}}},
	{"NOP", "nop", 14, 1, 9, '-', '-', {{"NOP", "---", '-', '-', '0'}}},
};
/* clang-format on */
#define KINDS (sizeof kinds / sizeof *kinds)

static struct instruction instructions[INSTRUCTIONS_MAX];
static uint32_t count;
static uint32_t functions;
static uint32_t starts[PROGRAM_FUNCTIONS]; /* numbers of their first instructions */

/* State of the execution. */
static struct {
	uint32_t at; /* number of the next instruction */
	uint32_t returns[DEPTH_MAX], depth;
	uint64_t stack, registers[16];
} machine;

static uint64_t state = 88172645463325252u;

static uint32_t
random_below(uint32_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)((state >> 32) % n);
}

/* Returns a random number below n; small numbers are more likely. */
static uint32_t
small_below(uint32_t n)
{
	return random_below(1 + random_below(1 + random_below(n)));
}

static uint64_t
scramble(uint64_t v)
{
	v = (v ^ v >> 29) * 0xbf58476d1ce4e5b9u;
	return v ^ v >> 32;
}

/* Chooses the data of a new instruction. */
static void
choose_data(struct instruction *insn)
{
	uint32_t dice = random_below(100);
	insn->region = insn->kind->region;
	if (insn->region == 'd')
		insn->region = dice < 45 ? 'f' : dice < 90 ? 'h' : 'v';
	insn->span = 8;
	if (insn->region == 'f')
		insn->b = PROGRAM_STACK_POINTER;
	else if (insn->region == 'g')
		insn->base = GLOBALS + 8 * random_below(30000);
	if (insn->region == 'h') {
		insn->base = HEAP + 16 * small_below(400000);
		insn->span = 1 + small_below(100);
	} else if (insn->region == 'v') {
		insn->base = VECTORS + 64 * random_below(1u << 20);
		insn->stride = 1u << random_below(4);
		insn->span = 256u << random_below(10);
	}
}

static struct instruction *
add_instruction(const struct insn_kind *kind)
{
	struct instruction *insn = &instructions[count];
	*insn = (struct instruction){.kind = kind, .pc = CODE};
	if (count)
		insn->pc = insn[-1].pc + insn[-1].size;
	count++;
	insn->size =
		(uint8_t)(kind->size_min + random_below(kind->size_max - kind->size_min + 1u));
	insn->a = (uint8_t)(random_below(4) ? small_below(8) : random_below(16));
	insn->b = (uint8_t)random_below(16);
	insn->a = insn->a == PROGRAM_STACK_POINTER ? 0 : insn->a;
	insn->b = insn->b == PROGRAM_STACK_POINTER ? 3 : insn->b;
	insn->immediate = (int32_t)(8 * small_below(40));
	if (kind->region == '-' && random_below(4) == 0)
		insn->immediate = (int32_t)random_below(4000) - 1000;
	choose_data(insn);
	return insn;
}

static const struct insn_kind *
any_kind(void)
{
	unsigned sum = 0;
	for (size_t i = OTHERS; i < KINDS; i++)
		sum += kinds[i].weight;
	uint32_t left = random_below(sum);
	size_t i = OTHERS;
	for (; left >= kinds[i].weight; i++)
		left -= kinds[i].weight;
	return &kinds[i];
}

/*
 * Adds the last instruction of a block. Targets are numbers of the function's n blocks, except
 * for calls.
 */
static void
add_ending(uint32_t level, uint32_t block, uint32_t n)
{
	static const uint16_t permilles[] = {1, 2, 5, 10, 30, 80, 300, 940, 990, 998};
	const uint32_t higher = (level + 1) * (functions / LEVELS);
	uint32_t dice = random_below(100);
	if (dice < 18 && higher < functions) {
		add_instruction(&kinds[CALL])->target =
			higher + small_below(functions - higher);
	} else if (dice < 23) {
		struct instruction *insn = add_instruction(&kinds[BRANCH]);
		bool itself = random_below(4) != 0 || block == 0;
		insn->target = itself ? block : block - 1;
		insn->permille = itself ? (uint16_t)(860 + random_below(60)) : 500;
	} else if (dice < 80) {
		struct instruction *insn = add_instruction(&kinds[BRANCH]);
		uint32_t target = block + 1 + random_below(4);
		insn->target = target < n ? target : n;
		insn->permille = permilles[random_below(10)];
	} else if (dice < 86) {
		add_instruction(&kinds[JUMP])->target = block + 1;
	}
}

static void
build_function(uint32_t f)
{
	uint32_t first[BLOCKS_MAX + 1], n = 2 + random_below(BLOCKS_MAX - 1);
	uint32_t saved = random_below(SAVED_MAX + 1);
	starts[f] = count;
	for (uint32_t i = 0; i < saved; i++)
		add_instruction(&kinds[PUSH]);
	for (uint32_t block = 0; block < n; block++) {
		first[block] = count;
		for (uint32_t i = 1 + random_below(BLOCK_MAX); i; i--)
			add_instruction(any_kind());
		add_ending(f / (functions / LEVELS), block, n);
	}
	first[n] = count;
	for (uint32_t i = 0; i < saved; i++)
		add_instruction(&kinds[POP])->a = instructions[starts[f] + saved - 1 - i].a;
	add_instruction(&kinds[RET]);
	for (uint32_t i = starts[f]; i < count; i++) {
		if (instructions[i].kind == &kinds[BRANCH] ||
			instructions[i].kind == &kinds[JUMP])
			instructions[i].target = first[instructions[i].target];
	}
}

void
program_build(uint32_t size)
{
	functions = size;
	/* The main loop: a call to a function of the phase, and a jump back. */
	add_instruction(&kinds[CALL]);
	add_instruction(&kinds[JUMP])->target = 0;
	for (uint32_t f = 0; f < functions; f++)
		build_function(f);
	for (uint32_t i = 1; i < count; i++) {
		if (instructions[i].kind == &kinds[CALL])
			instructions[i].target = starts[instructions[i].target];
	}
	machine.stack = STACK;
}

uint64_t
program_pc(uint32_t number)
{
	return instructions[number].pc;
}

/* Returns the address of an instruction's data, before it changes the stack pointer. */
static uint64_t
data_address(struct instruction *insn)
{
	bool pops = insn->kind == &kinds[POP] || insn->kind == &kinds[RET];
	switch (insn->region) {
	case 's': return pops ? machine.stack : machine.stack - 8;
	case 'f': return machine.stack + (uint64_t)insn->immediate;
	case 'g': return insn->base;
	case 'h':
		return insn->base + 64 * small_below(insn->span) +
		       ((uint64_t)insn->immediate & 56);
	case 'v':
		insn->at = (insn->at + insn->stride) % insn->span;
		return insn->base + insn->at;
	default: return 0;
	}
}

static char
access_of(const struct insn_kind *kind)
{
	bool load = false, store = false;
	for (size_t i = 0; i < KIND_MICROS && kind->micros[i].name; i++) {
		load |= kind->micros[i].access == 'L';
		store |= kind->micros[i].access == 'S';
	}
	return load && store ? 'M' : load ? 'L' : store ? 'S' : '-';
}

static uint64_t
new_value(const struct instruction *insn, uint64_t address)
{
	const uint64_t *registers = machine.registers;
	if (insn->kind->writes != 'a')
		return insn->kind->writes == 'f' ? 0x80000010u | scramble(insn->pc) << 28
						 : registers[insn->a];
	if (address)
		return scramble(address) & (address & 8 ? 0xffff : 0xff);
	return registers[insn->b] + (uint64_t)insn->immediate;
}

/* Executes a branch: its target, and the stack of return addresses. */
static void
execute_branch(struct insn_step *step)
{
	const struct insn_kind *kind = step->insn->kind;
	const uint64_t phase = step->time / PHASE;
	step->taken = true;
	step->target = step->insn->target;
	if (kind == &kinds[BRANCH]) {
		step->taken = random_below(1000) < step->insn->permille;
	} else if (kind == &kinds[CALL]) {
		if (step->number == 0)
			step->target = starts[(scramble(phase * PHASE_FUNCTIONS +
							small_below(PHASE_FUNCTIONS)) >>
						      8) %
					      (functions / LEVELS)];
		machine.returns[machine.depth++] = step->number + 1;
	} else if (kind == &kinds[RET]) {
		step->target = machine.returns[--machine.depth];
	}
	machine.at = step->taken ? step->target : step->number + 1;
}

void
program_step(struct insn_step *step)
{
	static uint64_t steps;
	struct instruction *insn = &instructions[machine.at];
	const struct insn_kind *kind = insn->kind;
	*step = (struct insn_step){.time = steps++, .insn = insn, .number = machine.at};
	step->branches = kind == &kinds[CALL] || kind == &kinds[RET] || kind == &kinds[JUMP] ||
			 kind == &kinds[BRANCH];
	step->address = data_address(insn);
	step->access = access_of(kind);
	step->value = new_value(insn, step->address);
	if (kind->writes == 'a')
		machine.registers[insn->a] = step->value;
	if (kind == &kinds[PUSH] || kind == &kinds[CALL])
		machine.stack -= 8;
	else if (kind == &kinds[POP] || kind == &kinds[RET])
		machine.stack += 8;
	machine.at++;
	if (step->branches)
		execute_branch(step);
}
