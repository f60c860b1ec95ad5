/* SPDX-License-Identifier: MIT */
/*
 * A parsed line as a row: keys are columns, values are checked against them.
 * spec: polytrace-jsonl(5).
 */
#include "format/jsonl/jsonl.h"

#include <stdarg.h>

#include "base/num.h"
#include "model/columns.h"

#include <stdio.h>
#include <string.h>

/* Names are short words of a machine. */
#define NAME_LENGTH_MAX 1024

enum poly_status
jsonl_fail(struct jsonl_reader *state, struct poly_error *error, enum jsonl_rule rule,
	const char *message, ...)
{
	char text[400];
	va_list list;
	va_start(list, message);
	vsnprintf(text, sizeof text, message, list);
	va_end(list);
	state->rule = rule;
	err_set(error, POLY_ERR_FORMAT, state->offset, "%s", text);
	if (error)
		error->line = state->lines + 1;
	return POLY_ERR_FORMAT;
}

/* Fails with a value that its column cannot hold. */
static enum poly_status
invalid_value(struct jsonl_reader *state, const struct json_member *member,
	const char *expected, struct poly_error *error)
{
	char found[64];
	if (state->bytes.failed)
		return err_memory(error);
	member_show(member, found, sizeof found);
	return jsonl_fail(state, error, JSONL_VALUE, "'%s' holds %s, expected %s", member->key,
		found, expected);
}

/* Decodes the hexadecimal digits of a string. */
static bool
parse_hex(struct buf *dst, const struct json_member *member)
{
	buf_clear(dst);
	uint8_t *room = buf_reserve(dst, member->length / 2 + 1);
	if (!room || member->kind != MEMBER_STRING ||
		!num_parse_bytes(member->text, member->length, room))
		return false;
	dst->size = member->length / 2;
	return true;
}

bool
jsonl_bytes(struct buf *dst, const struct json_member *member)
{
	if (member->kind == MEMBER_OBJECT && member->children == 1 &&
		strcmp(member[1].key, "hex") == 0)
		return parse_hex(dst, member + 1);
	buf_clear(dst);
	buf_reserve(dst, 1);
	buf_append(dst, member->text, member->length);
	return member->kind == MEMBER_STRING && !dst->failed;
}

static bool
parse_signed(const char *text, size_t n, uint64_t *value)
{
	bool negative = n && *text == '-';
	const uint64_t max = (uint64_t)INT64_MAX + negative;
	if (!num_parse(text + negative, n - negative, value) || *value > max)
		return false;
	if (negative)
		*value = -*value;
	return true;
}

static bool
parse_integer(
	const struct json_member *member, const struct column_traits *traits, uint64_t *value)
{
	if (member->kind == MEMBER_INTEGER) {
		*value = (uint64_t)member->integer;
		if (traits->is_signed)
			return true;
		if (member->integer < 0)
			return false;
	} else if (member->kind != MEMBER_STRING) {
		return false;
	} else if (traits->is_signed) {
		return parse_signed(member->text, member->length, value);
	} else if (!num_parse(member->text, member->length, value)) {
		return false;
	}
	return *value <= UINT64_MAX >> (64 - 8 * traits->size);
}

static enum poly_status
decode_integer(struct jsonl_reader *state, const struct json_member *member,
	enum poly_column column, struct poly_error *error)
{
	const struct column_traits *traits = &column_table[column];
	char expected[80];
	uint64_t value, max = UINT64_MAX >> (64 - 8 * traits->size);
	if (parse_integer(member, traits, &value)) {
		batch_put_integer(&state->row, column, 0, value);
		return POLY_OK;
	}
	if (traits->is_signed)
		snprintf(expected, sizeof expected, "a number from %lld to %lld",
			(long long)INT64_MIN, (long long)INT64_MAX);
	else if (traits->form == POLY_FORM_HEX)
		snprintf(expected, sizeof expected, "a string from '0x0' to '0x%llx'",
			(unsigned long long)max);
	else
		snprintf(expected, sizeof expected, "a number from 0 to %llu",
			(unsigned long long)max);
	return invalid_value(state, member, expected, error);
}

static enum poly_status
decode_enum(struct jsonl_reader *state, const struct json_member *member,
	enum poly_column column, struct poly_error *error)
{
	enum poly_form form = column_table[column].form;
	int value = member->kind == MEMBER_STRING
			    ? poly_enum_find(form, member->text, member->length)
			    : -1;
	if (value >= 0) {
		batch_put_integer(&state->row, column, 0, (uint64_t)value);
		return POLY_OK;
	}
	char expected[300] = "one of";
	const char *name;
	for (unsigned i = 0; (name = poly_enum_name(form, i)); i++) {
		size_t used = strlen(expected);
		snprintf(expected + used, sizeof expected - used, "%s %s", i ? "," : "", name);
	}
	return invalid_value(state, member, expected, error);
}

static enum poly_status
decode_bool(struct jsonl_reader *state, const struct json_member *member,
	enum poly_column column, struct poly_error *error)
{
	if (member->kind != MEMBER_TRUE && member->kind != MEMBER_FALSE)
		return invalid_value(state, member, "true or false", error);
	batch_put_integer(&state->row, column, 0, member->kind == MEMBER_TRUE);
	return POLY_OK;
}

