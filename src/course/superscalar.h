/* SPDX-License-Identifier: MIT */
/*
 * The in-order superscalar core of homework 5: a scoreboard of remaining cycles, a gshare
 * predictor and a small cache, in four experiments, each of which extends the previous one,
 * and the printout of every attempt to issue.
 *
 * spec: CSE 560M homework 5 (superscalar); CIS 501 homeworks 3 (gshare) and 4 (cache)
 */
#ifndef COURSE_SUPERSCALAR_H
#define COURSE_SUPERSCALAR_H

#include "course/course.h"

#include "polytrace/status.h"

enum superscalar_experiment {
	SUPERSCALAR_PLAIN = 1,	 /* only registers and width */
	SUPERSCALAR_BRANCHES,	 /* and a misprediction stalls */
	SUPERSCALAR_FETCH_BREAK, /* and a taken branch ends its cycle */
	SUPERSCALAR_CACHE,	 /* and a load that misses takes longer */
};

enum { SUPERSCALAR_WIDTH_MAX = 1024 };

struct superscalar_config {
	enum superscalar_experiment experiment;
	unsigned width;	   /* maximum micro-ops issued per cycle: 1 to SUPERSCALAR_WIDTH_MAX */
	bool cache_stores; /* stores access the cache, too */
	bool no_flags;	   /* condition codes are not a register */
	bool last_cycle;   /* the total is the last cycle's number, one less */
};

struct superscalar;

/* Validates a configuration; POLY_ERR_USAGE with a message. */
enum poly_status superscalar_check(
	const struct superscalar_config *config, struct poly_error *error);

/* Creates a core; NULL with POLY_ERR_MEMORY or _USAGE in error. */
struct superscalar *superscalar_new(
	const struct superscalar_config *config, struct poly_error *error);

/* Appends the heading. */
void superscalar_begin(struct buf *out);

/* Runs the core until a micro-op has issued. Appends a line per attempt to out, unless NULL. */
void superscalar_add(struct superscalar *core, const struct course_uop *uop, struct buf *out);

/* Appends the summary. */
void superscalar_end(const struct superscalar *core, struct buf *out);

/* Returns the cycles until now, including the current one unless last_cycle is set.
 */
uint64_t superscalar_cycles(const struct superscalar *core);

/* Accepts NULL. */
void superscalar_free(struct superscalar *core);

#endif
