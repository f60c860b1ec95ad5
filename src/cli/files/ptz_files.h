/* SPDX-License-Identifier: MIT */
/* Packed traces, for the commands that pack and unpack. */
#ifndef CLI_PTZ_FILES_H
#define CLI_PTZ_FILES_H

#include "cli/files/command_input.h"

/* Name of the format of packed traces. */
#define PACKED_FORMAT "ptz"

/* Fact that names the original format; later conversions preserve it. */
#define PACKED_FACT PACKED_FORMAT ".format"

/* Suffix of packed traces. */
#define PACKED_ENDING ".ptz"

/* Returns the original format of a packed trace; NULL: not a packed trace. */
const char *packed_format(const struct command_input *source);

/* Returns the format of a source's records: the original one of a packed trace, or its own. */
const struct poly_format_info *packed_records(const struct command_input *source);

/*
 * Returns the default name of a trace's packed trace: without the suffix of a compression, and
 * with that of packed traces. The caller frees it.
 */
char *packed_name(const char *path);

/*
 * Returns the name without the suffix of packed traces and that of a compression after it, to
 * be freed; NULL: the name has no such suffix.
 */
char *packed_original_name(const char *path);

/*
 * Unpacks the trace at packed, which messages call name, and compares it with the bytes of the
 * one at path. Returns whether they are equal, and prints a difference or error.
 */
bool packed_verify(const char *packed, const char *name, const char *path);

/*
 * Compares the records of the packed trace after the first ones with those of the trace at
 * path, read again by options. Returns whether they are equal, and prints a difference or
 * error.
 */
bool packed_verify_appended(const char *packed, const char *path, uint64_t first,
	const struct input_options *options);

#endif
