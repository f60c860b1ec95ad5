/* SPDX-License-Identifier: MIT */
/*
 * Files of bytes that appear under their name when they are complete, and the removal of
 * unfinished files when a signal ends the process.
 *
 * An output is used by one thread at a time; different ones by any threads.
 */
#ifndef POLYTRACE_BYTE_OUTPUT_H
#define POLYTRACE_BYTE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "polytrace/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct poly_byte_output;

/*
 * Opens a file for writing ("-": standard output), compressed if its name has the ending of a
 * compression. The file gets its path when it is complete; a device or pipe is written
 * directly. On POLY_OK *output belongs to the caller, who closes it; on failure it is NULL.
 * POLY_ERR_USAGE: the file exists and overwrite is false. POLY_ERR_IO: cannot create it.
 * POLY_ERR_UNSUPPORTED: the compression needs a library that this build lacks. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_byte_output_open(const char *path, bool overwrite,
	struct poly_byte_output **output, struct poly_error *error);

/* Writes bytes; a poly_write_fn, whose user is the output. Returns 0, or an errno value, which
 * all later calls return, too. */
POLY_API int poly_byte_output_write(void *output, const void *data, size_t size);

/* Completes the file under its name, and, if it replaces another one, with the permissions of
 * that. Nothing may be written afterwards. POLY_ERR_IO, also of an earlier write,
 * POLY_ERR_USAGE: another process created the file, and overwrite was false. */
POLY_API enum poly_status poly_byte_output_finish(
	struct poly_byte_output *output, struct poly_error *error);

/* Frees an output; an unfinished file is removed. Accepts NULL. */
POLY_API void poly_byte_output_close(struct poly_byte_output *output);

/*
 * Removes the files of all unfinished outputs of the process, of writers, too, and
 * restores packed traces that are being appended to. For handlers of signals that end the
 * process: safe in signal handlers and in any thread; these outputs then fail.
 */
POLY_API void poly_outputs_discard(void);

#ifdef __cplusplus
}
#endif

#endif
