/* SPDX-License-Identifier: MIT */
/*
 * The next use of each line access of a trace, which is known only from its end. It takes two
 * passes: the first writes the lines to a store outside memory, eight bytes per access; then
 * they are traversed from the last to the first, a block at a time, and their next uses are
 * written to a second store, which the second pass reads in order.
 *
 * Memory: a block, and sim/memory/line_table.h during the traversal.
 */
#ifndef SIM_NEXT_USE_H
#define SIM_NEXT_USE_H

#include "polytrace/status.h"

#include "sim/memory/line_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No next use. */
#define NEXT_USE_NONE UINT64_MAX

/* Random-access storage, such as a temporary file; both functions return success. */
struct sim_store {
	bool (*put)(void *user, uint64_t at, const void *data, size_t size);
	bool (*get)(void *user, uint64_t at, void *data, size_t size);
	void *user;
};

struct next_use;

/* Creates an empty state; stores: of lines, and of next uses; they must outlive it.
 * POLY_ERR_MEMORY. */
enum poly_status next_use_new(
	const struct sim_store stores[2], struct next_use **next, struct poly_error *error);
void next_use_free(struct next_use *next);

/* First pass: appends accesses by line number. POLY_ERR_IO if the store fails (sys_errno is
 * its), POLY_ERR_MEMORY. */
enum poly_status next_use_add(
	struct next_use *next, const uint64_t *lines, size_t count, struct poly_error *error);

/*
 * Ends the first pass, and begins the second one: finds the next uses of all lines in a table
 * of at most memory bytes; POLY_ERR_LIMIT: they do not fit. With sample, those of a sample's
 * lines, at the highest rate from sample->rate on whose lines fit, which is stored there; those
 * of other lines are undefined. May be called again. POLY_ERR_IO, POLY_ERR_MEMORY.
 */
enum poly_status next_use_resolve(struct next_use *next, uint64_t memory,
	struct line_sample *sample, struct poly_error *error);

/* Second pass: reads the next count accesses, with their next uses as access numbers from 0, or
 * NEXT_USE_NONE. POLY_ERR_USAGE beyond the end, POLY_ERR_IO. */
enum poly_status next_use_read(struct next_use *next, uint64_t *lines, uint64_t *uses,
	size_t count, struct poly_error *error);

#endif
