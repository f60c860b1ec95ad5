/* SPDX-License-Identifier: MIT */
/* Checks by decoders: the reader's part. */
#include "format/core/chunk_check.h"

#include "format/core/format.h"

void *
check_state(const struct format *format, const struct reading *reading)
{
	return (char *)reading->state + format->check_offset;
}

/*
 * Checks the deferred rows after the prefix. If a value disagrees, rows with that value that
 * follow were not deferred, so all of them are checked.
 */
static void
check_deferred_rows(const struct format *format, struct reading *reading,
	const struct deferred_checks *deferred, const struct poly_batch *batch)
{
	for (size_t row = deferred->prefix; row < batch->rows; row++) {
		const uint64_t left = deferred->rows[row / 64] >> row % 64;
		if (!reading->has_disagreed && !left)
			row |= 63;
		else if (reading->has_disagreed || (left & 1))
			format->check_deferred(reading, batch, deferred->prefix, row);
	}
}

void
batch_check_complete(const struct format *format, struct reading *reading,
	const struct batch_check *check, struct poly_batch *batch, bool valid)
{
	const struct deferred_checks *deferred = &check->deferred;
	const size_t rows = batch->rows;
	if (!valid || check->failed ||
		(format->check_fits && !format->check_fits(reading, check->state))) {
		format->check(reading, batch);
		return;
	}
	if (deferred->prefix) {
		batch->rows = deferred->prefix;
		format->check(reading, batch);
		batch->rows = rows;
	}
	for (unsigned rule = 0; rule < reading->findings->rule_count; rule++)
		reading->findings->counts[rule] += check->counts[rule];
	if (deferred->prefix == rows)
		return;
	if (deferred->any || (reading->has_disagreed && format->check_deferred))
		check_deferred_rows(format, reading, deferred, batch);
	if (format->check_adopt)
		format->check_adopt(
			reading, batch, check->state, reading->record - check->first);
}
