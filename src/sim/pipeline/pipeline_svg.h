/* SPDX-License-Identifier: MIT */
/* Slices of a pipeline as a diagram: one row per micro-op, one column per cycle. */
#ifndef SIM_PIPELINE_SVG_H
#define SIM_PIPELINE_SVG_H

#include "base/buf.h"
#include "sim/pipeline/pipeline.h"

enum { PIPELINE_SVG_OPS_MAX = 1000, PIPELINE_SVG_CYCLES_MAX = 10000 };

/*
 * Appends a self-contained SVG document, readable on light and dark backgrounds. Stages are
 * those of kanata_append, by colour and letter. Labels are truncated at 32 characters; invalid
 * UTF-8 in them is shown as U+FFFD. POLY_ERR_LIMIT: more micro-ops or cycles than above;
 * POLY_ERR_MEMORY: out has failed.
 */
enum poly_status pipeline_svg_append(
	const struct pipeline_slice *slice, struct buf *out, struct poly_error *error);

#endif
