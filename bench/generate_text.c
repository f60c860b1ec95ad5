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

/* The address of an instruction where all have four bytes. */
static uint32_t
arm_pc(uint32_t number)
{
	return ARM_CODE + 4 * number;
}

static uint32_t
arm_opcode(const struct step *step)
{
	return 0xe0000000u | ((step->number * 2654435761u) >> 4 & 0x0fffffff);
}

static int
micro_register(const struct instruction *it, char operand)
{
	switch (operand) {
	case 'a': return it->a;
	case 'b': return it->b;
	case 's': return PROGRAM_STACK_POINTER;
	case 't': return 44;
	case 'u': return 45;
	default: return -1;
	}
}

static int64_t
micro_immediate(const struct step *step, const struct micro *micro)
{
	const uint64_t fallthrough = step->it->pc + step->it->size;
	switch (micro->immediate) {
	case 'c': return step->it->immediate;
	case '8': return 8;
	case 'm': return -8;
	case 'j': return (int64_t)(program_pc(step->target) - fallthrough);
	case 'r': return (int64_t)(step->address - fallthrough);
	default: return 0;
	}
}

static unsigned
print_cis501(const struct step *step)
{
	const struct instruction *it = step->it;
	const struct micro *micros = it->shape->micros;
	unsigned n = 0;
	for (; n < SHAPE_MICROS && micros[n].name; n++) {
		const struct micro *micro = &micros[n];
		bool last = n + 1 == SHAPE_MICROS || !micros[n + 1].name;
		bool branches = step->branches && last;
		printf("%u %" PRIx64 " %2d %2d %2d %c %c %c %9" PRId64 " %12" PRIx64
		       " %12" PRIx64 " %12" PRIx64 " %-8s %s\n",
			n + 1, it->pc, micro_register(it, micro->operands[0]),
			micro_register(it, micro->operands[1]),
			micro_register(it, micro->operands[2]), micro->flags,
			!branches     ? '-'
			: step->taken ? 'T'
				      : 'N',
			micro->access, micro_immediate(step, micro),
			micro->access == '-' ? 0 : step->address, it->pc + it->size,
			branches ? program_pc(step->target) : 0, it->shape->macro, micro->name);
	}
	return n;
}

/* The assembly text; prefix is that of registers' names. */
static void
print_text(const struct step *step, char prefix)
{
	for (const char *p = step->it->shape->text; *p; p++) {
		unsigned number = p[1] == 'a' ? step->it->a : step->it->b;
		if (*p != '@') {
			putchar(*p);
			continue;
		}
		p++;
		if (*p == 't')
			printf("0x%x", arm_pc(step->target));
		else if (*p == 'c')
			printf("%" PRId32, step->it->immediate);
		else if (number == PROGRAM_STACK_POINTER)
			printf("sp");
		else
			printf("%c%u", prefix, number);
	}
	putchar('\n');
}

static unsigned
print_qemu4v(const struct step *step)
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
	if (step->it->shape->writes == '-')
		return lines;
	printf("%" PRIu64 " clk R ", step->time);
	if (step->it->shape->writes == 'f')
		printf("cpsr ");
	else
		printf("r%d ", step->it->a);
	printf("%08" PRIx32 "\n", (uint32_t)step->value);
	return lines + 1;
}

static unsigned
print_tarmac(const struct step *step)
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
	if (step->it->shape->writes == '-')
		return lines;
	if (step->it->shape->writes == 'f')
		printf("%" PRIu64 " clk cpu0 R cpsr %08" PRIx32 "\n", step->time,
			(uint32_t)step->value);
	else
		printf("%" PRIu64 " clk cpu0 R X%d %016" PRIx64 "\n", step->time, step->it->a,
			step->value);
	return lines + 1;
}

static unsigned
print_lackey(const struct step *step)
{
	printf("I  %08" PRIx64 ",%u\n", step->it->pc, step->it->size);
	if (step->access == '-')
		return 1;
	printf(" %c %08" PRIx64 ",%c\n", step->access, step->address,
		step->it->place == 'v' ? '4' : '8');
	return 2;
}

static unsigned
print_din(const struct step *step)
{
	unsigned lines = 1;
	printf("2 %" PRIx64 "\n", step->it->pc);
	for (const char *p = "LS"; *p; p++) {
		if (step->access != *p && step->access != 'M')
			continue;
		printf("%c %" PRIx64 "\n", *p == 'L' ? '0' : '1', step->address);
		lines++;
	}
	return lines;
}

/* The next of numbers that do not repeat (a linear congruence, its upper half). */
static uint32_t
next_random(void)
{
	static uint64_t state = 1;
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 32);
}

/* Nothing that can be foreseen: a container's worst case. */
static unsigned
print_hostile(const struct step *step)
{
	const uint64_t pc = next_random();
	const uint32_t registers = next_random();
	const char access = "LS-"[next_random() % 3];
	printf("1 %" PRIx64 " %2u %2u %2u - - %c %9d %12" PRIx64 " %12" PRIx64
	       " %12x %-8s %s\n",
		pc, registers & 15, registers >> 4 & 15, registers >> 8 & 15, access,
		(int)next_random() >> 8,
		access == '-' ? 0 : (uint64_t)next_random() << 12 | next_random() >> 20,
		pc + 1 + (registers >> 28), 0, step->it->shape->macro, "MOV");
	return 1;
}

static const struct {
	const char *name;
	unsigned (*print)(const struct step *step); /* returns how many lines */
	uint32_t functions; /* of the program: models of processors run small ones */
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
	struct step step;
	for (size_t i = 0; lines && i < sizeof printers / sizeof *printers; i++) {
		if (strcmp(printers[i].name, argv[1]) != 0)
			continue;
		program_make(printers[i].functions);
		for (uint64_t made = 0; made < lines; made += printers[i].print(&step))
			program_step(&step);
		return fflush(stdout) == 0 ? 0 : 1;
	}
	fprintf(stderr,
		"usage: generate_text cis501|qemu4v|tarmac|lackey|din|hostile LINES >FILE\n");
	return 2;
}
