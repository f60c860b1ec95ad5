/* SPDX-License-Identifier: MIT */
/* Readings and rewritings of samples. */
#include "format_law.h"

#include "../sinks.h"

#include "model/batch_internal.h"
#include "format/core/line_cache.h"

#include <stdlib.h>
#include <string.h>

static uint64_t
mix_bytes(uint64_t hash, const void *data, size_t n)
{
	const uint8_t *p = data;
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ p[i]) * 1099511628211u;
	return hash;
}

static uint64_t
mix_number(uint64_t hash, uint64_t v)
{
	hash = (hash ^ v) * 0x9E3779B97F4A7C15u;
	return hash ^ hash >> 29;
}

static uint64_t
hash_cell(const struct poly_batch *batch, enum poly_column column, size_t row)
{
	enum poly_form form = poly_column_form(column);
	uint64_t hash = mix_number(14695981039346656037u, column);
	if (form == POLY_FORM_BYTES || form == POLY_FORM_TEXT) {
		size_t n;
		const uint8_t *bytes = poly_batch_bytes(batch, column, row, &n);
		return mix_number(mix_bytes(hash, bytes, n), n);
	}
	uint64_t v = poly_batch_integer(batch, column, row);
	if (form != POLY_FORM_NAME)
		return mix_number(hash, v);
	const char *name = poly_trace_name(batch->info, (uint32_t)v);
	return name ? mix_bytes(hash, name, strlen(name)) : 0;
}

static void
add_batch(struct outcome *outcome, const struct poly_batch *batch)
{
	if (outcome->count + batch->rows > outcome->capacity) {
		outcome->capacity = 2 * (outcome->count + batch->rows);
		outcome->rows =
			realloc(outcome->rows, outcome->capacity * sizeof *outcome->rows);
	}
	for (size_t row = 0; row < batch->rows; row++) {
		uint64_t hash = 1;
		for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++) {
			if (!poly_present(batch, (enum poly_column)c, row))
				continue;
			uint64_t cell = hash_cell(batch, (enum poly_column)c, row);
			hash = mix_number(hash, cell);
			outcome->columns[c] =
				mix_number(outcome->columns[c] + outcome->count, cell);
		}
		outcome->rows[outcome->count++] = hash;
		if (!poly_present(batch, POLY_COLUMN_origin, row))
			continue;
		outcome->jumps |= batch->origin[row] < outcome->origin;
		outcome->origin = batch->origin[row];
	}
}

struct poly_read_options
read_options(const struct sample *sample, const char *const *words)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.format = sample->name.format;
	options.one_thread = true;
	if (sample->name.option[0])
		options.options = words;
	return options;
}

static enum poly_status
write_lines(struct poly_writer *writer, const struct poly_batch *batch, enum lines lines,
	struct poly_error *error)
{
	struct poly_batch printed;
	if (lines == LINES_PRINTED) {
		printed = *batch;
		printed.internal = NULL;
		batch = &printed;
	} else if (lines != LINES_USUAL && batch_patterns(batch)) {
		batch_patterns(batch)->rows = UINT32_MAX;
	}
	return poly_writer_write(writer, batch, error);
}

void
drain(struct poly_reader *reader, struct outcome *outcome, struct poly_writer *writer,
	enum lines lines)
{
	const struct poly_batch *batch;
	enum poly_status status;
	while ((status = poly_reader_next(reader, &batch, &outcome->error)) == POLY_OK) {
		if (!writer)
			add_batch(outcome, batch);
		if (writer && write_lines(writer, batch, lines, &outcome->error) != POLY_OK) {
			status = outcome->error.status;
			break;
		}
	}
	struct poly_finding finding;
	outcome->has_finding = poly_reader_finding_at(reader, 0, &finding);
	/* A truncated sample is read to its end. */
	outcome->status = status == POLY_ERR_TRUNCATED ? POLY_END : status;
}

