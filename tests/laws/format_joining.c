/* SPDX-License-Identifier: MIT */
/*
 * The law of joining: the rows of two traces written as one are those of the first, then those
 * of the second, whose names have other numbers. Rows are compared by the texts of their names.
 */
#include "format_law.h"

#include "../sampling.h"
#include "../sinks.h"

#include "format/core/format.h"
#include "model/columns.h"

#include <stdlib.h>
#include <string.h>

/* What depends on other records of a file, or exists once in it. */
static const struct exception {
	const char *format;
	bool no_other;		/* records of the kind other: what a file begins with */
	bool no_first;		/* its first record */
	poly_columns different; /* columns */
} exceptions[] = {
	/* An initial pc is a splice. */
	{.format = "tt6", .no_first = true},
	{.format = "tt6e", .no_first = true},
	/* The pc follows from the record before. */
	{.format = "full", .no_first = true},
	/* Headers and blocks; times of 32 bits do not decrease; words have one width. */
	{.format = "aix",
		.no_other = true,
		.different = POLY_COLUMNS_INIT(time, record, cpu, hook_type)},
	{.format = "byutr", .different = POLY_COLUMNS_INIT(time)},
	/* Processors are numbered by their names in the file, up to a maximum. */
	{.format = "tarmac", .different = POLY_COLUMNS_INIT(cpu)},
	/* A file states the privilege of all instructions, or of none; it counts them. */
	{.format = "riscv-log", .different = POLY_COLUMNS_INIT(mode, instruction_id)},
	{.format = "sbbt", .different = POLY_COLUMNS_INIT(instruction_id)},
	/* The target follows from the record after. */
	{.format = "champsim", .different = POLY_COLUMNS_INIT(target)},
	/* The next access to the object. */
	{.format = "oraclegeneral", .different = POLY_COLUMNS_INIT(payload)},
};

static const struct exception *
find_exception(const char *format)
{
	static const struct exception none;
	for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++) {
		if (strcmp(exceptions[i].format, format) == 0)
			return &exceptions[i];
	}
	return &none;
}

/* Rows as lines of text. */
struct lines_of_rows {
	struct buf text;
	size_t *ends; /* of lines */
	size_t count, capacity;
};

static void
lines_free(struct lines_of_rows *lines)
{
	buf_free(&lines->text);
	free(lines->ends);
	*lines = (struct lines_of_rows){.ends = NULL};
}

/* Appends the values of a row. */
static void
add_line(struct lines_of_rows *lines, const struct poly_batch *batch, size_t row,
	poly_columns columns)
{
	FOR_COLUMNS(column, columns)
	{
		char value[4096];
		if (!poly_present(batch, column, row))
			continue;
		poly_batch_format(batch, column, row, value, sizeof value);
		buf_printf(&lines->text, "%s=%s ", poly_column_name(column), value);
	}
	if (lines->count == lines->capacity) {
		lines->capacity = 2 * lines->capacity + 64;
		lines->ends = realloc(lines->ends, lines->capacity * sizeof *lines->ends);
	}
	lines->ends[lines->count++] = lines->text.size;
}

/* Reads rows, without those that the exception has. */
static bool
read_lines(const uint8_t *data, size_t size, const struct poly_read_options *options,
	const struct exception *exception, struct lines_of_rows *lines)
{
	const poly_columns own = POLY_COLUMNS_INIT(raw, origin, site, verbatim);
	const poly_columns columns = poly_columns_minus(
		POLY_ALL_COLUMNS, poly_columns_union(own, exception->different));
	struct poly_reader *reader;
	struct poly_error error;
	const struct poly_batch *batch;
	enum poly_status status = poly_reader_open_memory(data, size, options, &reader, &error);
	while (status == POLY_OK &&
		(status = poly_reader_next(reader, &batch, &error)) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++) {
			if (!exception->no_other || batch->kind[row] != POLY_KIND_OTHER)
				add_line(lines, batch, row, columns);
		}
	}
	poly_reader_close(reader);
	return status == POLY_END || fails("reading: %s", error.message);
}

/* A trace as bytes. */
struct trace_bytes {
	const uint8_t *data;
	size_t size;
};

/* How two traces are joined. */
struct joining {
	const struct trace_bytes *traces;
	size_t count; /* of traces, one or two */
	const struct poly_read_options *options;
	const char *format;
	unsigned threads;
};

