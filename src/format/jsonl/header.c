/* SPDX-License-Identifier: MIT */
/*
 * The header: the trace's information as the first line, written and read.
 * spec: polytrace-jsonl(5).
 */
#include "format/jsonl/jsonl.h"

#include "base/num.h"
#include "format/core/label.h"
#include "model/columns.h"

#include <stdio.h>
#include <string.h>

#define VERSION 1

/* The words of enum poly_address_space and enum poly_byte_order. */
static const char *const space_names[] = {"unknown", "virtual", "physical", NULL};
static const char *const order_names[] = {"none", "big", "little", NULL};

static void
append_key(struct buf *dst, const char *key)
{
	buf_byte(dst, ',');
	jsonl_text(dst, key, strlen(key));
	buf_byte(dst, ':');
}

/* Appends a member unless value is NULL. */
static void
append_member(struct buf *dst, const char *key, const char *value)
{
	if (!value)
		return;
	append_key(dst, key);
	jsonl_text(dst, value, strlen(value));
}

static void
append_columns(struct buf *dst, poly_columns columns)
{
	append_key(dst, "columns");
	char before = '[';
	FOR_COLUMNS(column, poly_columns_common(columns, POLY_ALL_COLUMNS))
	{
		buf_printf(dst, "%c\"%s\"", before, poly_column_name(column));
		before = ',';
	}
	buf_string(dst, before == '[' ? "[]" : "]");
}

static void
append_records(struct buf *dst, const struct poly_trace_info *info)
{
	for (unsigned i = 0; i < info->record_count; i++) {
		if (i == 0)
			append_key(dst, "records");
		buf_byte(dst, i == 0 ? '[' : ',');
		jsonl_text(dst, info->records[i], strlen(info->records[i]));
	}
	if (info->record_count)
		buf_byte(dst, ']');
}

static bool
is_own(const char *key)
{
	return strncmp(key, JSONL_OWN, strlen(JSONL_OWN)) == 0;
}

/* Whether a fact does not describe the trace: a fact of JSON Lines, or of packing such lines.
 */
static bool
is_left_out(const struct poly_fact *fact)
{
	return is_own(fact->key) ||
	       (strcmp(fact->key, "ptz.format") == 0 && strcmp(fact->value, "jsonl") == 0);
}

/* Appends the next member of an object, and the key of the object before the first. */
static void
append_fact(struct buf *dst, const char *key, bool first, const struct poly_fact *fact)
{
	if (first)
		append_key(dst, key);
	buf_byte(dst, first ? '{' : ',');
	jsonl_text(dst, fact->key, strlen(fact->key));
	buf_byte(dst, ':');
	jsonl_text(dst, fact->value, strlen(fact->value));
}

static void
append_facts(struct buf *dst, const struct poly_trace_info *info)
{
	bool any = false;
	for (size_t i = 0; i < info->fact_count; i++) {
		if (is_left_out(&info->facts[i]))
			continue;
		append_fact(dst, "facts", !any, &info->facts[i]);
		any = true;
	}
	if (any)
		buf_byte(dst, '}');
}

static void
append_labels(struct buf *dst, const struct poly_trace_info *labels)
{
	for (size_t i = 0; i < labels->label_count; i++)
		append_fact(dst, "labels", i == 0, &labels->labels[i]);
	if (labels->label_count)
		buf_byte(dst, '}');
}

void
jsonl_header(struct buf *dst, const struct poly_trace_info *info, poly_columns columns,
	const struct poly_trace_info *labels)
{
	const char *format = poly_trace_fact(info, JSONL_FORMAT);
	buf_printf(dst, "{\"polytrace\":\"trace\",\"version\":%d", VERSION);
	append_member(dst, "format", format ? format : info->format);
	append_member(dst, "raw_format", info->raw_format);
	append_member(dst, "isa", info->isa);
	if (info->address_bits)
		buf_printf(dst, ",\"address_bits\":%u", info->address_bits);
	if (info->addresses)
		append_member(dst, "addresses", space_names[info->addresses]);
	if (info->byte_order)
		append_member(dst, "byte_order", order_names[info->byte_order]);
	append_member(dst, "clock", info->clock);
	append_member(dst, "producer", info->producer);
	if (info->has_first_pc)
		buf_printf(dst, ",\"first_pc\":\"0x%llx\"", (unsigned long long)info->first_pc);
	/* All columns: the source does not state which columns it has. */
	if (!poly_columns_equal(info->columns, POLY_ALL_COLUMNS) ||
		!poly_columns_equal(columns, JSONL_CANONICAL))
		append_columns(dst, poly_columns_common(info->columns, columns));
	append_records(dst, info);
	append_facts(dst, info);
	append_labels(dst, labels);
	buf_string(dst, "}\n");
}

