/* SPDX-License-Identifier: MIT */
/* Template files as text. */
#ifndef TRCFMT_TEXT_H
#define TRCFMT_TEXT_H

#include "polytrace/status.h"

#include "base/buf.h"

/* Most bytes of a file (rule T15). */
#define TRCFMT_FILE_SIZE ((size_t)16 << 20)

/* The library's own templates: src/trcfmt/default.trcfmt, with a NUL at the end. */
extern const char trcfmt_default[];

/*
 * Appends a file, decompressed; "-" is standard input. POLY_ERR_IO, POLY_ERR_FORMAT (damage of
 * a compressed file), POLY_ERR_LIMIT (more than TRCFMT_FILE_SIZE), POLY_ERR_MEMORY.
 */
enum poly_status text_load(const char *path, struct buf *to, struct poly_error *error);

#endif