/* Writes traces as one. POLY_ERR_LOSS: the format cannot hold the second one. */
static enum poly_status
join(const struct joining *joining, struct buf *out)
{
	struct poly_reader *readers[2] = {NULL, NULL};
	struct poly_writer *writer = NULL;
	struct poly_sink sink = {collect, out};
	struct poly_write_options target = POLY_WRITE_OPTIONS_INIT;
	struct poly_error error;
	const struct poly_batch *batch;
	enum poly_status status = POLY_OK;
	target.format = joining->format;
	target.threads = joining->threads;
	target.selected = true;
	for (size_t i = 0; status == POLY_OK && i < joining->count; i++) {
		status = poly_reader_open_memory(joining->traces[i].data,
			joining->traces[i].size, joining->options, &readers[i], &error);
		if (status == POLY_OK && i == 0)
			status = poly_writer_open_sink(
				&sink, poly_reader_info(readers[0]), &target, &writer, &error);
		if (status == POLY_OK)
			poly_reader_plan(readers[i],
				&(struct poly_read_plan){.size = sizeof(struct poly_read_plan),
					.columns = poly_writer_columns(writer),
					.lazy = true},
				NULL);
		while (status == POLY_OK &&
			(status = poly_reader_next(readers[i], &batch, &error)) == POLY_OK)
			status = poly_writer_write(writer, batch, &error);
		status = status == POLY_END ? POLY_OK : status;
	}
	if (status == POLY_OK)
		status = poly_writer_finish(writer, &error);
	if (status != POLY_OK)
		fails("joining as %s: %s", joining->format, error.message);
	poly_writer_close(writer);
	poly_reader_close(readers[0]);
	poly_reader_close(readers[1]);
	return status;
}

/* Compares lines with those of two traces; first: of the second one. */
static bool
same_lines(const struct lines_of_rows *joined, const struct lines_of_rows *expected,
	size_t first, const struct exception *exception)
{
	if (joined->count != expected->count)
		return fails("%zu rows, expected %zu", joined->count, expected->count);
	for (size_t i = 0; i < joined->count; i++) {
		const size_t a = i ? joined->ends[i - 1] : 0, b = i ? expected->ends[i - 1] : 0;
		const size_t n = joined->ends[i] - a, m = expected->ends[i] - b;
		const char *is = (const char *)joined->text.data + a,
			   *wanted = (const char *)expected->text.data + b;
		if (exception->no_first && i == first)
			continue;
		if (n != m || (n && memcmp(is, wanted, n) != 0))
			return fails("row %zu of %zu+%zu: %.*s, expected %.*s", i + 1, first,
				expected->count - first, n < 300 ? (int)n : 300, is,
				m < 300 ? (int)m : 300, wanted);
	}
	return true;
}

/* The ways of joining: one file of the format; a packed one that is unpacked; JSON Lines. */
enum way { WAY_FORMAT, WAY_THREADS, WAY_PACKED, WAY_JSONL, WAYS };

/* Joins two traces, and compares the rows with those expected. */
static bool
joins(const struct joining *joining, enum way way, const struct lines_of_rows *expected,
	size_t first)
{
	const char *own = joining->format;
	const bool is_written = format_find(own)->info.can_write;
	struct joining changed = *joining;
	struct poly_read_options plain = POLY_READ_OPTIONS_INIT;
	struct exception all = *find_exception(own);
	struct lines_of_rows lines = {.ends = NULL};
	struct buf out = {0}, unpacked = {0};
	bool good = true;
	plain.one_thread = true;
	if (way == WAY_JSONL ? strcmp(own, "jsonl") == 0 : !is_written)
		return true;
	if (way == WAY_THREADS)
		changed.threads = 3;
	if (way == WAY_PACKED)
		changed.format = "ptz";
	if (way == WAY_JSONL)
		changed.format = "jsonl";
	const enum poly_status status = join(&changed, &out);
	if (status != POLY_OK) {
		buf_free(&out);
		/* A last line without a newline may be an error. */
		return status == POLY_ERR_LOSS || status == POLY_ERR_TRUNCATED;
	}
	if (way == WAY_PACKED) {
		struct outcome outcome;
		rewrite_as(&(struct rewriting){out.data, out.size, &plain, own, false, NULL,
				   LINES_USUAL},
			&unpacked, &outcome);
		good = outcome.status == POLY_END ||
		       fails("unpacking: %s", outcome.error.message);
	}
	const struct buf *bytes = way == WAY_PACKED ? &unpacked : &out;
	good = good &&
	       read_lines(bytes->data, bytes->size,
		       way == WAY_JSONL ? &plain : joining->options, &all, &lines) &&
	       same_lines(&lines, expected, first, &all);
	lines_free(&lines);
	buf_free(&out);
	buf_free(&unpacked);
	return good || fails_also(" (way %d)", way);
}

