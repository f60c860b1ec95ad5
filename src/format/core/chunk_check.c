/* SPDX-License-Identifier: MIT */
/* Checks by decoders: the reader's part. */
#include "format/core/chunk_check.h"

#include "format/core/format.h"

void *
check_state(const struct format *format, const struct reading *reading)
{
	return (char *)reading->state + format->check_offset;
}

/* Checks the deferred rows after the prefix. */
static void
check_deferred_rows(const struct format *format, struct reading *reading,
	const struct deferred_checks *deferred, const struct poly_batch *batch)
{
	for (size_t i = 0; i * 64 < batch->rows; i++) {
		for (uint64_t rows = deferred->rows[i]; rows; rows &= rows - 1) {
			const size_t row = i * 64 + (size_t)__builtin_ctzll(rows);
			format->check_deferred(reading, batch, deferred->prefix, row);
		}
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
	if (deferred->any)
		check_deferred_rows(format, reading, deferred, batch);
	if (format->check_adopt)
		format->check_adopt(
			reading, batch, check->state, reading->record - check->first);
}
