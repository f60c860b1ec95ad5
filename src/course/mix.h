/* SPDX-License-Identifier: MIT */
/*
 * Homework 1: what is counted in a trace of micro-ops, and how it is printed. Of Washington
 * University's printout four kinds of lines are known. Of Penn's the names of 2015 are, not the
 * lines, which are `name = number` here.
 *
 * spec: reference cis501 7.1.1 (Q1 to Q6)
 */
#ifndef COURSE_MIX_H
#define COURSE_MIX_H

#include "course/course.h"

enum {
	COURSE_MIX_SIZES = 256,
	COURSE_MIX_BITS = 67, /* 2 + floor(log2 of 64 bits) is below */
	COURSE_MIX_SHORT = 8, /* bits of an offset that is no far one (Q5) */
	COURSE_MIX_PENN = 32, /* N of Penn's fractions goes from 1 to this */
};

enum course_category {
	COURSE_LOAD,
	COURSE_STORE,
	COURSE_UNCONDITIONAL,
	COURSE_CONDITIONAL,
	COURSE_OTHER,
	COURSE_CATEGORIES
};

/* Zeroed is ready. */
struct course_mix {
	struct course_count count;
	uint64_t groups[COURSE_MIX_SIZES]; /* macro-ops by micro-ops; 0: more */
	uint64_t sizes[COURSE_MIX_SIZES];  /* macro-ops by bytes; 0: others */
	uint64_t bits[COURSE_MIX_BITS];	   /* branches by bits of the distance from their pc */
	uint64_t from_behind[COURSE_MIX_BITS]; /* the same from the fall-through */
	uint64_t categories[COURSE_CATEGORIES];
	uint64_t pairs;		 /* that could be fused */
	uint64_t lead;		 /* records before the first that begins a macro-op */
	uint64_t open;		 /* records since the last such one, and with it */
	bool begins_conditional; /* the first record is a conditional branch */
	bool ends_writing;	 /* the last record writes the flags */
};

/* Penn's names of the categories, in their order. */
extern const char *const course_category_names[COURSE_CATEGORIES];

/* Takes a record. */
void course_mix_uop(struct course_mix *mix, const struct course_uop *uop);

/* A macro-op ends with the trace, and where records are left out. */
void course_mix_cut(struct course_mix *mix);

/* Adds what was counted in the records behind. */
void course_mix_merge(struct course_mix *mix, const struct course_mix *more);

/* The sum of n counts. */
uint64_t course_mix_sum(const uint64_t *counts, size_t n);

/* Branches whose distance needs more than COURSE_MIX_SHORT bits. */
uint64_t course_mix_far(const struct course_mix *mix);

/* Bytes a macro-op; not a number where none has any. */
double course_mix_size(const struct course_mix *mix);

/* The category of the most records, the first of several. */
enum course_category course_mix_most(const struct course_mix *mix);

/*
 * Penn's fractions: of branches whose distance needs at most n bits, and of macro-ops of at
 * most n bytes; not a number where there are none.
 */
double course_mix_near(const struct course_mix *mix, unsigned n);
double course_mix_small(const struct course_mix *mix, unsigned n);

/* The results in the lines of WUSTL, after course_mix_cut. */
void course_mix_wustl(const struct course_mix *mix, struct buf *to);

/* The results by Penn's names and questions, after course_mix_cut. */
void course_mix_penn(const struct course_mix *mix, struct buf *to);

#endif
