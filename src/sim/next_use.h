/* SPDX-License-Identifier: MIT */
/*
 * When each line of a trace is used next, which is known only from its end. The trace is seen
 * twice: first its lines are kept in a store outside memory, eight bytes a use; then they are
 * gone through from the last to the first, a block at a time, and replaced by their next uses,
 * which can be read in order.
 *
 * Memory: a block, and 8 bytes a line beside sim/dense_index.h.
 */
#ifndef SIM_NEXT_USE_H
#define SIM_NEXT_USE_H

#include "polytrace/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* There is no next use. */
#define NEXT_USE_NONE UINT64_MAX

/* Bytes by place, as in a temporary file; both say whether it went well. */
struct sim_store {
	bool (*put)(void *user, uint64_t at, const void *data, size_t size);
	bool (*get)(void *user, uint64_t at, void *data, size_t size);
	void *user;
};

struct next_use;

/* A trace of at most lines different lines; the store has to last as long.
 * POLY_ERR_MEMORY. */
enum poly_status next_use_new(const struct sim_store *store, uint32_t lines,
	struct next_use **next, struct poly_error *error);
void next_use_free(struct next_use *next);

/* The first pass: uses of lines, by their numbers. POLY_ERR_IO where the store fails (sys_errno
 * is its), POLY_ERR_LIMIT where there are more lines than said, POLY_ERR_MEMORY. */
enum poly_status next_use_add(
	struct next_use *next, const uint64_t *lines, size_t count, struct poly_error *error);

/* Ends the first pass. POLY_ERR_IO, POLY_ERR_MEMORY. */
enum poly_status next_use_resolve(struct next_use *next, struct poly_error *error);

/* The second pass: the next uses of the next count uses, as numbers of uses from 0, or
 * NEXT_USE_NONE. POLY_ERR_USAGE where there were not so many, POLY_ERR_IO. */
enum poly_status next_use_read(
	struct next_use *next, uint64_t *uses, size_t count, struct poly_error *error);

#endif
