/* SPDX-License-Identifier: MIT */
/*
 * The names of a trace at one time, for threads that use them while the reader adds names: a
 * copy of the structure stays valid, and is constant, while the original is extended.
 */
#ifndef FORMAT_PTZ_NAMES_H
#define FORMAT_PTZ_NAMES_H

#include "polytrace/trace.h"

/* Zeroed is empty. */
struct ptz_names {
	const char **blocks[32]; /* block k has names 2^k - 1 to 2^(k+1) - 2 */
	uint32_t count;
};

/*
 * Adds the names that the trace has gained; they belong to it, and it must not change
 * meanwhile. Returns false if out of memory.
 */
bool ptz_names_extend(struct ptz_names *names, const struct poly_trace_info *info);

/* Returns the name of a number; NULL: there is none. */
const char *ptz_name(const struct ptz_names *names, uint32_t number);

/* Frees the original; copies become invalid. */
void ptz_names_free(struct ptz_names *names);

#endif
