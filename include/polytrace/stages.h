/* SPDX-License-Identifier: MIT */
/*
 * Pipeline stages of instructions as files for viewers, after poly_stats (polytrace/stats.h)
 * has run the simulation "pipeline".
 *
 * The option pipeline.count is the number of instructions whose stages are stored,
 * pipeline.from the number of the first of them, from 1. They belong to the first context of
 * the last trace, and have a number, pc, name and micro-operation.
 *
 * A handle of poly_stats is used by one thread at a time.
 */
#ifndef POLYTRACE_STAGES_H
#define POLYTRACE_STAGES_H

#include "polytrace/stats.h"
#include "polytrace/writer.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Forms of files. An instruction is in stage F from fetch to issue, in X until its result is
 * available, and in C until it commits; an in-order core has only X. Stages of zero cycles are
 * omitted.
 */
enum poly_stages_form {
	/*
	 * Log for the Konata viewer: one command per line, tab-separated (version 0004 of its
	 * format, docs/kanata-log-format.md of github.com/shioyadan/Konata).
	 */
	POLY_STAGES_KONATA,
	/* Image: one row per instruction, one column per cycle; at most 1000 by 10000. */
	POLY_STAGES_SVG,
};

/*
 * Writes the stored stages to sink; without any, an empty log or image. POLY_ERR_USAGE: the
 * simulation was not requested, or pipeline.count was 0. POLY_ERR_LIMIT: more instructions or
 * cycles than an image shows. POLY_ERR_MEMORY. POLY_ERR_IO: the sink's write failed; its errno
 * is in error->sys_errno.
 */
POLY_API enum poly_status poly_stages_write(const struct poly_stats *stats,
	enum poly_stages_form form, const struct poly_sink *sink, struct poly_error *error);

#ifdef __cplusplus
}
#endif

#endif