/* Fails with an invalid value of a key of the header. */
static enum poly_status
invalid_value(struct reading *reading, const struct json_member *member, const char *expected,
	struct poly_error *error)
{
	char found[64], key[64];
	struct jsonl_reader *state = reading->state;
	if (state->bytes.failed)
		return err_memory(error);
	member_show(member, found, sizeof found);
	member_show_key(member, key, sizeof key);
	return jsonl_fail(state, error, JSONL_VALUE, "header: %s holds %s, expected %s", key,
		found, expected);
}

/* Copies a string of the header into the information; *to is NULL on failure. */
static enum poly_status
take_string(struct reading *reading, const struct json_member *member, const char **dst,
	struct poly_error *error)
{
	struct jsonl_reader *state = reading->state;
	*dst = NULL;
	if (!jsonl_bytes(&state->bytes, member) ||
		memchr(state->bytes.data, 0, state->bytes.size))
		return invalid_value(reading, member, "a string without NUL", error);
	*dst = info_string(reading->info, buf_text(&state->bytes));
	return *dst ? POLY_OK : err_memory(error);
}

/* Parses a word of the header: stores its index in the list. */
static enum poly_status
take_word(struct reading *reading, const struct json_member *member, const char *const *words,
	unsigned *dst, struct poly_error *error)
{
	for (*dst = 0; member->kind == MEMBER_STRING && words[*dst]; ++*dst) {
		if (strlen(words[*dst]) == member->length &&
			memcmp(words[*dst], member->text, member->length) == 0)
			return POLY_OK;
	}
	char expected[80];
	snprintf(expected, sizeof expected, "'%s', '%s' or '%s'", words[0], words[1], words[2]);
	return invalid_value(reading, member, expected, error);
}

static enum poly_status
take_columns(
	struct reading *reading, const struct json_member *member, struct poly_error *error)
{
	poly_columns columns = POLY_NO_COLUMNS;
	if (member->kind != MEMBER_ARRAY)
		return invalid_value(reading, member, "an array of columns", error);
	for (const struct json_member *m = member + 1; m <= member + member->children;
		m += 1 + m->children) {
		if (m->kind == MEMBER_STRING && strcmp(m->text, JSONL_ROW) == 0)
			continue;
		enum poly_column column = m->kind == MEMBER_STRING
						  ? poly_column_find(m->text, m->length)
						  : POLY_COLUMN_COUNT;
		if (column == POLY_COLUMN_COUNT)
			return invalid_value(reading, m, "the name of a column", error);
		poly_columns_add(&columns, column);
	}
	reading->info->view.columns = columns;
	return POLY_OK;
}

