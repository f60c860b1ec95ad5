/* SPDX-License-Identifier: MIT */
/*
 * Slices of a pipeline as a log for the Konata viewer: one tab-separated command per line, in
 * the order of cycles.
 *
 * spec: the viewer's description of its format, "Kanata" version 0004
 * (docs/kanata-log-format.md of github.com/shioyadan/Konata)
 */
#ifndef SIM_KANATA_H
#define SIM_KANATA_H

#include "base/buf.h"
#include "sim/pipeline/pipeline.h"

enum { KANATA_OPS_MAX = 1 << 20 };

/*
 * Appends the log of a slice: the stages are F until a micro-op issues, X until it is done, C
 * until it commits; stages without a cycle are omitted. Bytes of labels below 0x20 become
 * blanks. Uses 64 bytes per micro-op temporarily. POLY_ERR_LIMIT: more than
 * KANATA_OPS_MAX micro-ops; POLY_ERR_MEMORY, also if out has failed.
 */
enum poly_status kanata_append(
	const struct pipeline_slice *slice, struct buf *out, struct poly_error *error);

#endif
