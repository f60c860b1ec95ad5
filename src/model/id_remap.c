/* SPDX-License-Identifier: MIT */
/* Numbers that were given apart from each other, as one numbering. */
#include "model/id_remap.h"

#include "base/mem.h"
#include "model/columns.h"

#include <string.h>

bool
id_remap_add(struct id_remap *translation, const uint32_t *to, size_t n)
{
	size_t need = translation->count + n;
	if (need > translation->capacity) {
		size_t capacity = 2 * need;
		uint32_t *larger = capacity > UINT32_MAX ? NULL
							 : mem_resize(translation->to, capacity,
								   sizeof *larger);
		if (!larger)
			return false;
		translation->to = larger;
		translation->capacity = (uint32_t)capacity;
	}
	for (size_t i = 0; i < n; i++) {
		translation->differs |= to[i] != translation->count;
		translation->to[translation->count++] = to[i];
	}
	return true;
}

void
id_remap_apply(
	const struct id_remap *translation, struct batch *batch, enum poly_column column)
{
	uint32_t *numbers = batch_column(batch, column);
	const uint32_t *to = translation->to, count = translation->count;
	if (!numbers || !translation->differs)
		return;
	/* Where a row has no value, anything may stand. */
	for (size_t row = 0; row < batch->view.rows; row++)
		numbers[row] = numbers[row] < count ? to[numbers[row]] : numbers[row];
}

void
id_remap_apply_names(const struct id_remap *translation, struct batch *batch)
{
	for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++) {
		if (column_table[c].form == POLY_FORM_NAME)
			id_remap_apply(translation, batch, (enum poly_column)c);
	}
}

void
id_remap_free(struct id_remap *translation)
{
	mem_free(translation->to);
	memset(translation, 0, sizeof *translation);
}
