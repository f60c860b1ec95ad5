/* SPDX-License-Identifier: MIT */
/* Filters: expressions that choose rows. */
#include "lang/expr/expr.h"

#include "base/err.h"
#include "base/mem.h"
#include "model/columns.h"

#include <stdio.h>
#include <string.h>

enum poly_status
poly_filter_new(const char *text, struct poly_filter **filter, struct poly_error *error)
{
	return poly_filter_new_named(text, NULL, filter, error);
}

enum poly_status
poly_filter_new_named(const char *text, const struct poly_filter_names *names,
	struct poly_filter **filter, struct poly_error *error)
{
	*filter = NULL;
	if (strlen(text) > EXPR_TEXT_MAX)
		return err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
			"the expression is longer than %zu bytes", EXPR_TEXT_MAX);
	struct poly_filter *it = mem_new(1, sizeof *it);
	if (!it)
		return err_memory(error);
	it->text = mem_string(text);
	enum poly_status status = it->text ? expr_parse(it, names, error) : err_memory(error);
	if (status == POLY_OK) {
		it->strips = mem_new((size_t)it->nodes[it->root].room + 1, sizeof *it->strips);
		status = it->strips ? POLY_OK : err_memory(error);
	}
	if (status != POLY_OK) {
		poly_filter_free(it);
		return status;
	}
	*filter = it;
	return POLY_OK;
}

poly_columns
poly_filter_columns(const struct poly_filter *filter)
{
	return filter->columns;
}

static void
list_columns(poly_columns columns, char *text, size_t size)
{
	size_t used = 0;
	*text = 0;
	for (; columns && used < size; columns &= columns - 1)
		used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
			column_table[__builtin_ctzll(columns)].name);
}

/* Fails where the trace does not have the column of a node. */
static enum poly_status
check_column(const struct poly_filter *filter, const struct node *node,
	const struct poly_trace_info *info, struct poly_error *error)
{
	char present[200];
	if (info->columns >> node->column & 1)
		return POLY_OK;
	list_columns(
		info->columns & ~(POLY_HAS(origin) | POLY_HAS(site)), present, sizeof present);
	return expr_error(filter->text, node->at, error,
		"the trace has no column '%s'; it has %s", column_table[node->column].name,
		present);
}

static bool
is_record(const struct poly_trace_info *info, const char *name)
{
	for (unsigned i = 0; i < info->record_count; i++) {
		if (strcmp(info->records[i], name) == 0)
			return true;
	}
	return false;
}

/* Fails where a word is none of the values that its column can have. */
static enum poly_status
check_word(const struct poly_filter *filter, const struct node *node,
	const struct poly_trace_info *info, struct poly_error *error)
{
	const char *word = (const char *)filter->texts.data + node->text;
	const struct column_traits *traits = &column_table[node->column];
	switch (traits->form) {
	case POLY_FORM_RECORD:
		if (is_record(info, word))
			return POLY_OK;
		return expr_error(filter->text, node->at, error,
			"'%.40s' is none of the trace's records; 'polytrace info' lists them",
			word);
	case POLY_FORM_KIND:
	case POLY_FORM_ACCESS:
	case POLY_FORM_BRANCH:
	case POLY_FORM_SYNC:
	case POLY_FORM_EVENT:
	case POLY_FORM_FLAGS:
		if (poly_enum_find(traits->form, word, node->text_length) >= 0)
			return POLY_OK;
		return expr_error(filter->text, node->at, error,
			"'%.40s' is no value of '%s', %s", word, traits->name, traits->doc);
	case POLY_FORM_BOOL:
		if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0)
			return POLY_OK;
		return expr_error(filter->text, node->at, error,
			"'%.40s' is neither true nor false", word);
	case POLY_FORM_DEC:
	case POLY_FORM_HEX:
		return expr_error(filter->text, node->at, error,
			"'%.40s' is no number, as those of column '%s' are", word,
			traits->name);
	case POLY_FORM_NAME:
	case POLY_FORM_BYTES:
	case POLY_FORM_TEXT: break;
	}
	return POLY_OK;
}

enum poly_status
poly_filter_bind(struct poly_filter *filter, const struct poly_trace_info *info,
	struct poly_error *error)
{
	expr_forget(filter);
	filter->info = info;
	for (uint32_t i = 1; i < filter->count; i++) {
		const struct node *node = &filter->nodes[i];
		enum poly_status status = POLY_OK;
		if (node->kind == NODE_COLUMN)
			status = check_column(filter, node, info, error);
		else if (node->kind == NODE_MATCH)
			status = check_word(filter, node, info, error);
		if (status != POLY_OK)
			return status;
	}
	expr_settle(filter);
	return POLY_OK;
}

enum poly_status
poly_filter_test(struct poly_filter *filter, const struct poly_batch *batch, uint64_t *chosen,
	struct poly_error *error)
{
	filter->failed = false;
	for (size_t base = 0; base < batch->rows; base += EXPR_STRIP) {
		uint64_t bits[EXPR_WORDS];
		const size_t left = batch->rows - base;
		const size_t rows = left < EXPR_STRIP ? left : EXPR_STRIP;
		expr_run(filter, batch, base, rows, bits);
		memcpy(chosen + base / 64, bits, (rows + 63) / 64 * sizeof *bits);
	}
	return filter->failed ? err_memory(error) : POLY_OK;
}

const struct poly_batch *
poly_filter_apply(
	struct poly_filter *filter, const struct poly_batch *batch, struct poly_error *error)
{
	uint64_t chosen[POLY_BATCH_ROWS / 64];
	enum poly_status status = poly_filter_test(filter, batch, chosen, error);
	if (status == POLY_OK)
		status = batch_gather_rows(&filter->pick, batch, chosen, error);
	return status == POLY_OK ? &filter->pick.view : NULL;
}

void
poly_filter_free(struct poly_filter *filter)
{
	if (!filter)
		return;
	expr_forget(filter);
	for (uint32_t i = 0; i < filter->count; i++)
		regex_free(filter->nodes[i].regex);
	batch_gather_fini(&filter->pick);
	buf_free(&filter->texts);
	buf_free(&filter->shown);
	mem_free(filter->strips);
	mem_free(filter->nodes);
	mem_free(filter->text);
	mem_free(filter);
}
