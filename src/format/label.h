/* SPDX-License-Identifier: MIT */
/* Labels: what they may be, and which a trace is written with. */
#ifndef FORMAT_LABEL_H
#define FORMAT_LABEL_H

#include "model/info.h"

#include "polytrace/status.h"

/* Labels of a trace; each is held against those before it. */
#define LABELS_MAX 4096

/*
 * Fails with POLY_ERR_USAGE where a label is not as it has to be. text is how it is shown, and
 * its first n bytes are the key.
 */
enum poly_status label_check(
	const char *text, size_t n, const char *value, struct poly_error *error);

/*
 * Labels that a source is written with: its own, and those that the user gave as "key=value",
 * NULL at the end, or NULL; these count where both have a key. POLY_ERR_USAGE: one is not as it
 * has to be, or given twice. POLY_ERR_LIMIT: they are too many. POLY_ERR_MEMORY.
 */
enum poly_status label_gather(struct info *to, const struct poly_trace_info *source,
	const char *const *given, struct poly_error *error);

#endif
