/* SPDX-License-Identifier: MIT */
/* Making the synthetic program and executing it. */
#include "program.h"

#include <string.h>

#define LEVELS 6 /* a function calls those of higher levels only */
#define BLOCKS_MOST 24
#define BLOCK_MOST 8
#define SAVED_MOST 5
#define INSTRUCTIONS_MOST \
	(PROGRAM_FUNCTIONS * (BLOCKS_MOST * (BLOCK_MOST + 1) + 2 * SAVED_MOST + 1))
#define DEPTH_MOST (LEVELS + 2)
#define CODE 0x401000u
#define GLOBALS 0xa00000u
#define HEAP 0x2480000u
#define VECTORS 0x7f31c0000000u
#define STACK 0x7ffd2a40u
#define PHASE 40000 /* steps that are spent in few of the functions */
#define PHASE_FUNCTIONS 12

enum { PUSH, POP, CALL, RET, JUMP, BRANCH, OTHERS };

/* Cracked into micro-operations as in reference cis501 2.3. */
/* clang-format off */
static const struct shape shapes[] = {
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
#define SHAPES (sizeof shapes / sizeof *shapes)

static struct instruction instructions[INSTRUCTIONS_MOST];
static uint32_t count;
static uint32_t functions;
static uint32_t starts[PROGRAM_FUNCTIONS]; /* numbers of their first instructions */

/* What runs. */
static struct {
	uint32_t at; /* number of the next instruction */
	uint32_t returns[DEPTH_MOST], depth;
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

/* A number below n, most often a small one. */
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

/* Where the data of a new instruction are. */
static void
place_data(struct instruction *it)
{
	uint32_t dice = random_below(100);
	it->place = it->shape->place;
	if (it->place == 'd')
		it->place = dice < 45 ? 'f' : dice < 90 ? 'h' : 'v';
	it->span = 8;
	if (it->place == 'f')
		it->b = PROGRAM_STACK_POINTER;
	else if (it->place == 'g')
		it->base = GLOBALS + 8 * random_below(30000);
	if (it->place == 'h') {
		it->base = HEAP + 16 * small_below(400000);
		it->span = 1 + small_below(100);
	} else if (it->place == 'v') {
		it->base = VECTORS + 64 * random_below(1u << 20);
		it->stride = 1u << random_below(4);
		it->span = 256u << random_below(10);
	}
}

static struct instruction *
add(const struct shape *shape)
{
	struct instruction *it = &instructions[count];
	*it = (struct instruction){.shape = shape, .pc = CODE};
	if (count)
		it->pc = it[-1].pc + it[-1].size;
	count++;
	it->size = (uint8_t)(shape->least + random_below(shape->most - shape->least + 1u));
	it->a = (uint8_t)(random_below(4) ? small_below(8) : random_below(16));
	it->b = (uint8_t)random_below(16);
	it->a = it->a == PROGRAM_STACK_POINTER ? 0 : it->a;
	it->b = it->b == PROGRAM_STACK_POINTER ? 3 : it->b;
	it->immediate = (int32_t)(8 * small_below(40));
	if (shape->place == '-' && random_below(4) == 0)
		it->immediate = (int32_t)random_below(4000) - 1000;
	place_data(it);
	return it;
}

static const struct shape *
any_shape(void)
{
	unsigned sum = 0;
	for (size_t i = OTHERS; i < SHAPES; i++)
		sum += shapes[i].weight;
	uint32_t left = random_below(sum);
	size_t i = OTHERS;
	for (; left >= shapes[i].weight; i++)
		left -= shapes[i].weight;
	return &shapes[i];
}

/* How a block of a function's n ends; targets are numbers of its blocks, but those of calls. */
static void
add_ending(uint32_t level, uint32_t block, uint32_t n)
{
	static const uint16_t permilles[] = {1, 2, 5, 10, 30, 80, 300, 940, 990, 998};
	const uint32_t higher = (level + 1) * (functions / LEVELS);
	uint32_t dice = random_below(100);
	if (dice < 18 && higher < functions) {
		add(&shapes[CALL])->target = higher + small_below(functions - higher);
	} else if (dice < 23) {
		struct instruction *it = add(&shapes[BRANCH]);
		bool itself = random_below(4) != 0 || block == 0;
		it->target = itself ? block : block - 1;
		it->permille = itself ? (uint16_t)(860 + random_below(60)) : 500;
	} else if (dice < 80) {
		struct instruction *it = add(&shapes[BRANCH]);
		uint32_t target = block + 1 + random_below(4);
		it->target = target < n ? target : n;
		it->permille = permilles[random_below(10)];
	} else if (dice < 86) {
		add(&shapes[JUMP])->target = block + 1;
	}
}

static void
make_function(uint32_t f)
{
	uint32_t first[BLOCKS_MOST + 1], n = 2 + random_below(BLOCKS_MOST - 1);
	uint32_t saved = random_below(SAVED_MOST + 1);
	starts[f] = count;
	for (uint32_t i = 0; i < saved; i++)
		add(&shapes[PUSH]);
	for (uint32_t block = 0; block < n; block++) {
		first[block] = count;
		for (uint32_t i = 1 + random_below(BLOCK_MOST); i; i--)
			add(any_shape());
		add_ending(f / (functions / LEVELS), block, n);
	}
	first[n] = count;
	for (uint32_t i = 0; i < saved; i++)
		add(&shapes[POP])->a = instructions[starts[f] + saved - 1 - i].a;
	add(&shapes[RET]);
	for (uint32_t i = starts[f]; i < count; i++) {
		if (instructions[i].shape == &shapes[BRANCH] ||
			instructions[i].shape == &shapes[JUMP])
			instructions[i].target = first[instructions[i].target];
	}
}

void
program_make(uint32_t size)
{
	functions = size;
	/* The main loop: a call to whatever the phase asks for, and back. */
	add(&shapes[CALL]);
	add(&shapes[JUMP])->target = 0;
	for (uint32_t f = 0; f < functions; f++)
		make_function(f);
	for (uint32_t i = 1; i < count; i++) {
		if (instructions[i].shape == &shapes[CALL])
			instructions[i].target = starts[instructions[i].target];
	}
	machine.stack = STACK;
}

uint64_t
program_pc(uint32_t number)
{
	return instructions[number].pc;
}

/* The address of an instruction's data, before the stack pointer moves for it. */
static uint64_t
data_address(struct instruction *it)
{
	bool pops = it->shape == &shapes[POP] || it->shape == &shapes[RET];
	switch (it->place) {
	case 's': return pops ? machine.stack : machine.stack - 8;
	case 'f': return machine.stack + (uint64_t)it->immediate;
	case 'g': return it->base;
	case 'h': return it->base + 64 * small_below(it->span) + ((uint64_t)it->immediate & 56);
	case 'v': it->at = (it->at + it->stride) % it->span; return it->base + it->at;
	default: return 0;
	}
}

static char
access_of(const struct shape *shape)
{
	bool load = false, store = false;
	for (size_t i = 0; i < SHAPE_MICROS && shape->micros[i].name; i++) {
		load |= shape->micros[i].access == 'L';
		store |= shape->micros[i].access == 'S';
	}
	return load && store ? 'M' : load ? 'L' : store ? 'S' : '-';
}

static uint64_t
new_value(const struct instruction *it, uint64_t address)
{
	const uint64_t *registers = machine.registers;
	if (it->shape->writes != 'a')
		return it->shape->writes == 'f' ? 0x80000010u | scramble(it->pc) << 28
						: registers[it->a];
	if (address)
		return scramble(address) & (address & 8 ? 0xffff : 0xff);
	return registers[it->b] + (uint64_t)it->immediate;
}

/* Where a branch goes, and what the stack becomes. */
static void
leave(struct step *step)
{
	const struct shape *shape = step->it->shape;
	const uint64_t phase = step->time / PHASE;
	step->taken = true;
	step->target = step->it->target;
	if (shape == &shapes[BRANCH]) {
		step->taken = random_below(1000) < step->it->permille;
	} else if (shape == &shapes[CALL]) {
		if (step->number == 0)
			step->target = starts[(scramble(phase * PHASE_FUNCTIONS +
							small_below(PHASE_FUNCTIONS)) >>
						      8) %
					      (functions / LEVELS)];
		machine.returns[machine.depth++] = step->number + 1;
	} else if (shape == &shapes[RET]) {
		step->target = machine.returns[--machine.depth];
	}
	machine.at = step->taken ? step->target : step->number + 1;
}

void
program_step(struct step *step)
{
	static uint64_t steps;
	struct instruction *it = &instructions[machine.at];
	const struct shape *shape = it->shape;
	*step = (struct step){.time = steps++, .it = it, .number = machine.at};
	step->branches = shape == &shapes[CALL] || shape == &shapes[RET] ||
			 shape == &shapes[JUMP] || shape == &shapes[BRANCH];
	step->address = data_address(it);
	step->access = access_of(shape);
	step->value = new_value(it, step->address);
	if (shape->writes == 'a')
		machine.registers[it->a] = step->value;
	if (shape == &shapes[PUSH] || shape == &shapes[CALL])
		machine.stack -= 8;
	else if (shape == &shapes[POP] || shape == &shapes[RET])
		machine.stack += 8;
	machine.at++;
	if (step->branches)
		leave(step);
}
