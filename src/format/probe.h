/* SPDX-License-Identifier: MIT */
/* Finding a trace's format by its content. */
#ifndef FORMAT_PROBE_H
#define FORMAT_PROBE_H

#include "format/format.h"

/* Room for the sentence that says why. */
#define PROBE_EVIDENCE 400

/*
 * Asks every format for its bid on the front of the input, which is not consumed. The highest
 * wins; equal bids within a family go to the member that stands first in the build's list,
 * other ties to the ending of name. evidence has room for PROBE_EVIDENCE bytes.
 * POLY_ERR_FORMAT: nobody bids, or a tie; the message names them.
 */
enum poly_status probe_format(struct in *in, const char *name, const struct format **format,
	char *evidence, struct poly_error *error);

#endif
