/* SPDX-License-Identifier: MIT */
/* Filters: expressions that select rows. */
#include "lang/expr/expr.h"

#include "base/err.h"
#include "base/mem.h"
#include "model/columns.h"
#include "model/info.h"

#include <stdio.h>
#include <string.h>

enum poly_status
poly_filter_new(const char *text, struct poly_filter **filter, struct poly_error *error)
{
	return poly_filter_new_named(text, NULL, filter, error);
}

enum poly_status
poly_filter_new_named(const char *text, const struct poly_filter_names *names,
	struct poly_filter **result, struct poly_error *error)
{
	*result = NULL;
	if (strlen(text) > EXPR_TEXT_MAX)
		return err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
			"the expression exceeds %zu bytes", EXPR_TEXT_MAX);
	struct poly_filter *filter = mem_new(1, sizeof *filter);
	if (!filter)
		return err_memory(error);
	filter->text = mem_string(text);
	enum poly_status status =
		filter->text ? expr_parse(filter, names, error) : err_memory(error);
	if (status == POLY_OK) {
		filter->strips = mem_new(
			(size_t)filter->nodes[filter->root].room + 1, sizeof *filter->strips);
		status = filter->strips ? POLY_OK : err_memory(error);
	}
	if (status != POLY_OK) {
		poly_filter_free(filter);
		return status;
	}
	*result = filter;
	return POLY_OK;
}

poly_columns
poly_filter_columns(const struct poly_filter *filter)
{
	return filter->columns;
}

/* Returns the name of the register that a node reads; NULL: none. */
static const char *
register_of(const struct poly_filter *filter, const struct node *node)
{
	const bool is_register =
		node->kind == NODE_REGISTER || (node->kind == NODE_HAS && node->text_length);
	return is_register ? (const char *)filter->texts.data + node->text : NULL;
}

const char *
poly_filter_register_at(const struct poly_filter *filter, unsigned i)
{
	for (uint32_t n = 1; n < filter->count; n++) {
		const char *name = register_of(filter, &filter->nodes[n]);
		if (name && i-- == 0)
			return name;
	}
	return NULL;
}

/* Sets the columns of registers as the trace has them now: the reader's plan follows the
 * binding. */
static void
find_registers(struct poly_filter *filter, const struct poly_trace_info *info)
{
	for (uint32_t n = 1; n < filter->count; n++) {
		struct node *node = &filter->nodes[n];
		const char *name = register_of(filter, node);
		if (!name)
			continue;
		node->column = POLY_COLUMN_NONE;
		for (unsigned i = 0; i < info_register_count(info); i++) {
			if (strcmp(info->names->registers[i], name) == 0)
				node->column = (enum poly_column)(POLY_COLUMN_register + i);
		}
	}
}

/* Fails if the trace's instruction set does not have the register of a node. */
static enum poly_status
check_register(const struct poly_filter *filter, const struct node *node,
	const struct poly_trace_info *info, struct poly_error *error)
{
	const char *name = register_of(filter, node);
	if (!info->isa || poly_isa_has_register(info->isa, name))
		return POLY_OK;
	return expr_error(filter->text, node->at, error,
		"instruction set '%s' has no register '%s'", info->isa, name);
}

/* Fails if the trace does not have the column of a node. */
static enum poly_status
check_column(const struct poly_filter *filter, const struct node *node,
	const struct poly_trace_info *info, struct poly_error *error)
{
	char present[200];
	if (poly_columns_has(info->columns, node->column))
		return POLY_OK;
	columns_list(poly_columns_minus(info->columns, POLY_COLUMNS(origin, site)), present,
		sizeof present);
	return expr_error(filter->text, node->at, error,
		"the trace does not have the column '%s' (it has row, %s)",
		column_table[node->column].name, present);
}

/* Whether word is one of the trace's records, whose names text gets. */
static bool
is_record(const struct poly_trace_info *info, const char *word, char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "one of:");
	bool found = false;
	for (unsigned i = 0; i < info->record_count; i++) {
		found |= strcmp(info->records[i], word) == 0;
		if (used < size)
			used += (size_t)snprintf(text + used, size - used, "%s %s",
				i ? "," : "", info->records[i]);
	}
	return found;
}

/* Whether word is a value of an enumeration, whose names text gets. */
static bool
is_enum(enum poly_form form, const char *word, size_t n, char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "one of:");
	const char *name;
	for (unsigned i = 0; (name = poly_enum_name(form, i)) && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s %s", i ? "," : "", name);
	return poly_enum_find(form, word, n) >= 0;
}

