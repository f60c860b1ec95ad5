/* SPDX-License-Identifier: MIT */
/* Analyses of the caller (polytrace/extend.h) as analyses of the framework. */
#ifndef ANALYSIS_PLUGIN_H
#define ANALYSIS_PLUGIN_H

#include "polytrace/extend.h"

#include "analysis/core/analysis.h"

/* The analyses of a handle: those of the build's lists, then the caller's. */
struct analysis_list {
	struct analysis *analyses;	      /* the caller's */
	struct poly_analysis_plugin *plugins; /* to which these refer */
	size_t count;
};

/*
 * Adds the caller's analyses, NULL at the end or NULL, to an empty list. POLY_ERR_USAGE: one
 * does not obey the interface. POLY_ERR_MEMORY.
 */
enum poly_status analysis_list_init(struct analysis_list *list,
	const struct poly_analysis_plugin *const *plugins, struct poly_error *error);

/* As analysis_at, for the analyses of a list. */
const struct analysis *analysis_list_at(const struct analysis_list *list, size_t i);

/* Returns the analysis of a name in a list; NULL: none. */
const struct analysis *analysis_list_find(const struct analysis_list *list, const char *name);

/* Frees a list. */
void analysis_list_fini(struct analysis_list *list);

#endif
