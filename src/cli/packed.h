/* SPDX-License-Identifier: MIT */
/* Packed traces, for the commands that make them and take them apart. */
#ifndef CLI_PACKED_H
#define CLI_PACKED_H

#include "cli/command_input.h"

/* The format that packed traces have. */
#define PACKED_FORMAT "ptz"

/* What a packed trace, and whatever its records were written to, says of the format before. */
#define PACKED_FACT PACKED_FORMAT ".format"

/* What names of packed traces end in. */
#define PACKED_ENDING ".ptz"

/* The format that a packed trace had before; NULL: it isn't one. */
const char *packed_format(const struct command_input *source);

/* The format whose records a source has: that which was packed, or its own. */
const struct poly_format_info *packed_records(const struct command_input *source);

/*
 * The name that a trace has when it is packed: without endings of compression, and with that of
 * packed traces. The caller frees it.
 */
char *packed_name(const char *path);

/*
 * The name without the ending of packed traces, and one of compression behind it, to be freed;
 * NULL: it has no such ending.
 */
char *packed_name_before(const char *path);

/* True, and told, where there is a file of a name that nobody asked for. */
bool packed_in_the_way(const char *path);

/*
 * Unpacks the trace at packed and compares it with the bytes of the one at path. True: they are
 * the same. What else there is has been told.
 */
bool packed_verify(const char *packed, const char *path);

/*
 * Compares the records of the packed trace behind the first ones with those of the one at path,
 * read again by options. True: they are the same. What else there is has been told.
 */
bool packed_verify_behind(const char *packed, const char *path, uint64_t first,
	const struct input_options *options);

#endif
