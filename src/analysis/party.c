/* SPDX-License-Identifier: MIT */
/* Numbers for parties: the column in the upper four bits, its value below. */
#include "analysis/party.h"

#define SHIFT 60
#define MASK (((uint64_t)1 << SHIFT) - 1)

const enum poly_column party_columns[PARTY_COLUMN_COUNT] = {
	POLY_COLUMN_thread, POLY_COLUMN_process, POLY_COLUMN_cpu, POLY_COLUMN_cpu_name};

uint64_t
party_number(enum poly_column column, uint64_t value)
{
	uint64_t which = 1;
	while (which < PARTY_COLUMN_COUNT && party_columns[which - 1] != column)
		which++;
	return which << SHIFT | (value & MASK);
}

uint64_t
party_key(const struct poly_batch *batch, size_t row)
{
	for (size_t i = 0; i < PARTY_COLUMN_COUNT; i++) {
		if (poly_present(batch, party_columns[i], row))
			return party_number(party_columns[i],
				poly_batch_integer(batch, party_columns[i], row));
	}
	return 0;
}

uint64_t
party_named(uint32_t name)
{
	return party_number(POLY_COLUMN_cpu_name, name);
}

uint32_t
party_name_number(uint64_t key)
{
	const bool named =
		key >> SHIFT && party_columns[(key >> SHIFT) - 1] == POLY_COLUMN_cpu_name;
	return named ? (uint32_t)key : PARTY_NO_NAME;
}

void
party_name(const struct poly_trace_info *info, uint64_t key, struct buf *to)
{
	const uint64_t which = key >> SHIFT, value = key & MASK;
	if (!which)
		return;
	const enum poly_column column = party_columns[which - 1];
	const uint32_t number = party_name_number(key);
	const char *name = number == PARTY_NO_NAME ? NULL : poly_trace_name(info, number);
	if (name)
		buf_string(to, name);
	else
		buf_printf(to, "%s %llu", poly_column_name(column), (unsigned long long)value);
}
