/* SPDX-License-Identifier: MIT */
/* Converts tests of a column against constants to ranges, one comparison each at run time. */
#include "lang/expr/expr.h"

#include "model/columns.h"

#include <string.h>

/* The minimum and maximum in the order of a test. */
static uint64_t
least(const struct node *test)
{
	return test->is_signed ? (uint64_t)1 << 63 : 0;
}

static uint64_t
largest(const struct node *test)
{
	return least(test) - 1;
}

static void
set_range(struct node *test, enum poly_column column, uint64_t first, uint64_t last)
{
	test->ranged = true;
	test->column = column;
	test->first = first;
	test->last = last;
	test->empty = last - least(test) < first - least(test);
}

/* Sets the range below (same: up to) a constant, or above it if the column is on the right. */
static void
settle_order(struct node *test, const struct node *left, const struct node *right, bool same)
{
	const bool below = left->kind == NODE_COLUMN;
	const uint64_t k = below ? right->number : left->number;
	if (below)
		set_range(test, left->column, least(test), same ? k : k - 1);
	else
		set_range(test, right->column, same ? k : k + 1, largest(test));
	test->empty |= !same && k == (below ? least(test) : largest(test));
}

static void
settle_comparison(const struct poly_filter *filter, struct node *test)
{
	const struct node *left = &filter->nodes[test->left];
	const struct node *right = &filter->nodes[test->right];
	const struct node *third = &filter->nodes[test->third];
	const bool forth = left->kind == NODE_COLUMN && right->kind == NODE_NUMBER;
	const bool back = left->kind == NODE_NUMBER && right->kind == NODE_COLUMN;
	if (test->kind == NODE_BETWEEN) {
		if (forth && third->kind == NODE_NUMBER)
			set_range(test, left->column, right->number, third->number);
	} else if (forth || back) {
		if (test->kind == NODE_EQUAL && forth)
			set_range(test, left->column, right->number, right->number);
		else if (test->kind == NODE_EQUAL)
			set_range(test, right->column, left->number, left->number);
		else
			settle_order(test, left, right, test->kind == NODE_LESS_EQUAL);
	}
}

/* Resolves a word to a number of its column; that of a record depends on the trace. */
static void
settle_word(const struct poly_filter *filter, struct node *test)
{
	const char *word = (const char *)filter->texts.data + test->text;
	const enum poly_form form = column_table[test->column].form;
	const struct poly_trace_info *info = filter->info;
	const int value = poly_enum_find(form, word, test->text_length);
	test->ranged = false;
	if (value >= 0)
		set_range(test, test->column, (uint64_t)value, (uint64_t)value);
	if (form == POLY_FORM_BOOL && strcmp(word, "true") == 0)
		set_range(test, test->column, 1, UINT64_MAX);
	else if (form == POLY_FORM_BOOL)
		set_range(test, test->column, 0, 0);
	/* Several records of a foreign trace can have one name: compare it as text. */
	unsigned found = 0, last = 0;
	for (unsigned i = 0; form == POLY_FORM_RECORD && i < info->record_count; i++) {
		const bool is = strcmp(info->records[i], word) == 0;
		found += is;
		last = is ? i : last;
	}
	if (found == 1)
		set_range(test, test->column, last, last);
}

void
expr_find_ranges(struct poly_filter *filter)
{
	for (uint32_t i = 1; i < filter->count; i++) {
		struct node *node = &filter->nodes[i];
		switch ((unsigned)node->kind) {
		case NODE_EQUAL:
		case NODE_LESS:
		case NODE_LESS_EQUAL:
		case NODE_BETWEEN: settle_comparison(filter, node); break;
		case NODE_MATCH: settle_word(filter, node); break;
		}
	}
}
