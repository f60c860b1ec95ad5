/* SPDX-License-Identifier: MIT */
/*
 * Homework 3: branch predictors, as Penn and as Washington University in St. Louis print them.
 * Conditional branches alone are predicted; each line has the tables as they were before the
 * branch. Penn's programs print nothing but these lines.
 *
 * spec: reference cis501 7.1.3
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

/* What is simulated, and how it is printed; what a kind does not have is not looked at. */
struct course_predictor_config {
	enum course_layout layout;
	enum course_predictor_kind kind; /* Penn prints no static ones */
	/* log2 of the counters of each table, 0 to COURSE_PREDICTOR_LOG2_MAX */
	unsigned bimodal_log2, gshare_log2, chooser_log2;
	unsigned history; /* outcomes that gshare looks at, 0 to COURSE_PREDICTOR_HISTORY_MAX */
	bool is_quiet;	  /* without the lines of branches and what goes with them */
};

struct course_predictor {
	struct course_predictor_config config;
	uint8_t *bimodal, *gshare, *chooser; /* counters 0 to 3 */
	uint64_t past;			     /* bit 0: the youngest outcome */
	struct course_count count;
	uint64_t branches, wrong;
};

/*
 * Prepares a predictor; its memory is a byte a counter. POLY_ERR_USAGE where a number is out of
 * its range or Penn's layout is asked of a static predictor, POLY_ERR_MEMORY.
 */
enum poly_status course_predictor_init(struct course_predictor *predictor,
	const struct course_predictor_config *config, struct poly_error *error);

/* Prints what stands before the first record of the trace of that name. */
void course_predictor_begin(
	const struct course_predictor *predictor, const char *name, struct buf *to);

/* Takes a record, and prints a line where it is a conditional branch. */
void course_predictor_uop(
	struct course_predictor *predictor, const struct course_uop *uop, struct buf *to);

/* Prints what stands behind the last record. */
void course_predictor_end(const struct course_predictor *predictor, struct buf *to);

/* Gives the memory back, also after init failed. */
void course_predictor_fini(struct course_predictor *predictor);

#endif