/* Fails if a word is not a valid value of its column. */
static enum poly_status
check_word(const struct poly_filter *filter, const struct node *node,
	const struct poly_trace_info *info, struct poly_error *error)
{
	const char *word = (const char *)filter->texts.data + node->text;
	const struct column_traits *traits = &column_table[node->column];
	char expected[300] = "a number";
	bool is_valid = true;
	switch (traits->form) {
	case POLY_FORM_RECORD:
		is_valid = is_record(info, word, expected, sizeof expected);
		break;
	case POLY_FORM_KIND:
	case POLY_FORM_ACCESS:
	case POLY_FORM_BRANCH:
	case POLY_FORM_SYNC:
	case POLY_FORM_EVENT:
	case POLY_FORM_FLAGS:
		is_valid = is_enum(
			traits->form, word, node->text_length, expected, sizeof expected);
		break;
	case POLY_FORM_BOOL:
		is_valid = strcmp(word, "true") == 0 || strcmp(word, "false") == 0;
		snprintf(expected, sizeof expected, "true or false");
		break;
	case POLY_FORM_DEC:
	case POLY_FORM_HEX: is_valid = false; break;
	case POLY_FORM_NAME:
	case POLY_FORM_BYTES:
	case POLY_FORM_TEXT: break;
	}
	if (is_valid)
		return POLY_OK;
	return expr_error(filter->text, node->at, error,
		"invalid value '%.40s' for column '%s' (expected %s)", word, traits->name,
		expected);
}

enum poly_status
poly_filter_bind(struct poly_filter *filter, const struct poly_trace_info *info,
	struct poly_error *error)
{
	expr_clear_verdicts(filter);
	filter->info = info;
	filter->has_found_registers = false;
	for (uint32_t i = 1; i < filter->count; i++) {
		const struct node *node = &filter->nodes[i];
		enum poly_status status = POLY_OK;
		if (node->kind == NODE_COLUMN)
			status = check_column(filter, node, info, error);
		else if (node->kind == NODE_MATCH)
			status = check_word(filter, node, info, error);
		else if (register_of(filter, node))
			status = check_register(filter, node, info, error);
		if (status != POLY_OK)
			return status;
	}
	expr_find_ranges(filter);
	return POLY_OK;
}

/* Fails with the fault of the last test. */
static enum poly_status
report_fault(const struct poly_filter *filter, const struct poly_batch *batch,
	struct poly_error *error)
{
	static const char *const messages[] = {
		[FAULT_DIVISION] = "the expression divides by 0; exclude such records by "
				   "'DIVISOR != 0 and ...'",
		[FAULT_PATTERN] = "the regular expression exceeds its limit on this text; "
				  "simplify it"};
	if (filter->fault == FAULT_MEMORY)
		return err_memory(error);
	const size_t row = (size_t)filter->fault_row;
	const bool has_origin = poly_present(batch, POLY_COLUMN_origin, row);
	const enum poly_status status = err_set(error, POLY_ERR_LIMIT,
		has_origin ? batch->origin[row] : POLY_NO_OFFSET, "%s",
		messages[filter->fault]);
	if (error)
		error->record = poly_batch_number(batch, row);
	return status;
}

enum poly_status
poly_filter_test(struct poly_filter *filter, const struct poly_batch *batch, uint64_t *chosen,
	struct poly_error *error)
{
	filter->fault = FAULT_NONE;
	if (!filter->has_found_registers) {
		find_registers(filter, batch->info);
		filter->has_found_registers = true;
	}
	for (size_t base = 0; base < batch->rows; base += EXPR_STRIP) {
		uint64_t bits[EXPR_WORDS];
		const size_t left = batch->rows - base;
		const size_t rows = left < EXPR_STRIP ? left : EXPR_STRIP;
		expr_run(filter, batch, base, rows, bits);
		memcpy(chosen + base / 64, bits, (rows + 63) / 64 * sizeof *bits);
		if (filter->fault != FAULT_NONE)
			return report_fault(filter, batch, error);
	}
	return filter->fault == FAULT_NONE ? POLY_OK : report_fault(filter, batch, error);
}

enum poly_status
expr_test_rows(struct poly_filter *filter, const struct poly_batch *batch,
	struct expr_test *test, struct poly_error *error)
{
	filter->needed = test->needed;
	const enum poly_status status = poly_filter_test(filter, batch, test->selected, error);
	filter->needed = NULL;
	test->valid = batch->rows;
	if (status != POLY_OK)
		test->valid = filter->fault == FAULT_MEMORY ? 0 : (size_t)filter->fault_row;
	return status;
}

const struct poly_batch *
poly_filter_apply(
	struct poly_filter *filter, const struct poly_batch *batch, struct poly_error *error)
{
	uint64_t selected[POLY_BATCH_ROWS / 64];
	enum poly_status status = poly_filter_test(filter, batch, selected, error);
	if (status == POLY_OK)
		status = batch_gather_rows(&filter->gather, batch, selected, error);
	return status == POLY_OK ? &filter->gather.view : NULL;
}

void
poly_filter_free(struct poly_filter *filter)
{
	if (!filter)
		return;
	expr_clear_verdicts(filter);
	for (uint32_t i = 0; i < filter->count; i++)
		regex_free(filter->nodes[i].regex);
	batch_gather_fini(&filter->gather);
	buf_free(&filter->texts);
	buf_free(&filter->shown);
	mem_free(filter->strips);
	mem_free(filter->nodes);
	mem_free(filter->text);
	mem_free(filter);
}
