/* SPDX-License-Identifier: MIT */
/*
 * What costs most: weights (misses, cycles) of uses by number, which are addresses of
 * instructions or of regions.
 */
#ifndef ANALYSIS_SIM_TOPS_H
#define ANALYSIS_SIM_TOPS_H

#include "analysis/sim/uses.h"
#include "sim/dense.h"

/* Different numbers: 120 bytes each. */
#define TOPS_MOST ((uint32_t)1 << 20)

struct top {
	uint64_t number, uses, weight;
};

struct tops {
	unsigned shift; /* low bits of numbers that are left out */
	struct dense dense;
	struct top *list; /* by dense number */
	uint32_t capacity;
	bool full; /* further numbers are not told of */
	uint32_t ids[USES_MOST];
	uint64_t numbers[USES_MOST];
};

/* POLY_ERR_MEMORY. */
enum poly_status tops_init(struct tops *tops, unsigned shift, struct poly_error *error);
void tops_fini(struct tops *tops);

/* What is told of by instruction and by region, of so many bytes as an option says.
 * POLY_ERR_USAGE where that is no power of two; POLY_ERR_MEMORY. */
enum poly_status tops_init_both(struct tops *pcs, struct tops *regions, const char *option,
	uint64_t bytes, struct poly_error *error);

/* Adds uses (USES_MOST at most) and what each weighs; false: no memory. */
bool tops_add(
	struct tops *tops, const uint64_t *numbers, const uint32_t *weights, size_t count);

/* What a table of them is called. */
struct tops_words {
	const char *key, *title;	   /* of the table */
	const char *number, *number_title; /* of the column of numbers */
	const char *weight, *weight_title; /* of the column of weights */
};

/* A table of those that weigh most, at most so many. */
void tops_report(const struct tops *tops, const struct tops_words *words, uint64_t most,
	struct poly_report *report);

#endif
