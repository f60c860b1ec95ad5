/* SPDX-License-Identifier: MIT */
/*
 * Generates text traces of a synthetic program's execution. Same arguments, same bytes.
 *
 * usage: generate_text cis501|qemu4v|tarmac|lackey|din|hostile LINES >FILE
 */
#include "program.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARM_CODE 0x10000u

/* Returns the address of an instruction if all have four bytes. */
static uint32_t
arm_pc(uint32_t number)
{
	return ARM_CODE + 4 * number;
}

static uint32_t
arm_opcode(const struct insn_step *step)
{
	return 0xe0000000u | ((step->number * 2654435761u) >> 4 & 0x0fffffff);
}

static int
micro_register(const struct instruction *insn, char operand)
{
	switch (operand) {
	case 'a': return insn->a;
	case 'b': return insn->b;
	case 's': return PROGRAM_STACK_POINTER;
	case 't': return 44;
	case 'u': return 45;
	default: return -1;
	}
}

static int64_t
micro_immediate(const struct insn_step *step, const struct micro_op *micro)
{
	const uint64_t fallthrough = step->insn->pc + step->insn->size;
	switch (micro->immediate) {
	case 'c': return step->insn->immediate;
	case '8': return 8;
	case 'm': return -8;
	case 'j': return (int64_t)(program_pc(step->target) - fallthrough);
	case 'r': return (int64_t)(step->address - fallthrough);
	default: return 0;
	}
}

static unsigned
print_cis501(const struct insn_step *step)
{
	const struct instruction *insn = step->insn;
	const struct micro_op *micros = insn->kind->micros;
	unsigned n = 0;
	for (; n < KIND_MICROS && micros[n].name; n++) {
		const struct micro_op *micro = &micros[n];
		bool last = n + 1 == KIND_MICROS || !micros[n + 1].name;
		bool branches = step->branches && last;
		printf("%u %" PRIx64 " %2d %2d %2d %c %c %c %9" PRId64 " %12" PRIx64
		       " %12" PRIx64 " %12" PRIx64 " %-8s %s\n",
			n + 1, insn->pc, micro_register(insn, micro->operands[0]),
			micro_register(insn, micro->operands[1]),
			micro_register(insn, micro->operands[2]), micro->flags,
			!branches     ? '-'
			: step->taken ? 'T'
				      : 'N',
			micro->access, micro_immediate(step, micro),
			micro->access == '-' ? 0 : step->address, insn->pc + insn->size,
			branches ? program_pc(step->target) : 0, insn->kind->macro,
			micro->name);
	}
	return n;
}

/* Prints the assembly text; prefix is the letter of register names. */
static void
print_text(const struct insn_step *step, char prefix)
{
	for (const char *p = step->insn->kind->text; *p; p++) {
		unsigned number = p[1] == 'a' ? step->insn->a : step->insn->b;
		if (*p != '@') {
			putchar(*p);
			continue;
		}
		p++;
		if (*p == 't')
			printf("0x%x", arm_pc(step->target));
		else if (*p == 'c')
			printf("%" PRId32, step->insn->immediate);
		else if (number == PROGRAM_STACK_POINTER)
			printf("sp");
		else
			printf("%c%u", prefix, number);
	}
	putchar('\n');
}

static unsigned
print_qemu4v(const struct insn_step *step)
{
	unsigned lines = 1;
	printf("%" PRIu64 " clk 0 %s (%" PRIu64 ") %08" PRIx32 " %08" PRIx32 " A usr : ",
		step->time, step->branches && !step->taken ? "IS" : "IT", step->time,
		arm_pc(step->number), arm_opcode(step));
	print_text(step, 'r');
	for (const char *p = "LS"; *p; p++) {
		if (step->access != *p && step->access != 'M')
			continue;
		printf("%" PRIu64 " clk M%c4 %08" PRIx32 " %08" PRIx32 "\n", step->time,
			*p == 'L' ? 'R' : 'W', (uint32_t)step->address, (uint32_t)step->value);
		lines++;
	}
	if (step->insn->kind->writes == '-')
		return lines;
	printf("%" PRIu64 " clk R ", step->time);
	if (step->insn->kind->writes == 'f')
		printf("cpsr ");
	else
		printf("r%d ", step->insn->a);
	printf("%08" PRIx32 "\n", (uint32_t)step->value);
	return lines + 1;
}

