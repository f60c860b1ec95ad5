/* SPDX-License-Identifier: MIT */
#include "effects/conversion.h"

size_t
effects_add_row(struct effects *effects, uint64_t number, enum poly_kind kind)
{
	struct batch *rows = effects_rows(effects);
	uint64_t *numbers = effects->numbers[effects->turn];
	const size_t row = rows->view.rows++;
	/* Rows are in the order of their records, as of any batch. */
	if (row && number < numbers[row - 1])
		number = numbers[row - 1];
	numbers[row] = number;
	batch_put(rows, kind, row, (uint8_t)kind);
	return row;
}

void
effects_note(const struct effects *effects, const char *what)
{
	if (effects->options.note)
		effects->options.note(effects->options.user, what);
}
