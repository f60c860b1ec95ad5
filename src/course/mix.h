/* SPDX-License-Identifier: MIT */
/*
 * Homework 1: counts of a trace of micro-ops, and their printout. Four kinds of lines of
 * Washington University's printout are known. Of Penn's printout the names of 2015 are known,
 * but not the lines, which are `name = number` here.
 *
 * spec: CIS 501 homework 1 (Q1 to Q6)
 */
#ifndef COURSE_MIX_H
#define COURSE_MIX_H

#include "course/course.h"

enum {
	COURSE_MIX_SIZES = 256,
	COURSE_MIX_BITS = 67, /* 2 + floor(log2 of 64 bits) is less */
	COURSE_MIX_SHORT = 8, /* maximum bits of a short offset (Q5) */
	COURSE_MIX_PENN = 32, /* N of Penn's fractions is 1 to this */
};

enum course_category {
	COURSE_LOAD,
	COURSE_STORE,
	COURSE_UNCONDITIONAL,
	COURSE_CONDITIONAL,
	COURSE_OTHER,
	COURSE_CATEGORIES
};

/* Zero-initialise. */
struct course_mix {
	struct course_count count;
	uint64_t groups[COURSE_MIX_SIZES]; /* macro-ops by micro-ops; 0: more */
	uint64_t sizes[COURSE_MIX_SIZES];  /* macro-ops by bytes; 0: others */
	uint64_t bits[COURSE_MIX_BITS];	   /* branches by bits of the distance from their pc */
	uint64_t from_fallthrough[COURSE_MIX_BITS]; /* from their fall-through */
	uint64_t categories[COURSE_CATEGORIES];
	uint64_t pairs;		 /* pairs that could be fused */
	uint64_t lead;		 /* records before the first macro-op */
	uint64_t open;		 /* records of the current macro-op */
	bool begins_conditional; /* the first record is a conditional branch */
	bool ends_writing;	 /* the last record writes the flags */
};

/* Penn's names of the categories, in their order. */
extern const char *const course_category_names[COURSE_CATEGORIES];

/* Processes a record. */
void course_mix_uop(struct course_mix *mix, const struct course_uop *uop);

/* Ends the current macro-op, at the end of the trace and before skipped records. */
void course_mix_cut(struct course_mix *mix);

/* Adds the counts of the following records. */
void course_mix_merge(struct course_mix *mix, const struct course_mix *next);

/* Returns the sum of n counts. */
uint64_t course_mix_sum(const uint64_t *counts, size_t n);

/* Returns the branches whose distance needs more than COURSE_MIX_SHORT bits. */
uint64_t course_mix_far(const struct course_mix *mix);

/* Returns the mean length of macro-ops in bytes; NaN if no length is known. */
double course_mix_size(const struct course_mix *mix);

/* Returns the category with the most records, the first of equals. */
enum course_category course_mix_top_category(const struct course_mix *mix);

/*
 * Returns Penn's fractions: of branches whose distance needs at most n bits, and of macro-ops
 * of at most n bytes; NaN of none.
 */
double course_mix_near(const struct course_mix *mix, unsigned n);
double course_mix_small(const struct course_mix *mix, unsigned n);

/* Prints the results in WUSTL's lines, after course_mix_cut. */
void course_mix_wustl(const struct course_mix *mix, struct buf *out);

/* Prints the results by Penn's names and questions, after course_mix_cut. */
void course_mix_penn(const struct course_mix *mix, struct buf *out);

#endif
