/* SPDX-License-Identifier: MIT */
/*
 * Generates traces of any length that resemble those of a program: functions of basic blocks,
 * loops of varying length, strided and scattered data. Same arguments, same bytes.
 *
 * usage: generate tt6|tt6e|bach RECORDS >FILE
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS 4096
#define BLOCK_MAX 14
#define CODE 0x10000000u
#define DATA 0x20000000u
#define STACK 0x7ff00000u

static uint64_t state = 88172645463325252u;

static uint32_t
random_below(uint32_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)((state >> 32) % n);
}

struct instruction {
	uint32_t opcode;
	uint8_t memory; /* 0 none, 1 load, 2 store, 3 dcbz */
	uint32_t base, stride, span, at;
};

struct code_block {
	uint32_t pc, count;
	struct instruction list[BLOCK_MAX];
	uint32_t taken_permille; /* of its final branch */
	uint32_t target;	 /* number of the target block */
};

static struct code_block blocks[BLOCKS];

static void
build_instruction(struct instruction *insn)
{
	static const uint32_t compute[] = {0x38630001, 0x7c631a14, 0x5463103a, 0x2c030000,
		0x7c0802a6, 0x60000000, 0x7c6321d6, 0x70640001};
	static const uint32_t loads[] = {0x80610008, 0x88640000, 0xa0650002, 0xc8210010};
	static const uint32_t stores[] = {0x90610008, 0x98640000, 0xb0650002, 0xd8210010};
	uint32_t dice = random_below(1000);
	memset(insn, 0, sizeof *insn);
	insn->opcode = compute[random_below(8)];
	if (dice >= 380)
		return;
	insn->memory = dice < 250 ? 1 : dice < 370 ? 2 : 3;
	insn->opcode = insn->memory == 1   ? loads[random_below(4)]
		       : insn->memory == 2 ? stores[random_below(4)]
					   : 0x7c0027ec;
	insn->stride = insn->memory == 3 ? 32 : random_below(3) ? 4 : 8 * random_below(40);
	insn->span = 64u << random_below(14);
	insn->base = random_below(3) ? DATA + (random_below(1u << 22) & ~7u)
				     : STACK - (random_below(4096) & ~7u);
}

static void
build_program(void)
{
	uint32_t pc = CODE;
	for (uint32_t b = 0; b < BLOCKS; b++) {
		struct code_block *block = &blocks[b];
		block->pc = pc;
		block->count = 1 + random_below(BLOCK_MAX - 1);
		for (uint32_t i = 0; i < block->count; i++)
			build_instruction(&block->list[i]);
		pc += 4 * (block->count + 1);
	}
	for (uint32_t b = 0; b < BLOCKS; b++) {
		uint32_t back = random_below(8), far = random_below(20) == 0;
		blocks[b].target = far ? random_below(BLOCKS) : b >= back ? b - back : b + 1;
		blocks[b].taken_permille = far ? 300 : 100 + random_below(800);
	}
}

static uint32_t
next_address(struct instruction *insn)
{
	uint32_t address = insn->base + insn->at;
	insn->at = (insn->at + insn->stride) % insn->span;
	return address;
}

static void
write_be32(uint32_t v)
{
	const uint8_t bytes[4] = {
		(uint8_t)(v >> 24), (uint8_t)(v >> 16), (uint8_t)(v >> 8), (uint8_t)v};
	fwrite(bytes, 4, 1, stdout);
}

static void
write_bach(uint32_t address, uint32_t size, uint8_t control)
{
	uint32_t lane = address & 7;
	uint32_t lanes = ((1u << size) - 1) << lane & 0xff;
	write_be32(address & ~7u);
	putchar((int)(~lanes & 0xff));
	putchar(control);
}

/* Writes one executed instruction. */
static void
write_instruction(int kind, uint32_t pc, struct instruction *insn)
{
	uint32_t address = insn->memory ? next_address(insn) : 0;
	if (kind == 'b') {
		write_bach(pc, 4, 0x90);
		if (insn->memory)
			write_bach(address, 4, insn->memory == 1 ? 0xd0 : 0xf0);
		return;
	}
	write_be32(insn->opcode);
	if (insn->memory && (insn->memory < 3 || kind == 'e'))
		write_be32(address);
}

static void
write_branch(int kind, uint32_t pc, uint32_t target, uint32_t next)
{
	if (kind == 'b') {
		write_bach(pc, 4, 0x90);
		return;
	}
	if (target - pc + 0x8000u < 0x10000u)
		write_be32(0x41820000u | ((target - pc) & 0xfffcu));
	else
		write_be32(next == target ? 0x48000000u | ((target - pc) & 0x3fffffcu)
					  : 0x4e800020u);
	write_be32(next);
}

int
main(int argc, char **argv)
{
	if (argc != 3 || !strchr("tb", argv[1][0])) {
		fprintf(stderr, "usage: generate tt6|tt6e|bach RECORDS >FILE\n");
		return 2;
	}
	int kind = argv[1][0] == 'b' ? 'b' : strcmp(argv[1], "tt6e") == 0 ? 'e' : 't';
	uint64_t records = strtoull(argv[2], NULL, 10), written = 0;
	uint32_t b = 0;
	build_program();
	if (kind != 'b')
		write_be32(CODE);
	while (written < records) {
		struct code_block *block = &blocks[b];
		for (uint32_t i = 0; i < block->count; i++)
			write_instruction(kind, block->pc + 4 * i, &block->list[i]);
		int taken = b + 1 == BLOCKS || random_below(1000) < block->taken_permille;
		uint32_t target = b + 1 == BLOCKS ? 0 : block->target;
		uint32_t following = taken ? target : b + 1;
		write_branch(kind, block->pc + 4 * block->count, blocks[target].pc,
			blocks[following].pc);
		written += block->count + 1;
		b = following;
	}
	return fflush(stdout) == 0 ? 0 : 1;
}
