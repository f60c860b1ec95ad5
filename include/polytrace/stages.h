/* SPDX-License-Identifier: MIT */
/*
 * When instructions went through the stages of a pipeline, as files for viewers, after the
 * simulation "pipeline" was run by poly_stats (polytrace/stats.h).
 *
 * The option pipeline.count says of how many instructions stages are kept, pipeline.from which
 * one is the first of them, from 1. They are those of the first context of the trace that began
 * last, and are told of by their number, pc, name and micro-operation.
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
 * The forms of files. An instruction is in stage F from the cycle in which it is fetched until
 * it issues, in X until its result is there, and in C until it commits; in order there is but
 * X. A stage that takes no cycle is left out.
 */
enum poly_stages_form {
	/*
	 * A log for the Konata viewer: a line a command, fields separated by tabs (version 0004
	 * of its format, docs/kanata-log-format.md of github.com/shioyadan/Konata).
	 */
	POLY_STAGES_KONATA,
	/* A picture: a row an instruction, a column a cycle; up to 1000 in 10000 cycles. */
	POLY_STAGES_SVG,
};

/*
 * Writes the stages that were kept into sink; of none, an empty log or picture. POLY_ERR_USAGE:
 * the simulation was not asked for, or pipeline.count was 0; the message says so.
 * POLY_ERR_LIMIT: more than a picture shows. POLY_ERR_MEMORY. POLY_ERR_IO: the sink's write
 * failed; its errno is in error->sys_errno.
 */
POLY_API enum poly_status poly_stages_write(const struct poly_stats *stats,
	enum poly_stages_form form, const struct poly_sink *sink, struct poly_error *error);

#ifdef __cplusplus
}
#endif

#endif
