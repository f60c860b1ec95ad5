/* SPDX-License-Identifier: MIT */
/*
 * The header: the trace's information as the first line, written and read.
 * spec: polytrace-jsonl(5).
 */
#include "format/jsonl/jsonl.h"

#include "base/num.h"

#include <stdio.h>
#include <string.h>

#define VERSION 1

/* The words of enum poly_address_space and enum poly_byte_order. */
static const char *const space_names[] = {"unknown", "virtual", "physical", NULL};
static const char *const order_names[] = {"none", "big", "little", NULL};

static void
append_key(struct buf *to, const char *key)
{
	buf_byte(to, ',');
	jsonl_text(to, key, strlen(key));
	buf_byte(to, ':');
}

/* A member, where there is something to say. */
static void
append_member(struct buf *to, const char *key, const char *value)
{
	if (!value)
		return;
	append_key(to, key);
	jsonl_text(to, value, strlen(value));
}

static void
append_columns(struct buf *to, poly_columns columns)
{
	append_key(to, "columns");
	char before = '[';
	for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++) {
		if (!(columns >> c & 1))
			continue;
		buf_printf(to, "%c\"%s\"", before, poly_column_name((enum poly_column)c));
		before = ',';
	}
	buf_string(to, before == '[' ? "[]" : "]");
}

static void
append_records(struct buf *to, const struct poly_trace_info *info)
{
	for (unsigned i = 0; i < info->record_count; i++) {
		if (i == 0)
			append_key(to, "records");
		buf_byte(to, i == 0 ? '[' : ',');
		jsonl_text(to, info->records[i], strlen(info->records[i]));
	}
	if (info->record_count)
		buf_byte(to, ']');
}

static bool
is_own(const char *key)
{
	return strncmp(key, JSONL_OWN, strlen(JSONL_OWN)) == 0;
}

/* True where a fact is not about the trace: one of JSON Lines, or that such lines were packed.
 */
static bool
is_left_out(const struct poly_fact *fact)
{
	return is_own(fact->key) ||
	       (strcmp(fact->key, "ptz.format") == 0 && strcmp(fact->value, "jsonl") == 0);
}

static void
append_facts(struct buf *to, const struct poly_trace_info *info)
{
	bool any = false;
	for (size_t i = 0; i < info->fact_count; i++) {
		const struct poly_fact *fact = &info->facts[i];
		if (is_left_out(fact))
			continue;
		if (!any)
			append_key(to, "facts");
		buf_byte(to, any ? ',' : '{');
		any = true;
		jsonl_text(to, fact->key, strlen(fact->key));
		buf_byte(to, ':');
		jsonl_text(to, fact->value, strlen(fact->value));
	}
	if (any)
		buf_byte(to, '}');
}

void
jsonl_header(struct buf *to, const struct poly_trace_info *info, poly_columns columns)
{
	const char *format = poly_trace_fact(info, JSONL_FORMAT);
	buf_printf(to, "{\"polytrace\":\"trace\",\"version\":%d", VERSION);
	append_member(to, "format", format ? format : info->format);
	append_member(to, "raw_format", info->raw_format);
	append_member(to, "isa", info->isa);
	if (info->address_bits)
		buf_printf(to, ",\"address_bits\":%u", info->address_bits);
	if (info->addresses)
		append_member(to, "addresses", space_names[info->addresses]);
	if (info->byte_order)
		append_member(to, "byte_order", order_names[info->byte_order]);
	append_member(to, "clock", info->clock);
	append_member(to, "producer", info->producer);
	if (info->has_first_pc)
		buf_printf(to, ",\"first_pc\":\"0x%llx\"", (unsigned long long)info->first_pc);
	/* A source that may have any column has said nothing of what it has. */
	if (info->columns != POLY_ALL_COLUMNS || columns != JSONL_CANONICAL)
		append_columns(to, info->columns & columns);
	append_records(to, info);
	append_facts(to, info);
	buf_string(to, "}\n");
}

/* Says that a key of the header has the wrong value. */
static enum poly_status
wrong(struct reading *reading, const struct member *member, const char *expected,
	struct poly_error *error)
{
	char found[64], key[64];
	struct jsonl_reader *state = reading->state;
	if (state->bytes.failed)
		return err_memory(error);
	member_show(member, found, sizeof found);
	member_show_key(member, key, sizeof key);
	return jsonl_fail(state, error, JSONL_VALUE, "in the header %s holds %s, expected %s",
		key, found, expected);
}

/* A string of the header that lives as long as the information; *to is NULL on failure. */
static enum poly_status
take_string(struct reading *reading, const struct member *member, const char **to,
	struct poly_error *error)
{
	struct jsonl_reader *state = reading->state;
	*to = NULL;
	if (!jsonl_bytes(state, member) || memchr(state->bytes.data, 0, state->bytes.size))
		return wrong(reading, member, "a string without NUL", error);
	*to = info_string(reading->info, buf_text(&state->bytes));
	return *to ? POLY_OK : err_memory(error);
}

/* A word of the header: its index in the list. */
static enum poly_status
take_word(struct reading *reading, const struct member *member, const char *const *words,
	unsigned *to, struct poly_error *error)
{
	for (*to = 0; member->kind == MEMBER_STRING && words[*to]; ++*to) {
		if (strlen(words[*to]) == member->length &&
			memcmp(words[*to], member->text, member->length) == 0)
			return POLY_OK;
	}
	char expected[80];
	snprintf(expected, sizeof expected, "'%s', '%s' or '%s'", words[0], words[1], words[2]);
	return wrong(reading, member, expected, error);
}

