/* SPDX-License-Identifier: MIT */
/*
 * Homework 2a: an in-order processor that issues one micro-op per cycle, with a scoreboard of
 * the remaining cycles of each register. Each attempt to issue prints a line with the
 * readiness of the sources, and the scoreboard after it.
 *
 * spec: CIS 501 homework 2a
 */
#ifndef COURSE_SCOREBOARD_H
#define COURSE_SCOREBOARD_H

#include "course/course.h"

#include "polytrace/status.h"

enum { COURSE_LATENCY_MAX = 255 };

struct course_scoreboard {
	unsigned latency; /* of loads, 1 to COURSE_LATENCY_MAX; all others have 1 */
	bool is_relaxed;  /* a register may be written while an older write is in progress */
	bool is_quiet;	  /* without the lines of attempts and the line above them */
	unsigned board[COURSE_REGISTERS]; /* remaining cycles */
	uint64_t cycle;			  /* the next one, from 0 */
	struct course_count count;
};

/* Initializes a processor. POLY_ERR_USAGE if the latency is out of range. */
enum poly_status course_scoreboard_init(struct course_scoreboard *scoreboard, unsigned latency,
	bool is_relaxed, struct poly_error *error);

/* Prints the heading; name: of the trace. */
void course_scoreboard_begin(
	const struct course_scoreboard *scoreboard, const char *name, struct buf *out);

/* Issues a record, and prints a line for every cycle until then. */
void course_scoreboard_uop(
	struct course_scoreboard *scoreboard, const struct course_uop *uop, struct buf *out);

/* Prints the results. */
void course_scoreboard_end(const struct course_scoreboard *scoreboard, struct buf *out);

#endif
