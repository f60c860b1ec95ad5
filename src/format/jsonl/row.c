/* SPDX-License-Identifier: MIT */
/*
 * Writes a row as a line in canonical form; no other file depends on that form.
 * spec: polytrace-jsonl(5).
 */
#include "format/jsonl/jsonl.h"

#include "base/num.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "model/columns.h"

#include <string.h>

static bool
has_value(const uint64_t *present, size_t rows)
{
	for (size_t i = 0; i < (rows + 63) / 64; i++) {
		if (present[i])
			return true;
	}
	return false;
}

/* Names of records, interned names and text can need escapes; quoting adds their quotes. */
static bool
is_escaped(enum poly_form form)
{
	return form == POLY_FORM_RECORD || form == POLY_FORM_NAME || form == POLY_FORM_TEXT;
}

static bool
is_bare(enum poly_form form)
{
	return form == POLY_FORM_DEC || form == POLY_FORM_BOOL;
}

static void
plan_field(struct jsonl_field *field, enum poly_column column, const char *name)
{
	field->column = column;
	field->traits = &column_table[column];
	const char *quote =
		is_escaped(field->traits->form) || is_bare(field->traits->form) ? "" : "\"";
	char *p = field->prefix;
	size_t n = strnlen(name, sizeof field->prefix - 6);
	memcpy(p, ",\"", 2);
	memcpy(p + 2, name, n);
	memcpy(p + 2 + n, "\":", 2);
	strcpy(p + 4 + n, quote);
	field->length = strlen(p);
}

#define COLUMN(name, type, form, doc) \
	_Static_assert(sizeof #name + 5 <= sizeof((struct jsonl_field *)0)->prefix, #name);
#include "polytrace/columns.def"
#undef COLUMN

void
jsonl_plan(struct jsonl_plan *plan, const struct poly_batch *batch, poly_columns columns)
{
	plan->count = 0;
	if (POLY_HAS(columns, row)) {
		struct jsonl_field *field = &plan->fields[plan->count++];
		plan_field(field, POLY_COLUMN_row, poly_column_name(POLY_COLUMN_row));
		field->present = NULL;
		field->data = NULL;
	}
	for (unsigned c = 0; c < COLUMN_STORED_END; c++) {
		const uint64_t *present = batch->present[c];
		if (!poly_columns_has(columns, (enum poly_column)c) || !present ||
			!has_value(present, batch->rows))
			continue;
		struct jsonl_field *field = &plan->fields[plan->count++];
		plan_field(field, (enum poly_column)c,
			poly_trace_column_name(batch->info, (enum poly_column)c));
		field->present = present;
		field->data = column_data(batch, (enum poly_column)c);
	}
}

static void
append_hex(struct buf *dst, const void *bytes, size_t n)
{
	uint8_t *room = buf_reserve(dst, 2 * n);
	if (!room)
		return;
	num_hex_bytes((char *)room, bytes, n);
	dst->size += 2 * n;
}

void
jsonl_text(struct buf *dst, const void *text, size_t n)
{
	if (utf8_is_valid(text, n)) {
		quote_json(dst, text, n);
		return;
	}
	buf_string(dst, "{\"hex\":\"");
	append_hex(dst, text, n);
	buf_string(dst, "\"}");
}

static void
append_slice(struct buf *dst, const struct jsonl_field *field, const struct poly_batch *batch,
	size_t row)
{
	size_t n;
	const uint8_t *bytes = poly_batch_bytes(batch, field->column, row, &n);
	if (field->traits->form == POLY_FORM_TEXT) {
		jsonl_text(dst, bytes, n);
		return;
	}
	append_hex(dst, bytes, n);
	buf_byte(dst, '"');
}

static void
append_integer(struct buf *dst, const struct jsonl_field *field, const struct poly_batch *batch,
	size_t row)
{
	char room[COLUMN_TEXT];
	size_t n;
	uint64_t value = field->data ? column_load(field->traits, field->data, row)
				     : poly_batch_number(batch, row);
	const char *text = column_text(batch->info, field->column, value, room, &n);
	if (is_escaped(field->traits->form)) {
		jsonl_text(dst, text, n);
		return;
	}
	uint8_t *p = buf_reserve(dst, n + 1);
	if (!p)
		return;
	memcpy(p, text, n);
	p[n] = '"';
	dst->size += n + !is_bare(field->traits->form);
}

void
jsonl_row(struct buf *dst, const struct jsonl_plan *plan, const struct poly_batch *batch,
	size_t row)
{
	size_t start = dst->size;
	for (size_t i = 0; i < plan->count; i++) {
		const struct jsonl_field *field = &plan->fields[i];
		if (field->present && !bit_test(field->present, row))
			continue;
		uint8_t *p = buf_reserve(dst, sizeof field->prefix);
		if (!p)
			return;
		memcpy(p, field->prefix, sizeof field->prefix);
		dst->size += field->length;
		if (field->traits->form == POLY_FORM_BYTES ||
			field->traits->form == POLY_FORM_TEXT)
			append_slice(dst, field, batch, row);
		else
			append_integer(dst, field, batch, row);
	}
	if (dst->size == start)
		buf_byte(dst, '{');
	if (!dst->failed)
		dst->data[start] = '{';
	buf_append(dst, "}\n", 2);
}
