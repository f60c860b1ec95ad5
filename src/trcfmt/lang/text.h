/* SPDX-License-Identifier: MIT */
/* Reads template files as text. */
#ifndef TRCFMT_TEXT_H
#define TRCFMT_TEXT_H

#include "polytrace/status.h"

#include "base/buf.h"

/* Maximum size of a file in bytes (rule T15). */
#define TRCFMT_FILE_SIZE ((size_t)16 << 20)

/* The built-in templates: src/trcfmt/lang/default.trcfmt, with a NUL at the end. */
extern const char trcfmt_default[];

/*
 * Appends the contents of a file, decompressed; "-" is standard input. POLY_ERR_IO,
 * POLY_ERR_FORMAT (corrupt compressed file), POLY_ERR_LIMIT (more than TRCFMT_FILE_SIZE),
 * POLY_ERR_MEMORY.
 */
enum poly_status text_load(const char *path, struct buf *text, struct poly_error *error);

#endif
