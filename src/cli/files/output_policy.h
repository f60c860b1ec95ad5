/* SPDX-License-Identifier: MIT */
/*
 * Which files a command may write: none of its inputs, and no existing file without --force.
 * Standard output and files that are not regular (devices, pipes) are always allowed.
 */
#ifndef CLI_OUTPUT_POLICY_H
#define CLI_OUTPUT_POLICY_H

#include "polytrace/format.h"

#include <stdbool.h>

/* A row of a table of options. */
#define OUTPUT_FORCE_OPTION(member)                                                   \
	{                                                                             \
		"force", .field = (member), .help = "replace output files that exist" \
	}

/* Further inputs besides the operands. */
#define OUTPUT_POLICY_INPUTS 4

struct output_policy {
	bool force;
	char *const *operands; /* inputs, up to a NULL; empty: standard input; NULL: none */
	const char *inputs[OUTPUT_POLICY_INPUTS]; /* NULL: none */
};

/* Returns whether path ("-": standard output; NULL: none) may be written; false: a message was
 * printed. */
bool output_is_allowed(const struct output_policy *policy, const char *path);

/*
 * Returns whether path may be written although the result is partial, and --partial does not
 * accept that: a partial file replaces no other. False: a message was printed.
 */
bool output_accepts_partial(const char *path);

/*
 * Returns whether a format may be written to standard output: binary formats are not written to
 * a terminal without force (--force); false: a message was printed.
 */
bool output_may_print(const struct poly_format_info *format, bool force);

#endif