static uint64_t
dialect_of(const struct poly_trace_info *info)
{
	const struct format *format = info->raw_format ? format_find(info->raw_format) : NULL;
	const char *const *fact = format ? format->raw_facts : NULL;
	uint64_t hash = 0;
	for (; fact && *fact; fact++) {
		const char *value = poly_trace_fact(info, *fact);
		hash = mix_bytes(hash, value, value ? strlen(value) : 0);
	}
	return hash;
}

void
read_bytes(const uint8_t *data, size_t size, const struct poly_read_options *options,
	struct outcome *outcome)
{
	struct poly_reader *reader;
	memset(outcome, 0, sizeof *outcome);
	outcome->status =
		poly_reader_open_memory(data, size, options, &reader, &outcome->error);
	outcome->opened = outcome->status == POLY_OK;
	if (outcome->opened) {
		outcome->dialect = dialect_of(poly_reader_info(reader));
		drain(reader, outcome, NULL, LINES_USUAL);
	}
	poly_reader_close(reader);
}

void
rewrite_as(const struct rewriting *rewriting, struct buf *out, struct outcome *outcome)
{
	struct poly_reader *reader = NULL;
	struct poly_writer *writer = NULL;
	struct poly_sink sink = {collect, out};
	struct poly_write_options target = POLY_WRITE_OPTIONS_INIT;
	target.format = rewriting->format;
	target.options = rewriting->words;
	memset(outcome, 0, sizeof *outcome);
	buf_clear(out);
	outcome->status = poly_reader_open_memory(
		rewriting->data, rewriting->size, rewriting->options, &reader, &outcome->error);
	outcome->opened = outcome->status == POLY_OK;
	if (outcome->opened)
		outcome->status = poly_writer_open_sink(
			&sink, poly_reader_info(reader), &target, &writer, &outcome->error);
	if (outcome->status == POLY_OK) {
		poly_reader_plan(reader,
			&(struct poly_read_plan){.size = sizeof(struct poly_read_plan),
				.columns = rewriting->every_column
						   ? POLY_ALL_COLUMNS
						   : poly_writer_columns(writer),
				.lazy = rewriting->lines == LINES_DEFERRED},
			NULL);
		drain(reader, outcome, writer, rewriting->lines);
	}
	if (writer && outcome->status != POLY_ERR_LOSS) {
		enum poly_status status = poly_writer_finish(writer, &outcome->error);
		if (status != POLY_OK)
			outcome->status = status;
	}
	poly_writer_close(writer);
	poly_reader_close(reader);
}

void
rewrite(const uint8_t *data, size_t size, const struct poly_read_options *options,
	struct buf *out, struct outcome *outcome)
{
	/* What can only be read is written as lines that hold any trace. */
	const bool is_written = format_find(options->format)->info.can_write;
	struct rewriting rewriting = {data, size, options,
		is_written ? options->format : "jsonl", false, NULL, LINES_USUAL};
	rewrite_as(&rewriting, out, outcome);
}

bool
pack_small(const struct sample *sample, const struct poly_read_options *options, size_t rows,
	struct buf *packed)
{
	struct outcome outcome;
	char word[40];
	const char *const words[] = {word, NULL};
	const struct rewriting rewriting = {
		sample->data, sample->size, options, "ptz", false, words, LINES_USUAL};
	snprintf(word, sizeof word, "ptz.rows=%zu", rows);
	rewrite_as(&rewriting, packed, &outcome);
	return outcome.status == POLY_END ||
	       fails("packing: status %d: %s", outcome.status, outcome.error.message);
}

bool
same_outcome(const struct outcome *a, const struct outcome *b, const char *what, size_t value)
{
	if (a->count != b->count || a->status != b->status)
		return fails("%s %zu: %zu rows, status %d; expected %zu, %d", what, value,
			a->count, a->status, b->count, b->status);
	for (size_t i = 0; i < a->count; i++) {
		if (a->rows[i] != b->rows[i])
			return fails("%s %zu: row %zu differs", what, value, i + 1);
	}
	return true;
}
