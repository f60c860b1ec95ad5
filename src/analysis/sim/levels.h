/* SPDX-License-Identifier: MIT */
/*
 * Parses a cache hierarchy: "l1i=32k/8/64 l1d=32k/8/64/4 l2=256k/4/64/12 memory=200" has the
 * size, ways, line size, cycles and properties of each level; on one line or on several, with
 * comments.
 */
#ifndef ANALYSIS_SIM_LEVELS_H
#define ANALYSIS_SIM_LEVELS_H

#include "sim/cache/hierarchy.h"

/* Texts of the caches of processors: the files of src/analysis/sim/presets/. */
struct levels_preset {
	const char *name, *text;
};

extern const struct levels_preset levels_presets[]; /* NULL at the end */
extern const char levels_pentium[], levels_ppc7400[], levels_ppc7450[], levels_ppc970[],
	levels_skylake[], levels_zen4[], levels_cortex_a53[], levels_cortex_a72[];

/* Names of enum hierarchy_inclusion, NULL at the end. */
extern const char *const levels_inclusions[];

struct levels {
	struct hierarchy_config config;
	char source[200]; /* document that describes them; "": none */
};

/*
 * Parses a text: l1 or l1d and l1i, l2, l3, l4, memory (cycles), inclusion and source. The
 * properties after the numbers are policies, through, around, victims:N, next:N, stride:N and
 * stream:N. POLY_ERR_USAGE with a message if it is invalid.
 */
enum poly_status levels_parse(
	const char *text, struct levels *levels, struct poly_error *error);

#endif
