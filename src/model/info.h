/* SPDX-License-Identifier: MIT */
/* The trace's information as its producer sees it: owns the strings and facts. */
#ifndef MODEL_INFO_H
#define MODEL_INFO_H

#include "polytrace/trace.h"

#include "base/intern.h"

struct poly_trace_names {
	struct intern names; /* strings of the NAME columns */
};

struct info {
	struct poly_trace_info view; /* what consumers see; scalar fields are set directly */
	struct poly_trace_names names;
	struct intern strings; /* owns text of facts and producer */
	struct poly_fact *facts;
	size_t fact_capacity;
};

/* An empty information. */
void info_init(struct info *info);

/* States a fact, or replaces it; key and value are copied. False: no memory. */
bool info_fact(struct info *info, const char *key, const char *value);

/* A copy of a string that lives as long as the information; NULL: no memory. */
const char *info_string(struct info *info, const char *text);

/* The number of a name of n bytes for a NAME column; INTERN_FAILED: no memory. */
uint32_t info_name(struct info *info, const char *name, size_t n);

/* Gives everything back. */
void info_fini(struct info *info);

#endif
