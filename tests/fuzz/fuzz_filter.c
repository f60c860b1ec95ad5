/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any text as a filter, over rows with and without values in every column. The
 * rows for which a condition holds and those for which its negation does are all rows.
 */
#include "polytrace/filter.h"

#include "model/batch.h"
#include "model/info.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More than are evaluated at a time. */
#define ROWS 600

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct info info;
static struct batch batch;

static void
fill(void)
{
	static const char *const records[] = {"load", "store"};
	if (batch.view.rows)
		return;
	info_init(&info);
	info.view.columns = POLY_ALL_COLUMNS;
	info.view.records = records;
	info.view.record_count = 2;
	if (batch_init(&batch, POLY_ALL_COLUMNS, POLY_BATCH_ROWS, &info.view, NULL) != POLY_OK)
		abort();
	const uint32_t names[] = {info_name(&info, "MOV", 3), info_name(&info, "r1", 2)};
	for (size_t r = 0; r < ROWS; r++) {
		for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++) {
			const enum poly_column column = (enum poly_column)c;
			const enum poly_form form = poly_column_form(column);
			const uint64_t value =
				form == POLY_FORM_NAME ? names[r % 2] : r * (c + 1) % 7;
			if ((r + c) % 3 != 0)
				batch_put_integer(&batch, column, r, value);
			if ((r + c) % 3 != 0)
				batch_put_bytes(&batch, column, r, "abc", r % 4);
		}
		batch.view.rows = r + 1;
	}
	if (batch_finish(&batch, NULL) != POLY_OK)
		abort();
}

/* Returns the rows for which a text holds; SIZE_MAX if the text is not a filter. */
static size_t
count(const char *text)
{
	struct poly_filter *filter;
	struct poly_error error;
	uint64_t chosen[POLY_BATCH_ROWS / 64];
	size_t rows = SIZE_MAX;
	if (poly_filter_new(text, &filter, &error) == POLY_OK) {
		if (poly_filter_bind(filter, &info.view, &error) == POLY_OK &&
			poly_filter_test(filter, &batch.view, chosen, &error) == POLY_OK) {
			rows = 0;
			for (size_t r = 0; r < batch.view.rows; r++)
				rows += chosen[r / 64] >> r % 64 & 1;
		}
		poly_filter_free(filter);
	}
	return rows;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *negated = malloc(size + 10);
	fill();
	if (text && negated) {
		memcpy(text, data, size);
		text[size] = 0;
		const size_t rows = count(text);
		sprintf(negated, "not (%s)", text);
		/* Brackets may be one too many. */
		const size_t others = rows == SIZE_MAX ? SIZE_MAX : count(negated);
		if (others != SIZE_MAX && rows + others != ROWS)
			abort();
	}
	free(text);
	free(negated);
	return 0;
}
