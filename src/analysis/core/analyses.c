/* SPDX-License-Identifier: MIT */
/* The list of analyses, by kind. */
#include "analysis/core/plugin.h"

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
	return analysis_list_at(NULL, i);
}

const struct analysis *
analysis_list_at(const struct analysis_list *list, size_t i)
{
	if (i < ANALYSIS_COUNT)
		return analyses[i];
	i -= ANALYSIS_COUNT;
	return list && i < list->count ? &list->analyses[i] : NULL;
}

const struct analysis *
analysis_list_find(const struct analysis_list *list, const char *name)
{
	const struct analysis *analysis;
	for (size_t i = 0; (analysis = analysis_list_at(list, i)); i++) {
		if (strcmp(analysis->info.name, name) == 0)
			break;
	}
	return analysis;
}

const struct poly_analysis_info *
poly_analysis_at(size_t i)
{
	return i < ANALYSIS_COUNT ? &analyses[i]->info : NULL;
}

const char *
poly_analysis_ordered(const char *name)
{
	const struct analysis *analysis = analysis_list_find(NULL, name);
	return analysis ? analysis->ordered : NULL;
}

const struct poly_analysis_info *
poly_analysis_find(const char *name)
{
	const struct analysis *analysis = analysis_list_find(NULL, name);
	return analysis ? &analysis->info : NULL;
}
