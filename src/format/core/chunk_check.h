/* SPDX-License-Identifier: MIT */
/*
 * Checks by decoders: a decoder tests the rules on the rows of its chunks, with a state of its
 * own, and the reader continues with the state that results. What depends on records before
 * the chunk is deferred to the reader, and where a decoder finds anything that is stored, the
 * reader checks the batch again, so that findings have one implementation.
 */
#ifndef FORMAT_CHUNK_CHECK_H
#define FORMAT_CHUNK_CHECK_H

#include "polytrace/batch.h"

#include "model/findings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct format;
struct reading;

/* A value that a key had in a row which the reader has checked, or will check. */
struct agreed_value {
	uint64_t a, b1; /* the key; b1 is its second number plus 1, 0 in empty slots */
	uint64_t value;
};

#define AGREED_BITS 14
#define AGREED_COUNT ((size_t)1 << AGREED_BITS)

/* What a decoder left to the reader, of one batch. */
struct deferred_checks {
	size_t prefix;			     /* first rows, which the reader checks in full */
	bool any;			     /* rows is not empty */
	uint64_t rows[POLY_BATCH_ROWS / 64]; /* a bit per row to pass to check_deferred */
	struct agreed_value *agreed;	     /* AGREED_COUNT slots of the decoder */
};

/* The check of one batch of a chunk. */
struct batch_check {
	struct deferred_checks deferred;
	bool failed; /* the reader checks all rows, since it has to store a finding */
	uint32_t counts[FINDINGS_RULES_MAX]; /* findings to count, by rule */
	uint64_t first; /* number of records of the chunk before the batch */
	void *state;	/* the decoder's after the batch: the format's check_size bytes */
};

/* Leaves a row to check_deferred. */
static inline void
check_defer(struct deferred_checks *deferred, size_t row)
{
	deferred->rows[row / 64] |= (uint64_t)1 << row % 64;
	deferred->any = true;
}

/*
 * Leaves a row to check_deferred unless a row with the same key (a, b) was left to it that had
 * the same value, so that the reader sees each value of each key. b is below UINT64_MAX.
 */
static inline void
check_defer_value(
	struct deferred_checks *deferred, size_t row, uint64_t a, uint64_t b, uint64_t value)
{
	/* Nearby addresses of instructions get different pairs of slots. */
	const uint64_t mixed = (a >> 2 ^ a << (AGREED_BITS - 3) ^ a >> 15 ^ b * 0x9e37) << 1;
	struct agreed_value *pair = &deferred->agreed[mixed % AGREED_COUNT];
	struct agreed_value *agreed = pair;
	if (agreed->a != a || agreed->b1 != b + 1)
		agreed++;
	if (agreed->a != a || agreed->b1 != b + 1)
		*agreed = pair[0], agreed = pair;
	else if (agreed->value == value)
		return;
	*agreed = (struct agreed_value){a, b + 1, value};
	check_defer(deferred, row);
}

/* The state of a format's check in that of its reader. */
void *check_state(const struct format *format, const struct reading *reading);

/* Checks a batch of a chunk by the reader, which has completed it; valid: the decoder's check
 * is used. */
void batch_check_complete(const struct format *format, struct reading *reading,
	const struct batch_check *check, struct poly_batch *batch, bool valid);

#endif
