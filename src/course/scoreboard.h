/* SPDX-License-Identifier: MIT */
/*
 * Homework 2a: an in-order processor that issues one micro-op a cycle, with a scoreboard of how
 * many cycles each register's value still takes. A line for each attempt to issue has whether
 * the sources were ready, and the board behind it.
 *
 * spec: reference cis501 7.1.2, 3 (rows 9 and 10)
 */
#ifndef COURSE_SCOREBOARD_H
#define COURSE_SCOREBOARD_H

#include "course/course.h"

#include "polytrace/status.h"

enum { COURSE_LATENCY_MAX = 255 };

struct course_scoreboard {
	unsigned latency; /* of loads, 1 to COURSE_LATENCY_MAX; of all else 1 */
	bool is_relaxed;  /* a register may be written while an older write takes longer */
	bool is_quiet;	  /* without the lines of attempts and the line above them */
	unsigned board[COURSE_REGISTERS]; /* cycles that are left */
	uint64_t cycle;			  /* the next one, from 0 */
	struct course_count count;
};

/* Prepares a processor. POLY_ERR_USAGE where the latency is out of its range. */
enum poly_status course_scoreboard_init(struct course_scoreboard *scoreboard, unsigned latency,
	bool is_relaxed, struct poly_error *error);

/* Prints what stands before the first record of the trace of that name. */
void course_scoreboard_begin(
	const struct course_scoreboard *scoreboard, const char *name, struct buf *to);

/* Issues a record, and prints a line for every cycle that this takes. */
void course_scoreboard_uop(
	struct course_scoreboard *scoreboard, const struct course_uop *uop, struct buf *to);

/* Prints what stands behind the last record. */
void course_scoreboard_end(const struct course_scoreboard *scoreboard, struct buf *to);

#endif
