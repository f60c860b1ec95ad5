/* SPDX-License-Identifier: MIT */
/* The list of analyses, by kind. */
#include "analysis/core/analysis.h"

#include <string.h>

#define LIST(word) extern const struct analysis analysis_##word;
#include "analysis_list.def"
#include "simulation_list.def"
#include "query_list.def"
#include "homework_list.def"
#undef LIST

static const struct analysis *const analyses[] = {
#define LIST(word) &analysis_##word,
#include "analysis_list.def"
#include "simulation_list.def"
#include "query_list.def"
#include "homework_list.def"
#undef LIST
};

#define ANALYSIS_COUNT (sizeof analyses / sizeof *analyses)

const struct analysis *
analysis_at(size_t i)
{
	return i < ANALYSIS_COUNT ? analyses[i] : NULL;
}

const struct poly_analysis_info *
poly_analysis_at(size_t i)
{
	return i < ANALYSIS_COUNT ? &analyses[i]->info : NULL;
}

const struct poly_analysis_info *
poly_analysis_find(const char *name)
{
	for (size_t i = 0; i < ANALYSIS_COUNT; i++) {
		if (strcmp(analyses[i]->info.name, name) == 0)
			return &analyses[i]->info;
	}
	return NULL;
}
