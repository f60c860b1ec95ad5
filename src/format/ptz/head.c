/* SPDX-License-Identifier: MIT */
/*
 * The trace's information: pairs of a key and a value, each a length and bytes. Keys that are
 * not known are passed over.
 */
#include "format/ptz/file.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/num.h"
#include "format/label.h"

#include <stdio.h>
#include <string.h>

#define FACT "fact."
#define LABEL "label."

/* Facts that are taken; each is held against those before it. */
#define FACTS_MOST 4096

static void
put_pair(struct buf *to, const char *prefix, const char *key, const char *value)
{
	if (!value)
		return;
	ptz_put(to, strlen(prefix) + strlen(key));
	buf_string(to, prefix);
	buf_string(to, key);
	ptz_put(to, strlen(value));
	buf_string(to, value);
}

static void
put(struct buf *to, const char *key, const char *value)
{
	put_pair(to, "", key, value);
}

static void
put_number(struct buf *to, const char *key, uint64_t number)
{
	char text[24];
	snprintf(text, sizeof text, "%llu", (unsigned long long)number);
	put(to, key, text);
}

void
ptz_head_put(struct buf *to, const struct poly_trace_info *info, poly_columns columns)
{
	const char *format = poly_trace_fact(info, PTZ_FORMAT_FACT);
	put_number(to, "version", PTZ_VERSION);
	put(to, "format", format ? format : info->format);
	put(to, "raw_format", info->raw_format);
	put(to, "isa", info->isa);
	put_number(to, "address_bits", info->address_bits);
	put_number(to, "addresses", info->addresses);
	put_number(to, "byte_order", info->byte_order);
	put(to, "clock", info->clock);
	put(to, "producer", info->producer);
	if (info->has_first_pc)
		put_number(to, "first_pc", info->first_pc);
	for (unsigned i = 0; i < info->record_count; i++)
		put(to, "record", info->records[i]);
	/* Numbers of columns are their places in this list. */
	for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++)
		put(to, info->columns & columns & (poly_columns)1 << c ? "column" : "unused",
			poly_column_name((enum poly_column)c));
	/* A source that may have any column has said nothing of what it has. */
	if (info->columns == POLY_ALL_COLUMNS)
		put(to, "columns", "any");
	for (size_t i = 0; i < info->fact_count; i++) {
		const struct poly_fact *fact = &info->facts[i];
		if (strcmp(fact->key, PTZ_FORMAT_FACT) != 0)
			put_pair(to, FACT, fact->key, fact->value);
	}
}

void
ptz_labels_put(struct buf *to, const struct poly_trace_info *labels)
{
	for (size_t i = 0; i < labels->label_count; i++)
		put_pair(to, LABEL, labels->labels[i].key, labels->labels[i].value);
}

/* The next string, kept as long as the information; NULL: there is none, or no memory. */
static const char *
take(struct reading *reading, struct ptz_bytes *bytes)
{
	const uint64_t n = ptz_take(bytes);
	if (bytes->bad || n > (uint64_t)(bytes->end - bytes->p)) {
		bytes->bad = true;
		return NULL;
	}
	char *text = mem_new((size_t)n + 1, 1);
	if (!text)
		return NULL;
	memcpy(text, bytes->p, n);
	bytes->p += n;
	const char *kept = info_string(reading->info, text);
	mem_free(text);
	return kept;
}

/* A column of the file's next number. */
static void
take_column(struct reading *reading, const char *name, bool used)
{
	struct ptz_reader *state = reading->state;
	const enum poly_column column = poly_column_find(name, strlen(name));
	if (state->of_count == sizeof state->of_column)
		return;
	poly_columns *columns = &reading->info->view.columns;
	/* Not those that are listed twice, either. */
	const bool known =
		used && column != POLY_COLUMN_COUNT && !((PTZ_PLACES | *columns) >> column & 1);
	if (known)
		*columns |= (poly_columns)1 << column;
	state->of_column[state->of_count++] = known ? (uint8_t)column : 255;
}

static bool
take_fact(struct reading *reading, const char *key, const char *value)
{
	struct ptz_reader *state = reading->state;
	struct poly_trace_info *view = &reading->info->view;
	if (strcmp(key, "record") == 0 && view->record_count < PTZ_RECORDS)
		state->records[view->record_count++] = value;
	else if (strcmp(key, "column") == 0 || strcmp(key, "unused") == 0)
		take_column(reading, value, *key == 'c');
	else if (strcmp(key, "columns") == 0 && strcmp(value, "any") == 0)
		view->columns = POLY_ALL_COLUMNS;
	else if (strcmp(key, "format") == 0)
		return info_fact(reading->info, PTZ_FORMAT_FACT, value);
	else if (strncmp(key, FACT, strlen(FACT)) == 0 && view->fact_count < FACTS_MOST)
		return info_fact(reading->info, key + strlen(FACT), value);
	else if (strncmp(key, LABEL, strlen(LABEL)) == 0 && view->label_count < LABELS_MAX)
		return info_label(reading->info, key + strlen(LABEL), value);
	return true;
}

/* One pair; false: no memory. */
static bool
take_pair(struct reading *reading, const char *key, const char *value)
{
	struct poly_trace_info *view = &reading->info->view;
	const struct {
		const char *key;
		const char **to;
	} strings[] = {{"raw_format", &view->raw_format}, {"isa", &view->isa},
		{"clock", &view->clock}, {"producer", &view->producer}};
	for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
		if (strcmp(key, strings[i].key) == 0) {
			*strings[i].to = value;
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
		return take_fact(reading, key, value);
	return true;
}

enum poly_status
ptz_head_take(struct reading *reading, const uint8_t *p, size_t n, struct poly_error *error)
{
	struct ptz_bytes bytes = {p, p + n, false};
	uint64_t version = 0;
	while (bytes.p < bytes.end) {
		const char *key = take(reading, &bytes),
			   *value = key ? take(reading, &bytes) : NULL;
		if (bytes.bad)
			return err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
				"the head of the packed trace is cut off within a key or "
				"value");
		if (!value || !take_pair(reading, key, value))
			return err_memory(error);
		if (strcmp(key, "version") == 0 && !num_parse(value, strlen(value), &version))
			version = 0;
	}
	if (version != PTZ_VERSION)
		return err_set(error, POLY_ERR_UNSUPPORTED, POLY_NO_OFFSET,
			"the packed trace has version %llu of its format, expected %d",
			(unsigned long long)version, PTZ_VERSION);
	return POLY_OK;
}