static enum poly_status
take_records(
	struct reading *reading, const struct json_member *member, struct poly_error *error)
{
	if (member->kind != MEMBER_ARRAY)
		return invalid_value(reading, member, "an array of strings", error);
	for (const struct json_member *m = member + 1; m <= member + member->children;
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

/* Bounds the list's linear search for equal keys against hostile input. */
#define FACTS_MAX 4096

static enum poly_status
take_facts(struct reading *reading, const struct json_member *member, struct poly_error *error)
{
	if (member->kind != MEMBER_OBJECT || member->children > FACTS_MAX)
		return invalid_value(
			reading, member, "an object with at most 4096 facts", error);
	for (const struct json_member *m = member + 1; m <= member + member->children;
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

/* Adds a label of the header to the information. */
static enum poly_status
take_label(struct reading *reading, const struct json_member *member, const char *value,
	struct poly_error *error)
{
	struct poly_error fault;
	if (label_check(member->key, member->key_length, value, &fault) != POLY_OK)
		return jsonl_fail(
			reading->state, error, JSONL_VALUE, "header: %s", fault.message);
	return info_label(reading->info, member->key, value) ? POLY_OK : err_memory(error);
}

static enum poly_status
take_labels(struct reading *reading, const struct json_member *member, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	if (member->kind != MEMBER_OBJECT)
		return invalid_value(reading, member, "an object of labels", error);
	for (const struct json_member *m = member + 1;
		m <= member + member->children && status == POLY_OK; m += 1 + m->children) {
		const char *value;
		if (reading->info->view.label_count == LABELS_MAX)
			return invalid_value(
				reading, member, "an object with at most 4096 labels", error);
		status = take_string(reading, m, &value, error);
		if (status == POLY_OK)
			status = take_label(reading, m, value, error);
	}
	return status;
}

static enum poly_status
take_numbers(
	struct reading *reading, const struct json_member *member, struct poly_error *error)
{
	struct poly_trace_info *view = &reading->info->view;
	if (strcmp(member->key, "version") == 0) {
		if (member->kind != MEMBER_INTEGER || member->integer != VERSION)
			return invalid_value(reading, member, "1", error);
	} else if (strcmp(member->key, "address_bits") == 0) {
		if (member->kind != MEMBER_INTEGER || member->integer < 0 ||
			member->integer > 64)
			return invalid_value(reading, member, "a number from 0 to 64", error);
		view->address_bits = (unsigned)member->integer;
	} else if (strcmp(member->key, "first_pc") == 0) {
		if (member->kind != MEMBER_STRING ||
			!num_parse(member->text, member->length, &view->first_pc))
			return invalid_value(
				reading, member, "an address such as '0x1000'", error);
		view->has_first_pc = true;
	}
	return POLY_OK;
}

/* Parses a member of the header; ignores unknown keys, which later versions define. */
static enum poly_status
take_member(struct reading *reading, const struct json_member *member, struct poly_error *error)
{
	struct poly_trace_info *view = &reading->info->view;
	const struct {
		const char *key;
		const char **dst;
	} strings[] = {{"raw_format", &view->raw_format}, {"isa", &view->isa},
		{"clock", &view->clock}, {"producer", &view->producer}};
	for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
		if (strcmp(member->key, strings[i].key) == 0)
			return take_string(reading, member, strings[i].dst, error);
	}
	if (strcmp(member->key, "columns") == 0)
		return take_columns(reading, member, error);
	if (strcmp(member->key, "records") == 0)
		return take_records(reading, member, error);
	if (strcmp(member->key, "facts") == 0)
		return take_facts(reading, member, error);
	if (strcmp(member->key, "labels") == 0)
		return take_labels(reading, member, error);
	return take_numbers(reading, member, error);
}

/* Parses the words, which become enumerations, and the format, which becomes a fact. */
static enum poly_status
take_words(struct reading *reading, const struct json_member *member, struct poly_error *error)
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

/* Whether a member of a header's labels equals the label. */
static bool
is_label(const struct json_member *member, const struct poly_fact *label, struct buf *bytes)
{
	return strcmp(member->key, label->key) == 0 && jsonl_bytes(bytes, member) &&
	       bytes->size == strlen(label->value) &&
	       memcmp(bytes->data, label->value, bytes->size) == 0;
}

/* Whether the members are the labels of an information. */
static bool
are_labels(
	const struct json_member *had, const struct poly_trace_info *labels, struct buf *bytes)
{
	size_t count = 0;
	for (const struct json_member *m = had + 1; m <= had + had->children;
		m += 1 + m->children) {
		if (count == labels->label_count || !is_label(m, &labels->labels[count], bytes))
			return false;
		count++;
	}
	return count == labels->label_count;
}

enum poly_status
jsonl_compare_labels(const char *header, const struct poly_trace_info *labels, bool *same,
	struct poly_error *error)
{
	struct object object = {0};
	struct buf bytes = {0};
	enum poly_status status =
		object_parse(&object, (const uint8_t *)header, strlen(header), error);
	const struct json_member *had =
		status == POLY_OK ? object_find(&object, "labels") : NULL;
	*same = had ? are_labels(had, labels, &bytes) : labels->label_count == 0;
	if (bytes.failed)
		status = err_memory(error);
	buf_free(&bytes);
	object_free(&object);
	/* Text that is not a header has no labels. */
	return status == POLY_ERR_MEMORY ? status : POLY_OK;
}
