/* SPDX-License-Identifier: MIT */
/*
 * The trace's metadata: pairs of a key and a value, each a length and bytes. Unknown keys are
 * skipped.
 */
#include "format/ptz/file.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/num.h"
#include "format/core/label.h"

#include <stdio.h>
#include <string.h>

#define FACT "fact."
#define LABEL "label."
#define COLUMN "column."

/* Maximum number of facts read; each is compared with the preceding ones. */
#define FACTS_MAX 4096

static void
put_pair(struct buf *out, const char *prefix, const char *key, const char *value)
{
	if (!value)
		return;
	ptz_put_varint(out, strlen(prefix) + strlen(key));
	buf_string(out, prefix);
	buf_string(out, key);
	ptz_put_varint(out, strlen(value));
	buf_string(out, value);
}

static void
put_text(struct buf *out, const char *key, const char *value)
{
	put_pair(out, "", key, value);
}

static void
put_number(struct buf *out, const char *key, uint64_t number)
{
	char text[24];
	snprintf(text, sizeof text, "%llu", (unsigned long long)number);
	put_text(out, key, text);
}

void
ptz_put_head(struct buf *out, const struct poly_trace_info *info, poly_columns columns)
{
	const char *format = poly_trace_fact(info, PTZ_FORMAT_FACT);
	put_number(out, "version", PTZ_VERSION);
	put_text(out, "format", format ? format : info->format);
	put_text(out, "raw_format", info->raw_format);
	put_text(out, "isa", info->isa);
	put_number(out, "address_bits", info->address_bits);
	put_number(out, "addresses", info->addresses);
	put_number(out, "byte_order", info->byte_order);
	put_text(out, "clock", info->clock);
	put_text(out, "producer", info->producer);
	if (info->has_first_pc)
		put_number(out, "first_pc", info->first_pc);
	for (unsigned i = 0; i < info->record_count; i++)
		put_text(out, "record", info->records[i]);
	const poly_columns used = poly_columns_common(info->columns, columns);
	for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++) {
		char key[sizeof COLUMN + 3];
		snprintf(key, sizeof key, COLUMN "%u", c);
		if (poly_columns_has(used, (enum poly_column)c))
			put_text(out, key, poly_column_name((enum poly_column)c));
	}
	/* A source that may have any column has not declared its columns. */
	if (poly_columns_equal(info->columns, POLY_ALL_COLUMNS))
		put_text(out, "columns", "any");
	for (size_t i = 0; i < info->fact_count; i++) {
		const struct poly_fact *fact = &info->facts[i];
		if (strcmp(fact->key, PTZ_FORMAT_FACT) != 0)
			put_pair(out, FACT, fact->key, fact->value);
	}
}

void
ptz_put_labels(struct buf *out, const struct poly_trace_info *labels)
{
	for (size_t i = 0; i < labels->label_count; i++)
		put_pair(out, LABEL, labels->labels[i].key, labels->labels[i].value);
}

/* Parses the next string, and stores it as long as the metadata; NULL: none, or out of memory.
 */
static const char *
parse_string(struct reading *reading, struct ptz_bytes *bytes)
{
	const uint64_t n = ptz_parse_varint(bytes);
	if (bytes->bad || n > (uint64_t)(bytes->end - bytes->p)) {
		bytes->bad = true;
		return NULL;
	}
	char *text = mem_new((size_t)n + 1, 1);
	if (!text)
		return NULL;
	memcpy(text, bytes->p, (size_t)n);
	bytes->p += n;
	const char *kept = info_string(reading->info, text);
	mem_free(text);
	return kept;
}

