/* SPDX-License-Identifier: MIT */
/*
 * A spill buffer: bytes are appended in one order and read in another. The first ones stay in
 * memory, the others go to an unnamed temporary file.
 */
#ifndef IO_SPILL_BUFFER_H
#define IO_SPILL_BUFFER_H

#include "polytrace/status.h"

#include <stddef.h>
#include <stdint.h>

struct spill_buffer;

/* Creates a buffer that stores up to memory_max bytes in memory; NULL: out of memory. */
struct spill_buffer *spill_buffer_new(size_t memory_max);

/* Returns the number of bytes in the buffer. */
uint64_t spill_buffer_size(const struct spill_buffer *spill);

/*
 * Appends n bytes. POLY_ERR_MEMORY; POLY_ERR_IO: cannot create or write the temporary file.
 * Sticky.
 */
enum poly_status spill_buffer_append(
	struct spill_buffer *spill, const void *data, size_t n, struct poly_error *error);

/* Reads n bytes at an offset; all of them must have been appended. POLY_ERR_IO. */
enum poly_status spill_buffer_read(const struct spill_buffer *spill, uint64_t offset,
	uint8_t *data, size_t n, struct poly_error *error);

/* Frees the buffer. Accepts NULL. */
void spill_buffer_free(struct spill_buffer *spill);

#endif
