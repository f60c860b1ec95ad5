/* SPDX-License-Identifier: MIT */
/*
 * The micro-op as input of the simulators of the CIS 501 course and its descendants, and
 * helpers of their printouts. A model processes micro-ops one by one in trace order, has its
 * own state and appends lines to the caller's struct buf, which the caller may empty at any
 * time. The layouts are those of the courses, byte for byte.
 *
 * spec: Instruction Trace Format (Penn CIS 501), Field Descriptions; the courses' homeworks.
 */
#ifndef COURSE_COURSE_H
#define COURSE_COURSE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	COURSE_NONE = -1,      /* a register field without a register */
	COURSE_FLAGS = 49,     /* the register that stands for the condition codes */
	COURSE_REGISTERS = 50, /* number of registers of the programs, from 0 */
};

/* One record of a trace. The strings are the caller's, and valid during a call. */
struct course_uop {
	uint64_t number; /* of the record in the trace, from 1 */
	uint64_t pc, address, fallthrough,
		target;		   /* fields 2, 10, 11, 12; 0: none, except in pc */
	int64_t immediate;	   /* field 9 */
	const char *macro, *micro; /* fields 13 and 14, never NULL */
	int32_t uop;		   /* field 1: number in the macro-op, from 1 */
	int32_t src1, src2, dest;  /* fields 3 to 5, or COURSE_NONE */
	char flags, branch, ldst;  /* fields 6 to 8: R W -, T N -, L S - */
};

/* Returns whether a micro-op is a conditional branch: a branch that reads flags. */
static inline bool
course_is_conditional(const struct course_uop *uop)
{
	return uop->branch != '-' && uop->flags == 'R';
}

/*
 * Returns whether a register field names a register of the programs. The format allows any
 * number; others are printed and otherwise ignored.
 */
static inline bool
course_is_register(int32_t number)
{
	return number >= 0 && number < COURSE_REGISTERS;
}

/* The micro-ops and macro-ops of a run, for summaries. */
struct course_count {
	uint64_t uops, mops; /* records; records whose field 1 is 1 */
};

/* Counts a record. */
static inline void
course_count(struct course_count *count, const struct course_uop *uop)
{
	count->uops++;
	count->mops += uop->uop == 1;
}

#endif
