/* SPDX-License-Identifier: MIT */
/* The trace's information as its producer sees it: owns the strings and facts. */
#ifndef MODEL_INFO_H
#define MODEL_INFO_H

#include "polytrace/trace.h"

#include "base/intern.h"

/* Bytes of names that are kept, with INFO_NAME_COST for each. */
#define INFO_NAMES_MAX ((size_t)4 << 20)
#define INFO_NAME_COST 64

struct poly_trace_names {
	struct intern names; /* strings of the NAME columns */
};

struct info {
	struct poly_trace_info view; /* what consumers see; scalar fields are set directly */
	struct poly_trace_names names;
	struct intern strings; /* owns text of facts and producer */
	struct info_facts {
		struct poly_fact *list;
		size_t count, capacity;
	} facts, labels; /* what view has of them */
	bool full;	 /* a name could not be kept: see info_keep_name */
	bool no_memory;	 /* nor could that */
};

/* An empty information. */
void info_init(struct info *info);

/* States a fact, or replaces it; key and value are copied. False: no memory. */
bool info_fact(struct info *info, const char *key, const char *value);

/* The same of a label. */
bool info_label(struct info *info, const char *key, const char *value);

/* A copy of a string that lives as long as the information; NULL: no memory. */
const char *info_string(struct info *info, const char *text);

/* The number of a name of n bytes for a NAME column; INTERN_FAILED: no memory. */
uint32_t info_name(struct info *info, const char *name, size_t n);

/*
 * As info_name, for names of which an input may have any number. False where it cannot be kept:
 * there is no memory (no_memory is set and stays), or no room beside INFO_NAMES_MAX bytes of
 * names (full is set and stays).
 */
bool info_keep_name(struct info *info, const char *name, size_t n, uint32_t *number);

/* Gives everything back. */
void info_fini(struct info *info);

#endif
