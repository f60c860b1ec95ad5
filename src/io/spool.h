/* SPDX-License-Identifier: MIT */
/*
 * A spool: bytes that are put aside in one order and taken back in another. The first of them
 * stay in memory, the others go to a temporary file that has no name.
 */
#ifndef IO_SPOOL_H
#define IO_SPOOL_H

#include "polytrace/status.h"

#include <stddef.h>
#include <stdint.h>

struct spool;

/* An empty spool that keeps most bytes in memory; NULL: no memory. */
struct spool *spool_new(size_t most);

/* Bytes that were put into it. */
uint64_t spool_size(const struct spool *spool);

/*
 * Puts n bytes behind the others. POLY_ERR_MEMORY; POLY_ERR_IO: the temporary file cannot be
 * made or written. Sticky.
 */
enum poly_status spool_put(
	struct spool *spool, const void *data, size_t n, struct poly_error *error);

/* Takes n bytes from a place on, all of which were put. POLY_ERR_IO. */
enum poly_status spool_take(const struct spool *spool, uint64_t place, uint8_t *to, size_t n,
	struct poly_error *error);

/* Gives everything back. Accepts NULL. */
void spool_free(struct spool *spool);

#endif
