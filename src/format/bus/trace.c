/* SPDX-License-Identifier: MIT */
/* Functions shared by the formats of bus traces. */
#include "format/bus/trace.h"

const char *const bus_line_words[] = {"32", "8", NULL};

void
bus_put_corrupt(struct batch *batch, size_t row, uint8_t record, const uint8_t *bytes, size_t n)
{
	batch_put(batch, kind, row, POLY_KIND_OTHER);
	batch_put(batch, record, row, record);
	batch_put_bytes(batch, POLY_COLUMN_raw, row, bytes, n);
}

enum poly_status
bus_read_tail(struct reading *reading, struct batch *batch, unsigned rule, uint8_t record,
	size_t record_size)
{
	size_t n;
	const uint8_t *p = in_peek(reading->in, record_size, &n);
	uint64_t offset = in_offset(reading->in);
	if (n == 0)
		return POLY_END;
	if (in_ended(reading->in))
		findings_add_truncation(reading->findings, rule, reading->record + 1, offset,
			"the last record has %zu bytes, expected %zu", n, record_size);
	bus_put_corrupt(batch, 0, record, p, n);
	batch_put(batch, origin, 0, offset);
	batch->view.rows = 1;
	in_consume(reading->in, n);
	return POLY_OK;
}
