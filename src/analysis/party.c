/* SPDX-License-Identifier: MIT */
/* Numbers for parties: the column in the upper four bits, its value below. */
#include "analysis/party.h"

#define SHIFT 60
#define MASK (((uint64_t)1 << SHIFT) - 1)

static const enum poly_column columns[] = {
	POLY_COLUMN_thread, POLY_COLUMN_process, POLY_COLUMN_cpu, POLY_COLUMN_cpu_name};

uint64_t
party_key(const struct poly_batch *batch, size_t row)
{
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
		if (poly_present(batch, columns[i], row))
			return (uint64_t)(i + 1) << SHIFT |
			       (poly_batch_integer(batch, columns[i], row) & MASK);
	}
	return 0;
}

void
party_name(const struct poly_trace_info *info, uint64_t key, struct buf *to)
{
	const uint64_t which = key >> SHIFT, value = key & MASK;
	if (!which)
		return;
	const enum poly_column column = columns[which - 1];
	const char *name =
		column == POLY_COLUMN_cpu_name ? poly_trace_name(info, (uint32_t)value) : NULL;
	if (name)
		buf_string(to, name);
	else
		buf_printf(to, "%s %llu", poly_column_name(column), (unsigned long long)value);
}
