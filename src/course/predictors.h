/* SPDX-License-Identifier: MIT */
/*
 * Homework 3: branch predictors, as Penn and as Washington University in St. Louis print them.
 * Only conditional branches are predicted; each line has the tables before the branch. Penn's
 * programs print only these lines.
 *
 * spec: CIS 501 homework 3
 */
#ifndef COURSE_PREDICTORS_H
#define COURSE_PREDICTORS_H

#include "course/course.h"

#include "polytrace/status.h"

enum { COURSE_PREDICTOR_LOG2_MAX = 20, COURSE_PREDICTOR_HISTORY_MAX = 64 };

enum course_layout { COURSE_PENN, COURSE_WUSTL };

enum course_predictor_kind {
	COURSE_TAKEN,
	COURSE_NOT_TAKEN,
	COURSE_BIMODAL,
	COURSE_GSHARE,
	COURSE_TOURNAMENT,
};

/* Configuration of the predictor and its printout; parameters that a kind does not have are
 * ignored. */
struct course_predictor_config {
	enum course_layout layout;
	enum course_predictor_kind kind; /* not a static one for Penn */
	/* log2 of the counters of each table, 0 to COURSE_PREDICTOR_LOG2_MAX */
	unsigned bimodal_log2, gshare_log2, chooser_log2;
	unsigned history; /* outcomes of gshare, 0 to COURSE_PREDICTOR_HISTORY_MAX */
	bool is_quiet;	  /* without the lines of branches and their heading */
};

struct course_predictor {
	struct course_predictor_config config;
	uint8_t *bimodal, *gshare, *chooser; /* counters 0 to 3 */
	uint64_t history_bits;		     /* bit 0: the youngest outcome */
	struct course_count count;
	uint64_t branches, mispredictions;
};

/*
 * Initializes a predictor; memory: a byte per counter. POLY_ERR_USAGE if a number is out of
 * range, or for a static predictor in Penn's layout; POLY_ERR_MEMORY.
 */
enum poly_status course_predictor_init(struct course_predictor *predictor,
	const struct course_predictor_config *config, struct poly_error *error);

/* Prints the heading; name: of the trace. */
void course_predictor_begin(
	const struct course_predictor *predictor, const char *name, struct buf *out);

/* Processes a record, and prints a line if it is a conditional branch. */
void course_predictor_uop(
	struct course_predictor *predictor, const struct course_uop *uop, struct buf *out);

/* Prints the results. */
void course_predictor_end(const struct course_predictor *predictor, struct buf *out);

/* Frees the members, also after init failed. */
void course_predictor_fini(struct course_predictor *predictor);

#endif
