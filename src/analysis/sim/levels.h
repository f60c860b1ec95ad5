/* SPDX-License-Identifier: MIT */
/*
 * Levels of caches by a text: "l1i=32k/8/64 l1d=32k/8/64/4 l2=256k/4/64/12 memory=200" is, for
 * each, its size, ways, bytes of a line and cycles, and words about it.
 */
#ifndef ANALYSIS_SIM_LEVELS_H
#define ANALYSIS_SIM_LEVELS_H

#include "sim/hierarchy.h"

/* Caches of processors, as texts. */
struct levels_preset {
	const char *name, *text;
	const char *source; /* document and section */
};

extern const struct levels_preset levels_presets[]; /* NULL at the end */

/*
 * Takes a text: l1 or l1d and l1i, l2, l3, l4, and memory, which is cycles. Words behind the
 * numbers are policies, through, around, victims:N, next:N, stride:N and stream:N.
 * POLY_ERR_USAGE with a message where it makes no sense.
 */
enum poly_status levels_parse(
	const char *text, struct hierarchy_config *config, struct poly_error *error);

#endif