/* Tries two traces in all ways; open: without the newline at the end of the first one. */
static bool
try_traces(const struct trace_bytes traces[2], const struct sample *sample,
	const struct poly_read_options *options, bool open)
{
	const struct exception *exception = find_exception(sample->name.format);
	struct trace_bytes joined[2] = {traces[0], traces[1]};
	const struct joining joining = {joined, 2, options, sample->name.format, 1};
	struct lines_of_rows expected = {.ends = NULL};
	/* A sample may end in an error. */
	bool is_read =
		read_lines(traces[0].data, traces[0].size, options, exception, &expected);
	const size_t first = expected.count;
	is_read = is_read &&
		  read_lines(traces[1].data, traces[1].size, options, exception, &expected);
	bool good = true;
	joined[0].size -= open;
	for (unsigned way = 0; is_read && good && way < WAYS; way++) {
		/* The last record of an open line may have fewer columns. */
		if (sample_takes_share(LAWS_SHARE) && !(open && way == WAY_JSONL))
			good = joins(&joining, (enum way)way, &expected, first);
	}
	lines_free(&expected);
	return good || fails_also(" (%s newline)", open ? "without" : "with");
}

/* Returns whether the rows of two traces can be in one; the command refuses others. */
static bool
are_alike(const struct trace_bytes traces[2], const struct poly_read_options *options)
{
	struct poly_reader *readers[2] = {NULL, NULL};
	const struct poly_trace_info *infos[2];
	bool alike = true;
	for (size_t i = 0; i < 2; i++) {
		alike = poly_reader_open_memory(traces[i].data, traces[i].size, options,
				&readers[i], NULL) == POLY_OK &&
			alike;
		infos[i] = alike ? poly_reader_info(readers[i]) : NULL;
	}
	if (alike) {
		/* A file has a value in all records, or in none. */
		const char *const facts[] = {"dialect", "din.form", "aix.tid"};
		const char *texts[5][2] = {
			{infos[0]->isa, infos[1]->isa}, {infos[0]->clock, infos[1]->clock}};
		for (size_t i = 0; i < 5; i++) {
			for (size_t side = 0; side < 2 && i > 1; side++)
				texts[i][side] = poly_trace_fact(infos[side], facts[i - 2]);
			const char *a = texts[i][0], *b = texts[i][1];
			alike = alike && (a == b || (a && b && strcmp(a, b) == 0));
		}
		alike = alike && infos[0]->byte_order == infos[1]->byte_order &&
			poly_columns_empty(
				poly_columns_minus(infos[1]->columns, infos[0]->columns));
	}
	poly_reader_close(readers[0]);
	poly_reader_close(readers[1]);
	return alike;
}

/* Tries two traces in both orders, and without the last newline. */
static bool
try_pair(const struct trace_bytes a, const struct trace_bytes b, const struct sample *sample,
	const struct poly_read_options *options)
{
	const bool is_text = format_find(sample->name.format)->is_text;
	bool good = true;
	for (unsigned turn = 0; good && turn < 4; turn++) {
		const struct trace_bytes traces[2] = {turn % 2 ? b : a, turn % 2 ? a : b};
		const bool open = turn / 2;
		const bool ends =
			traces[0].size > 1 && traces[0].data[traces[0].size - 1] == '\n';
		if ((open && (!is_text || !ends)) || !are_alike(traces, options))
			continue;
		good = try_traces(traces, sample, options, open);
	}
	return good;
}

/* Returns the number of rows that are read. */
static size_t
count_rows(const struct sample *sample, const struct poly_read_options *options)
{
	struct outcome outcome;
	read_bytes(sample->data, sample->size, options, &outcome);
	free(outcome.rows);
	return outcome.count;
}

/* The last sample that was tried. */
static struct {
	struct listed_sample name;
	struct buf bytes;
} last;

bool
law_joining(const struct sample *sample, const struct poly_read_options *options)
{
	const struct trace_bytes whole = {sample->data, sample->size};
	struct poly_read_options later = *options;
	struct buf half = {0};
	bool good = true;
	/* Names come in another order in the second half. */
	later.skip = count_rows(sample, options) / 2;
	const struct joining writing = {&whole, 1, &later, sample->name.format, 1};
	if (format_find(sample->name.format)->info.can_write &&
		join(&writing, &half) == POLY_OK && half.size)
		good = try_pair(
			(struct trace_bytes){half.data, half.size}, whole, sample, options);
	if (good && strcmp(last.name.format, sample->name.format) == 0 &&
		strcmp(last.name.option, sample->name.option) == 0)
		good = try_pair((struct trace_bytes){last.bytes.data, last.bytes.size}, whole,
			       sample, options) ||
		       fails_also(" (with %s)", last.name.path);
	buf_free(&half);
	last.name = sample->name;
	buf_clear(&last.bytes);
	buf_append(&last.bytes, sample->data, sample->size);
	return good;
}