static unsigned
print_tarmac(const struct insn_step *step)
{
	unsigned lines = 1;
	printf("%" PRIu64 " clk cpu0 %s (%" PRIu64 ") %016" PRIx32 ":%012" PRIx32
	       "_NS %08" PRIx32 " O EL0t_n : ",
		step->time, step->branches && !step->taken ? "IS" : "IT", step->time,
		arm_pc(step->number), arm_pc(step->number), arm_opcode(step));
	print_text(step, 'x');
	for (const char *p = "LS"; *p; p++) {
		if (step->access != *p && step->access != 'M')
			continue;
		printf("%" PRIu64 " clk cpu0 M%c8 %016" PRIx64 ":%012" PRIx64 "_NS %08" PRIx64
		       "_%08" PRIx64 "\n",
			step->time, *p == 'L' ? 'R' : 'W', step->address, step->address,
			step->value >> 32, step->value & UINT32_MAX);
		lines++;
	}
	if (step->insn->kind->writes == '-')
		return lines;
	if (step->insn->kind->writes == 'f')
		printf("%" PRIu64 " clk cpu0 R cpsr %08" PRIx32 "\n", step->time,
			(uint32_t)step->value);
	else
		printf("%" PRIu64 " clk cpu0 R X%d %016" PRIx64 "\n", step->time, step->insn->a,
			step->value);
	return lines + 1;
}

static unsigned
print_lackey(const struct insn_step *step)
{
	printf("I  %08" PRIx64 ",%u\n", step->insn->pc, step->insn->size);
	if (step->access == '-')
		return 1;
	printf(" %c %08" PRIx64 ",%c\n", step->access, step->address,
		step->insn->region == 'v' ? '4' : '8');
	return 2;
}

static unsigned
print_din(const struct insn_step *step)
{
	unsigned lines = 1;
	printf("2 %" PRIx64 "\n", step->insn->pc);
	for (const char *p = "LS"; *p; p++) {
		if (step->access != *p && step->access != 'M')
			continue;
		printf("%c %" PRIx64 "\n", *p == 'L' ? '0' : '1', step->address);
		lines++;
	}
	return lines;
}

/* Returns the next pseudo-random number (linear congruence, upper half). */
static uint32_t
next_random(void)
{
	static uint64_t state = 1;
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 32);
}

/* Prints unpredictable fields: a container's worst case. */
static unsigned
print_hostile(const struct insn_step *step)
{
	const uint64_t pc = next_random();
	const uint32_t registers = next_random();
	const char access = "LS-"[next_random() % 3];
	printf("1 %" PRIx64 " %2u %2u %2u - - %c %9d %12" PRIx64 " %12" PRIx64
	       " %12x %-8s %s\n",
		pc, registers & 15, registers >> 4 & 15, registers >> 8 & 15, access,
		(int)next_random() >> 8,
		access == '-' ? 0 : (uint64_t)next_random() << 12 | next_random() >> 20,
		pc + 1 + (registers >> 28), 0, step->insn->kind->macro, "MOV");
	return 1;
}

static const struct {
	const char *name;
	unsigned (*print)(const struct insn_step *step); /* returns the number of lines */
	uint32_t functions; /* of the program: processor models run small programs */
} printers[] = {
	{"cis501", print_cis501, PROGRAM_FUNCTIONS},
	{"qemu4v", print_qemu4v, PROGRAM_FUNCTIONS / 10},
	{"tarmac", print_tarmac, PROGRAM_FUNCTIONS / 10},
	{"lackey", print_lackey, PROGRAM_FUNCTIONS},
	{"din", print_din, PROGRAM_FUNCTIONS},
	{"hostile", print_hostile, PROGRAM_FUNCTIONS},
};

int
main(int argc, char **argv)
{
	uint64_t lines = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;
	struct insn_step step;
	for (size_t i = 0; lines && i < sizeof printers / sizeof *printers; i++) {
		if (strcmp(printers[i].name, argv[1]) != 0)
			continue;
		program_build(printers[i].functions);
		for (uint64_t written = 0; written < lines; written += printers[i].print(&step))
			program_step(&step);
		return fflush(stdout) == 0 ? 0 : 1;
	}
	fprintf(stderr,
		"usage: generate_text cis501|qemu4v|tarmac|lackey|din|hostile LINES >FILE\n");
	return 2;
}