int
jsonl_record(struct reading *reading, const char *name, size_t n)
{
	struct jsonl_reader *state = reading->state;
	struct poly_trace_info *view = &reading->info->view;
	for (unsigned i = 0; i < view->record_count; i++) {
		if (strncmp(state->records[i], name, n) == 0 && state->records[i][n] == 0)
			return (int)i;
	}
	if (view->record_count == JSONL_RECORDS)
		return -1;
	/* From here on a header written from the information would differ from the one read. */
	if (!poly_trace_fact(view, JSONL_HEADER) &&
		!info_fact(reading->info, JSONL_HEADER, buf_text(&state->header)))
		return -1;
	uint32_t number = intern_add(&reading->info->strings, name, n);
	if (number == INTERN_FAILED)
		return -1;
	state->records[view->record_count] = intern_text(&reading->info->strings, number);
	return (int)view->record_count++;
}

/* Finds or adds a record name or other name; returns its number, -1: out of memory, or too
 * many. */
static int64_t
find_name(struct reading *reading, enum poly_form form, const char *name, size_t n)
{
	if (form == POLY_FORM_RECORD)
		return jsonl_record(reading, name, n);
	const struct intern *names = &reading->info->names.names;
	if (names->count == JSONL_NAMES && intern_find(names, name, n) == INTERN_FAILED)
		return -1;
	uint32_t number = info_name(reading->info, name, n);
	return number == INTERN_FAILED ? -1 : (int64_t)number;
}

static enum poly_status
decode_name(struct reading *reading, const struct json_member *member, enum poly_column column,
	struct poly_error *error)
{
	struct jsonl_reader *state = reading->state;
	enum poly_form form = column_table[column].form;
	const struct buf *name = &state->bytes;
	if (!jsonl_bytes(&state->bytes, member) || name->size > NAME_LENGTH_MAX ||
		memchr(name->data, 0, name->size))
		return invalid_value(
			state, member, "a string of at most 1024 bytes without NUL", error);
	int64_t number = find_name(reading, form, (const char *)name->data, name->size);
	if (number >= 0) {
		batch_put_integer(&state->row, column, 0, (uint64_t)number);
		return POLY_OK;
	}
	bool full = form == POLY_FORM_RECORD ? reading->info->view.record_count == JSONL_RECORDS
					     : reading->info->names.names.count == JSONL_NAMES;
	if (!full)
		return err_memory(error);
	return jsonl_fail(state, error, JSONL_TOO_MANY,
		"'%s' exceeds the maximum of %d names in the trace", member->key,
		form == POLY_FORM_RECORD ? JSONL_RECORDS : JSONL_NAMES);
}

static enum poly_status
decode_slice(struct jsonl_reader *state, const struct json_member *member,
	enum poly_column column, struct poly_error *error)
{
	bool is_text = column_table[column].form == POLY_FORM_TEXT;
	if (!(is_text ? jsonl_bytes(&state->bytes, member) : parse_hex(&state->bytes, member)))
		return invalid_value(state, member,
			is_text ? "a string, or an object with the key 'hex'"
				: "a string of pairs of hexadecimal digits",
			error);
	batch_put_bytes(&state->row, column, 0, state->bytes.data, state->bytes.size);
	return POLY_OK;
}

static enum poly_status
decode_value(struct reading *reading, const struct json_member *member, enum poly_column column,
	struct poly_error *error)
{
	struct jsonl_reader *state = reading->state;
	switch (column_table[column].form) {
	case POLY_FORM_KIND:
	case POLY_FORM_ACCESS:
	case POLY_FORM_BRANCH:
	case POLY_FORM_SYNC:
	case POLY_FORM_EVENT:
	case POLY_FORM_FLAGS: return decode_enum(state, member, column, error);
	case POLY_FORM_RECORD:
	case POLY_FORM_NAME: return decode_name(reading, member, column, error);
	case POLY_FORM_BOOL: return decode_bool(state, member, column, error);
	case POLY_FORM_DEC:
	case POLY_FORM_HEX: return decode_integer(state, member, column, error);
	case POLY_FORM_BYTES:
	case POLY_FORM_TEXT: break;
	}
	return decode_slice(state, member, column, error);
}

/* Finds the column of a key. Keys come in the order of columns: the search starts after the
 * last. */
static enum poly_column
find_column(struct jsonl_reader *state, const struct json_member *member)
{
	for (unsigned i = 0; i < POLY_COLUMN_COUNT; i++) {
		unsigned c = (state->expected + i) % POLY_COLUMN_COUNT;
		if (strcmp(column_table[c].name, member->key) == 0) {
			state->expected = (enum poly_column)((c + 1) % POLY_COLUMN_COUNT);
			return (enum poly_column)c;
		}
	}
	return POLY_COLUMN_COUNT;
}

static enum poly_status
decode_member(
	struct reading *reading, const struct json_member *member, struct poly_error *error)
{
	struct jsonl_reader *state = reading->state;
	char key[64];
	if (strcmp(member->key, JSONL_ROW) == 0)
		return POLY_OK;
	enum poly_column column = find_column(state, member);
	if (column < POLY_COLUMN_COUNT && poly_columns_has(state->columns, column))
		return decode_value(reading, member, column, error);
	if (column < POLY_COLUMN_COUNT)
		return jsonl_fail(state, error, JSONL_KEY,
			"the key '%s' is not among the columns that the header names",
			member->key);
	member_show_key(member, key, sizeof key);
	return jsonl_fail(state, error, JSONL_KEY, "the key %s is not a column", key);
}

enum poly_status
jsonl_decode(struct reading *reading, struct poly_error *error)
{
	struct jsonl_reader *state = reading->state;
	const struct object *object = &state->object;
	enum poly_status status = POLY_OK;
	state->row.view.rows = 1;
	batch_clear(&state->row);
	state->row.view.rows = 1;
	state->expected = 0;
	for (size_t i = 0; i < object->count && status == POLY_OK;
		i += 1 + object->members[i].children)
		status = decode_member(reading, &object->members[i], error);
	return status == POLY_OK ? batch_finish(&state->row, error) : status;
}
