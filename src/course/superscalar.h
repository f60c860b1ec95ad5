/* SPDX-License-Identifier: MIT */
/*
 * The in-order superscalar core of homework 5: a scoreboard of remaining cycles, a gshare
 * predictor and a small cache, in four experiments each of which adds something to the one
 * before, and the printout of what is tried in every cycle.
 *
 * spec: reference cis501 7.1.5; 7.1.4 (the cache), 7.1.3 (gshare), 3 (rows 9, 10, 11, 23)
 */
#ifndef COURSE_SUPERSCALAR_H
#define COURSE_SUPERSCALAR_H

#include "course/course.h"

#include "polytrace/status.h"

enum superscalar_experiment {
	SUPERSCALAR_PLAIN = 1,	 /* registers and width alone */
	SUPERSCALAR_BRANCHES,	 /* and a misprediction stalls */
	SUPERSCALAR_FETCH_BREAK, /* and nothing issues behind a taken branch in its cycle */
	SUPERSCALAR_CACHE,	 /* and a load that misses takes longer */
};

enum { SUPERSCALAR_WIDTH_MAX = 1024 };

struct superscalar_config {
	enum superscalar_experiment experiment;
	unsigned width;	   /* micro-ops issued in a cycle at most: 1 to SUPERSCALAR_WIDTH_MAX */
	bool cache_stores; /* stores use the cache as well (3, row 11) */
	bool no_flags;	   /* condition codes are no register (3, row 9) */
	bool last_cycle;   /* the total is the last cycle's number, one less (3, row 23) */
};

struct superscalar;

/* Whether a configuration can be; POLY_ERR_USAGE says what is wrong with it. */
enum poly_status superscalar_sound(
	const struct superscalar_config *config, struct poly_error *error);

/* A core before its first cycle; NULL and POLY_ERR_MEMORY or _USAGE in error. */
struct superscalar *superscalar_new(
	const struct superscalar_config *config, struct poly_error *error);

/* Appends what stands before the first attempt. */
void superscalar_begin(struct buf *out);

/* Runs the core until a micro-op has issued. A line an attempt goes to out, unless NULL. */
void superscalar_add(struct superscalar *core, const struct course_uop *uop, struct buf *out);

/* Appends the summary. */
void superscalar_end(const struct superscalar *core, struct buf *out);

/* The cycles until now, the last one counted in full; less one where last_cycle is asked for.
 */
uint64_t superscalar_cycles(const struct superscalar *core);

/* Accepts NULL. */
void superscalar_free(struct superscalar *core);

#endif