/* Assigns a column its number in the file. */
static void
parse_column(struct reading *reading, const char *number, const char *name)
{
	struct ptz_reader *state = reading->state;
	const enum poly_column column = poly_column_find(name, strlen(name));
	uint64_t n;
	if (!num_parse(number, strlen(number), &n) || n >= sizeof state->column_map)
		return;
	while (state->column_count <= n)
		state->column_map[state->column_count++] = 255;
	poly_columns *columns = &reading->info->view.columns;
	/* Columns that are listed twice are not known, either. */
	if (column == POLY_COLUMN_COUNT || state->column_map[n] != 255 ||
		poly_columns_has(*columns, column) ||
		poly_columns_has(POLY_COLUMNS(PTZ_POSITION_COLUMNS), column))
		return;
	poly_columns_add(columns, column);
	state->column_map[n] = (uint8_t)column;
}

static bool
parse_fact(struct reading *reading, const char *key, const char *value)
{
	struct ptz_reader *state = reading->state;
	struct poly_trace_info *view = &reading->info->view;
	if (strcmp(key, "record") == 0 && view->record_count < PTZ_RECORDS_MAX)
		state->records[view->record_count++] = value;
	else if (strncmp(key, COLUMN, strlen(COLUMN)) == 0)
		parse_column(reading, key + strlen(COLUMN), value);
	else if (strcmp(key, "columns") == 0 && strcmp(value, "any") == 0)
		view->columns = POLY_ALL_COLUMNS;
	else if (strcmp(key, "format") == 0)
		return info_fact(reading->info, PTZ_FORMAT_FACT, value);
	else if (strncmp(key, FACT, strlen(FACT)) == 0 && view->fact_count < FACTS_MAX)
		return info_fact(reading->info, key + strlen(FACT), value);
	else if (strncmp(key, LABEL, strlen(LABEL)) == 0 && view->label_count < LABELS_MAX)
		return info_label(reading->info, key + strlen(LABEL), value);
	return true;
}

/* Parses one pair; returns false if out of memory. */
static bool
parse_pair(struct reading *reading, const char *key, const char *value)
{
	struct poly_trace_info *view = &reading->info->view;
	const struct {
		const char *key;
		const char **dst;
	} strings[] = {{"raw_format", &view->raw_format}, {"isa", &view->isa},
		{"clock", &view->clock}, {"producer", &view->producer}};
	for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
		if (strcmp(key, strings[i].key) == 0) {
			*strings[i].dst = value;
			return true;
		}
	}
	uint64_t number = 0;
	const bool is_number = num_parse(value, strlen(value), &number);
	if (strcmp(key, "address_bits") == 0)
		view->address_bits = is_number && number <= 64 ? (unsigned)number : 0;
	else if (strcmp(key, "addresses") == 0 && number <= POLY_ADDRESS_PHYSICAL)
		view->addresses = (enum poly_address_space)number;
	else if (strcmp(key, "byte_order") == 0 && number <= POLY_BYTE_ORDER_LITTLE)
		view->byte_order = (enum poly_byte_order)number;
	else if (strcmp(key, "first_pc") == 0) {
		view->has_first_pc = is_number;
		view->first_pc = number;
	} else
		return parse_fact(reading, key, value);
	return true;
}

enum poly_status
ptz_parse_head(struct reading *reading, const uint8_t *p, size_t n, struct poly_error *error)
{
	struct ptz_bytes bytes = {p, p + n, false};
	uint64_t version = 0;
	while (bytes.p < bytes.end) {
		const char *key = parse_string(reading, &bytes),
			   *value = key ? parse_string(reading, &bytes) : NULL;
		if (bytes.bad)
			return err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
				"the head section of the packed trace is truncated within a "
				"key or value");
		if (!value || !parse_pair(reading, key, value))
			return err_memory(error);
		if (strcmp(key, "version") == 0 && !num_parse(value, strlen(value), &version))
			version = 0;
	}
	if (version != PTZ_VERSION)
		return err_set(error, POLY_ERR_UNSUPPORTED, POLY_NO_OFFSET,
			"unsupported version %llu of the packed trace (expected %d); pack the "
			"original trace again",
			(unsigned long long)version, PTZ_VERSION);
	return POLY_OK;
}