static enum poly_status
take_columns(struct reading *reading, const struct member *member, struct poly_error *error)
{
	poly_columns columns = 0;
	if (member->kind != MEMBER_ARRAY)
		return wrong(reading, member, "an array of columns", error);
	for (const struct member *m = member + 1; m <= member + member->children;
		m += 1 + m->children) {
		enum poly_column column = m->kind == MEMBER_STRING
						  ? poly_column_find(m->text, m->length)
						  : POLY_COLUMN_COUNT;
		if (column == POLY_COLUMN_COUNT)
			return wrong(reading, m, "the name of a column", error);
		columns |= (poly_columns)1 << column;
	}
	reading->info->view.columns = columns;
	return POLY_OK;
}

static enum poly_status
take_records(struct reading *reading, const struct member *member, struct poly_error *error)
{
	if (member->kind != MEMBER_ARRAY)
		return wrong(reading, member, "an array of strings", error);
	for (const struct member *m = member + 1; m <= member + member->children;
		m += 1 + m->children) {
		struct jsonl_reader *state = reading->state;
		const char *name;
		enum poly_status status = take_string(reading, m, &name, error);
		if (status != POLY_OK)
			return status;
		if (reading->info->view.record_count == JSONL_RECORDS)
			return jsonl_fail(state, error, JSONL_TOO_MANY,
				"the header's 'records' holds more than %d names",
				JSONL_RECORDS);
		state->records[reading->info->view.record_count++] = name;
	}
	return POLY_OK;
}

/* More would make the list's search for equal keys slow, which a damaged file could abuse. */
#define FACTS_MOST 4096

static enum poly_status
take_facts(struct reading *reading, const struct member *member, struct poly_error *error)
{
	if (member->kind != MEMBER_OBJECT || member->children > FACTS_MOST)
		return wrong(reading, member, "an object with at most 4096 facts", error);
	for (const struct member *m = member + 1; m <= member + member->children;
		m += 1 + m->children) {
		const char *value;
		enum poly_status status = take_string(reading, m, &value, error);
		if (status != POLY_OK)
			return status;
		if (!is_own(m->key) && !info_fact(reading->info, m->key, value))
			return err_memory(error);
	}
	return POLY_OK;
}

static enum poly_status
take_numbers(struct reading *reading, const struct member *member, struct poly_error *error)
{
	struct poly_trace_info *view = &reading->info->view;
	if (strcmp(member->key, "version") == 0) {
		if (member->kind != MEMBER_INTEGER || member->integer != VERSION)
			return wrong(reading, member, "1", error);
	} else if (strcmp(member->key, "address_bits") == 0) {
		if (member->kind != MEMBER_INTEGER || member->integer < 0 ||
			member->integer > 64)
			return wrong(reading, member, "a number from 0 to 64", error);
		view->address_bits = (unsigned)member->integer;
	} else if (strcmp(member->key, "first_pc") == 0) {
		if (member->kind != MEMBER_STRING ||
			!num_parse(member->text, member->length, &view->first_pc))
			return wrong(reading, member, "an address such as '0x1000'", error);
		view->has_first_pc = true;
	}
	return POLY_OK;
}

/* A member of the header; keys that are not known speak of things to come and are kept. */
static enum poly_status
take_member(struct reading *reading, const struct member *member, struct poly_error *error)
{
	struct poly_trace_info *view = &reading->info->view;
	const struct {
		const char *key;
		const char **to;
	} strings[] = {{"raw_format", &view->raw_format}, {"isa", &view->isa},
		{"clock", &view->clock}, {"producer", &view->producer}};
	for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
		if (strcmp(member->key, strings[i].key) == 0)
			return take_string(reading, member, strings[i].to, error);
	}
	if (strcmp(member->key, "columns") == 0)
		return take_columns(reading, member, error);
	if (strcmp(member->key, "records") == 0)
		return take_records(reading, member, error);
	if (strcmp(member->key, "facts") == 0)
		return take_facts(reading, member, error);
	return take_numbers(reading, member, error);
}

/* The words, which are read into enumerations, and the format, which becomes a fact. */
static enum poly_status
take_words(struct reading *reading, const struct member *member, struct poly_error *error)
{
	unsigned index;
	const char *format;
	enum poly_status status = POLY_OK;
	if (strcmp(member->key, "addresses") == 0) {
		status = take_word(reading, member, space_names, &index, error);
		reading->info->view.addresses = (enum poly_address_space)index;
	} else if (strcmp(member->key, "byte_order") == 0) {
		status = take_word(reading, member, order_names, &index, error);
		reading->info->view.byte_order = (enum poly_byte_order)index;
	} else if (strcmp(member->key, "format") == 0) {
		status = take_string(reading, member, &format, error);
		if (status == POLY_OK && !info_fact(reading->info, JSONL_FORMAT, format))
			status = err_memory(error);
	} else {
		status = take_member(reading, member, error);
	}
	return status;
}

enum poly_status
jsonl_read_header(struct reading *reading, struct poly_error *error)
{
	const struct jsonl_reader *state = reading->state;
	const struct object *object = &state->object;
	enum poly_status status = POLY_OK;
	for (size_t i = 0; i < object->count && status == POLY_OK;
		i += 1 + object->members[i].children)
		status = take_words(reading, &object->members[i], error);
	return status;
}
