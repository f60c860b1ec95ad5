/* SPDX-License-Identifier: MIT */
/* Labels: validation, and the labels of a written trace. */
#ifndef FORMAT_LABEL_H
#define FORMAT_LABEL_H

#include "model/info.h"

#include "polytrace/status.h"

/* Maximum number of labels of a trace; each is compared with all previous ones. */
#define LABELS_MAX 4096

/*
 * Validates a label. POLY_ERR_USAGE: invalid. text is the label as shown in messages; its first
 * n bytes are the key.
 */
enum poly_status label_check(
	const char *text, size_t n, const char *value, struct poly_error *error);

/*
 * Collects the labels of a written trace: those of its source, and the user's as "key=value",
 * NULL at the end, or NULL; the user's label replaces the source's with the same key,
 * and POLY_LABEL_WARMUP of the source is dropped if rows were selected.
 * POLY_ERR_USAGE: a label is invalid, or specified twice. POLY_ERR_LIMIT: too many labels.
 * POLY_ERR_MEMORY.
 */
enum poly_status label_gather(struct info *info, const struct poly_trace_info *source,
	bool selected, const char *const *labels, struct poly_error *error);

#endif
