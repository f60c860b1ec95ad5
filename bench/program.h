/* SPDX-License-Identifier: MIT */
/*
 * A synthetic program and its execution, which the printers of bench/generate_text.c write in
 * their formats: functions that call each other, branches and loops, data on the stack, at
 * fixed addresses, in streams and scattered. Deterministic.
 */
#ifndef BENCH_PROGRAM_H
#define BENCH_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

/* Functions of a large program, such as a compiler. */
#define PROGRAM_FUNCTIONS 2400

/* Number of the stack pointer register. */
#define PROGRAM_STACK_POINTER 4

/*
 * A micro-operation. Operands are two sources and a destination: a and b are the registers of
 * its instruction, s the stack pointer, t and u temporaries, - none.
 */
struct micro_op {
	const char *name;
	char operands[4];
	char flags, access; /* letters of CIS 501 traces */
	char immediate;	    /* 0, c: the instruction's, 8, j: distance of a jump, r: of data */
};

#define KIND_MICROS 4

/* A kind of instruction. */
struct insn_kind {
	const char *macro; /* x86 opcode */
	const char *text;  /* a similar ARM instruction; @a @b @c @t are its operands */
	unsigned weight;   /* relative frequency in the program */
	uint8_t size_min, size_max; /* bytes on x86 */
	char region; /* of its data: as in struct instruction, or d: one of f, h and v */
	char writes; /* a: register a, f: the flags, -: nothing */
	struct micro_op micros[KIND_MICROS]; /* up to the first without a name */
};

struct instruction {
	const struct insn_kind *kind;
	uint64_t pc;
	uint8_t size, a, b;
	char region;	   /* s top of the stack, f frame, g global, h heap, v vector, - none */
	uint16_t permille; /* probability that its branch is taken */
	uint32_t target;   /* number of an instruction */
	uint32_t stride, span, at;
	int32_t immediate;
	uint64_t base;
};

/* An executed instruction. */
struct insn_step {
	uint64_t time; /* steps before it */
	const struct instruction *insn;
	uint32_t number; /* of the instruction, from 0 */
	uint32_t target; /* of the target instruction */
	bool branches, taken;
	uint64_t address; /* of its data; 0: none */
	char access;	  /* L, S, M for both, - */
	uint64_t value;	  /* written or stored value */
};

/*
 * Builds a program with a number of functions that is a multiple of 6 up to PROGRAM_FUNCTIONS.
 */
void program_build(uint32_t functions);

/* Executes an instruction. */
void program_step(struct insn_step *step);

/* Returns the address of an instruction. */
uint64_t program_pc(uint32_t number);

#endif
