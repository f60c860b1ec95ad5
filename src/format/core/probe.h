/* SPDX-License-Identifier: MIT */
/* Finding a trace's format by its content. */
#ifndef FORMAT_PROBE_H
#define FORMAT_PROBE_H

#include "format/core/plugin.h"

/* Size of the evidence text in bytes. */
#define PROBE_EVIDENCE 400

/* A detected format and the evidence for it. */
struct probe_result {
	const struct format *format;
	char evidence[PROBE_EVIDENCE];
};

/*
 * Collects the bid of every format of a list on the front of the input, which is not consumed.
 * The highest bid wins; equal bids within a family go to the format that comes first in the
 * list, other ties to the ending of options->name. Calls options->on_probe for every format
 * with evidence. POLY_ERR_FORMAT: no format bids, or a tie; the message names the nearest
 * formats.
 */
enum poly_status probe_format(struct in *in, const struct format_list *formats,
	const struct poly_read_options *options, struct probe_result *result,
	struct poly_error *error);

#endif
