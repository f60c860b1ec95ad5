/* SPDX-License-Identifier: MIT */
/* Keys of contexts: the column in the upper four bits, its value in the others. */
#include "model/context.h"

#define SHIFT 60
#define MASK (((uint64_t)1 << SHIFT) - 1)

const enum poly_column context_columns[CONTEXT_COLUMN_COUNT] = {
	POLY_COLUMN_thread, POLY_COLUMN_process, POLY_COLUMN_cpu, POLY_COLUMN_cpu_name};

uint64_t
context_key_of_value(enum poly_column column, uint64_t value)
{
	uint64_t rank = 1;
	while (rank < CONTEXT_COLUMN_COUNT && context_columns[rank - 1] != column)
		rank++;
	return rank << SHIFT | (value & MASK);
}

uint64_t
context_key(const struct poly_batch *batch, size_t row)
{
	for (size_t i = 0; i < CONTEXT_COLUMN_COUNT; i++) {
		if (poly_present(batch, context_columns[i], row))
			return context_key_of_value(context_columns[i],
				poly_batch_integer(batch, context_columns[i], row));
	}
	return 0;
}

uint64_t
context_key_of_name(uint32_t name)
{
	return context_key_of_value(POLY_COLUMN_cpu_name, name);
}

uint32_t
context_name_index(uint64_t key)
{
	const bool named =
		key >> SHIFT && context_columns[(key >> SHIFT) - 1] == POLY_COLUMN_cpu_name;
	return named ? (uint32_t)key : CONTEXT_NO_NAME;
}

bool
context_is_key(uint64_t key)
{
	return key >> SHIFT <= CONTEXT_COLUMN_COUNT;
}

void
context_append_name(const struct poly_trace_info *info, uint64_t key, struct buf *text)
{
	const uint64_t rank = key >> SHIFT, value = key & MASK;
	if (!rank)
		return;
	const enum poly_column column = context_columns[rank - 1];
	const uint32_t number = context_name_index(key);
	const char *name = number == CONTEXT_NO_NAME ? NULL : poly_trace_name(info, number);
	if (name)
		buf_string(text, name);
	else
		buf_printf(
			text, "%s %llu", poly_column_name(column), (unsigned long long)value);
}
