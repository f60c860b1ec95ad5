/* SPDX-License-Identifier: MIT */
/*
 * The micro-op as the simulators of the CIS 501 course and its descendants see it, and what all
 * of their printouts share. A model takes micro-ops one by one in trace order, keeps its own
 * state and appends lines to a struct buf of the caller's, who empties that as often as it
 * likes. The layouts are those of the courses, byte for byte.
 *
 * spec: reference cis501 1 (fields), 2.3 (registers), 7.1 (models).
 */
#ifndef COURSE_COURSE_H
#define COURSE_COURSE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	COURSE_NONE = -1,      /* a register field that names none */
	COURSE_FLAGS = 49,     /* the register that the condition codes are taken for (2.3) */
	COURSE_REGISTERS = 50, /* how many the programs have, numbered from 0 */
};

/* One record of a trace. The strings are the caller's, and needed during a call only. */
struct course_uop {
	uint64_t number;			   /* of the record in the trace, from 1 */
	uint64_t pc, address, fallthrough, target; /* fields 2, 10, 11, 12; 0: none but in pc */
	int64_t immediate;			   /* field 9 */
	const char *macro, *micro;		   /* fields 13 and 14, never NULL */
	int32_t uop;				   /* field 1: number in the macro-op, from 1 */
	int32_t src1, src2, dest;		   /* fields 3 to 5, or COURSE_NONE */
	char flags, branch, ldst;		   /* fields 6 to 8: R W -, T N -, L S - */
};

/* Whether a micro-op is a conditional branch: a branch that reads flags (3, row 2). */
static inline bool
course_is_conditional(const struct course_uop *uop)
{
	return uop->branch != '-' && uop->flags == 'R';
}

/*
 * Whether a register field names a register that the programs have a place for. The format
 * allows any number (3, row 21); one without a place is printed and otherwise taken for none.
 */
static inline bool
course_is_register(int32_t number)
{
	return number >= 0 && number < COURSE_REGISTERS;
}

/* The micro-ops and macro-ops of a run, which every summary has. */
struct course_count {
	uint64_t uops, mops; /* records; records whose field 1 is 1 (7.1.1) */
};

/* Counts a record. */
static inline void
course_count(struct course_count *count, const struct course_uop *uop)
{
	count->uops++;
	count->mops += uop->uop == 1;
}

#endif
