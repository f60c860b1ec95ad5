/* SPDX-License-Identifier: MIT */
/*
 * Levels of caches by a text: "l1i=32k/8/64 l1d=32k/8/64/4 l2=256k/4/64/12 memory=200" is, for
 * each, its size, ways, bytes of a line and cycles, and words about it; on one line or on many,
 * with comments.
 */
#ifndef ANALYSIS_SIM_LEVELS_H
#define ANALYSIS_SIM_LEVELS_H

#include "sim/hierarchy.h"

/* Caches of processors, as texts: the files of src/analysis/sim/presets/. */
struct levels_preset {
	const char *name, *text;
};

extern const struct levels_preset levels_presets[]; /* NULL at the end */
extern const char levels_pentium[], levels_ppc7400[], levels_ppc7450[], levels_ppc970[],
	levels_skylake[], levels_zen4[], levels_cortex_a53[], levels_cortex_a72[];

/* Words of enum hierarchy_inclusion, NULL at the end. */
extern const char *const levels_inclusions[];

struct levels {
	struct hierarchy_config config;
	char source[200]; /* where they are described; "": not said */
};

/*
 * Takes a text: l1 or l1d and l1i, l2, l3, l4, memory, which is cycles, inclusion and source.
 * Words behind the numbers are policies, through, around, victims:N, next:N, stride:N and
 * stream:N. POLY_ERR_USAGE with a message where it makes no sense.
 */
enum poly_status levels_parse(
	const char *text, struct levels *levels, struct poly_error *error);

#endif
