/* SPDX-License-Identifier: MIT */
/*
 * A spill: bytes that are put aside in one order and taken back in another. The first of them
 * stay in memory, the others go to a temporary file that has no name.
 */
#ifndef IO_SPILL_BUFFER_H
#define IO_SPILL_BUFFER_H

#include "polytrace/status.h"

#include <stddef.h>
#include <stdint.h>

struct spill_buffer;

/* An empty spill that keeps most bytes in memory; NULL: no memory. */
struct spill_buffer *spill_buffer_new(size_t most);

/* Bytes that were put into it. */
uint64_t spill_buffer_size(const struct spill_buffer *spill);

/*
 * Puts n bytes behind the others. POLY_ERR_MEMORY; POLY_ERR_IO: the temporary file cannot be
 * made or written. Sticky.
 */
enum poly_status spill_buffer_append(
	struct spill_buffer *spill, const void *data, size_t n, struct poly_error *error);

/* Takes n bytes from a place on, all of which were put. POLY_ERR_IO. */
enum poly_status spill_buffer_read(const struct spill_buffer *spill, uint64_t place,
	uint8_t *to, size_t n, struct poly_error *error);

/* Gives everything back. Accepts NULL. */
void spill_buffer_free(struct spill_buffer *spill);

#endif
