/* SPDX-License-Identifier: MIT */
/*
 * A synthetic program and its execution, which the printers of bench/generate_text.c tell in
 * their formats: functions that call each other, branches and loops, data on the stack, at
 * fixed places, in streams and scattered. The same every time.
 */
#ifndef BENCH_PROGRAM_H
#define BENCH_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

/* Functions of a large program, such as a compiler. */
#define PROGRAM_FUNCTIONS 2400

/* Number of the register that is the stack pointer. */
#define PROGRAM_STACK_POINTER 4

/*
 * A micro-operation. Operands are two sources and a destination: a and b are the registers of
 * its instruction, s the stack pointer, t and u temporaries, - none.
 */
struct micro {
	const char *name;
	char operands[4];
	char flags, access; /* as CIS 501 traces have them */
	char immediate;	    /* 0, c: the instruction's, 8, j: distance of a jump, r: of data */
};

#define SHAPE_MICROS 4

/* What many instructions have in common. */
struct shape {
	const char *macro;   /* its opcode on x86 */
	const char *text;    /* an instruction like it on ARM; @a @b @c @t are its operands */
	unsigned weight;     /* how often it stands in the program */
	uint8_t least, most; /* bytes on x86 */
	char place;	     /* of its data: as an instruction's, or d for f, h or v */
	char writes;	     /* a: that register, f: the flags, -: nothing */
	struct micro micros[SHAPE_MICROS]; /* up to the first without a name */
};

struct instruction {
	const struct shape *shape;
	uint64_t pc;
	uint8_t size, a, b;
	char place;	   /* s top of the stack, f frame, g global, h heap, v vector, - none */
	uint16_t permille; /* that its branch is taken */
	uint32_t target;   /* number of an instruction */
	uint32_t stride, span, at;
	int32_t immediate;
	uint64_t base;
};

/* An instruction executed. */
struct step {
	uint64_t time; /* steps before it */
	const struct instruction *it;
	uint32_t number; /* of the instruction, from 0 */
	uint32_t target; /* of the instruction that it branches to */
	bool branches, taken;
	uint64_t address; /* of its data; 0: none */
	char access;	  /* L, S, M for both, - */
	uint64_t value;	  /* of what it wrote, or stored */
};

/* Makes a program of so many functions, a multiple of 6 up to PROGRAM_FUNCTIONS. */
void program_make(uint32_t functions);

/* Executes an instruction. */
void program_step(struct step *step);

/* The address of an instruction of a number. */
uint64_t program_pc(uint32_t number);

#endif
