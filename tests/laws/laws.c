/* SPDX-License-Identifier: MIT */
/*
 * The laws: what must hold of every format in the registry, tried on every sample. TAP.
 *
 * usage: laws ROOT SAMPLES [threads]: all laws, or those that start threads. A line of SAMPLES
 * is "format path [option=value]"; paths are relative to ROOT/tests/data. Of bytes that read
 * the same as two formats, name the preferred one.
 */
#include "../sampling.h"

#include "base/bits.h"
#include "base/buf.h"
#include "base/mem.h"
#include "format/core/format.h"
#include "format/core/line_cache.h"
#include "model/batch_internal.h"
#include "polytrace/polytrace.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct sample {
	char format[32], path[200], option[64];
	uint8_t *data;
	size_t size;
};

/* What reading gave: a hash of every row, and of every column. */
struct outcome {
	uint64_t *rows;
	size_t count, capacity;
	uint64_t columns[POLY_COLUMN_COUNT];
	uint64_t origin; /* of the last row */
	bool jumps;	 /* a row stands before the one that it follows */
	enum poly_status status;
	bool opened;
	bool has_finding;
	struct poly_error error;
};

static unsigned tests, failures;

static void
result(bool good, const struct sample *sample, const char *law, const char *detail)
{
	tests++;
	failures += !good;
	if (!good)
		printf("# %s\n", detail);
	printf("%sok %u - %s: %s\n", good ? "" : "not ", tests, law,
		sample ? sample->path : "all");
	fflush(stdout);
}

static char why[600];

static bool fails(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Remembers why a law does not hold; false, to be returned. */
static bool
fails(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	vsnprintf(why, sizeof why, format, list);
	va_end(list);
	return false;
}

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

static struct poly_read_options
read_options(const struct sample *sample, const char *const *words)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.format = sample->format;
	options.one_thread = true;
	if (sample->option[0])
		options.options = words;
	return options;
}

/* How lines of patterns are written: as it is worth, from columns, or always copied. */
enum lines { LINES_USUAL, LINES_PRINTED, LINES_COPIED, LINES_DEFERRED, LINES_WAYS };

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

/* Reads bytes to the end, into a writer if there is one, otherwise row by row. */
static void
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
	outcome->status = status;
}

static void
read_bytes(const uint8_t *data, size_t size, const struct poly_read_options *options,
	struct outcome *outcome)
{
	struct poly_reader *reader;
	memset(outcome, 0, sizeof *outcome);
	outcome->status =
		poly_reader_open_memory(data, size, options, &reader, &outcome->error);
	outcome->opened = outcome->status == POLY_OK;
	if (outcome->opened)
		drain(reader, outcome, NULL, LINES_USUAL);
	poly_reader_close(reader);
}

static int
collect(void *user, const void *data, size_t size)
{
	buf_append(user, data, size);
	return 0;
}

/* Bytes to be read, and the format to write them in. */
struct rewriting {
	const uint8_t *data;
	size_t size;
	const struct poly_read_options *options;
	const char *format;
	bool every_column;	  /* the reader delivers more columns than the writer reads */
	const char *const *words; /* options of the writer, or NULL */
	enum lines lines;
};

static void
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

/* Reads bytes and writes them in the same format. */
static void
rewrite(const uint8_t *data, size_t size, const struct poly_read_options *options,
	struct buf *out, struct outcome *outcome)
{
	struct rewriting rewriting = {
		data, size, options, options->format, false, NULL, LINES_USUAL};
	rewrite_as(&rewriting, out, outcome);
}

/*
 * A rewritten trace: the same bytes, or those before the reported corrupt data. Corrupt data of
 * a packed trace is not written again, but must be reported.
 */
static bool
same_or_reported(const char *format, const struct outcome *outcome, const struct buf *out,
	const uint8_t *data, size_t size)
{
	if (!outcome->opened && outcome->error.message[0])
		return true;
	if (format_find(format)->is_packed && outcome->has_finding)
		return true;
	if (outcome->status == POLY_END && out->size != size)
		return fails("%zu bytes became %zu, without a note", size, out->size);
	if (outcome->status < 0 && outcome->status != POLY_ERR_FORMAT)
		return fails("status %d: %s", outcome->status, outcome->error.message);
	size_t n = out->size < size ? out->size : size;
	for (size_t i = 0; i < n; i++) {
		if (out->data[i] != data[i])
			return fails("byte %zu of %zu differs", i, size);
	}
	return out->size <= size || fails("%zu bytes became %zu", size, out->size);
}

static bool
law_identity(const struct sample *sample, const struct poly_read_options *options)
{
	struct buf out = {0};
	struct outcome outcome;
	rewrite(sample->data, sample->size, options, &out, &outcome);
	bool good = outcome.status == POLY_END ||
		    fails("status %d: %s", outcome.status, outcome.error.message);
	good = good &&
	       same_or_reported(sample->format, &outcome, &out, sample->data, sample->size);
	buf_free(&out);
	return good;
}

/* A packed sample is unpacked to its bytes. */
static bool
unpacks(const struct sample *sample, const struct buf *packed, enum lines lines)
{
	struct buf out = {0};
	struct outcome outcome;
	struct poly_read_options plain = POLY_READ_OPTIONS_INIT;
	const struct rewriting rewriting = {
		packed->data, packed->size, &plain, sample->format, false, NULL, lines};
	plain.one_thread = true;
	rewrite_as(&rewriting, &out, &outcome);
	bool good =
		outcome.status == POLY_END || fails("unpacking %d: status %d: %s", lines,
						      outcome.status, outcome.error.message);
	if (good && (out.size != sample->size || memcmp(out.data, sample->data, out.size) != 0))
		good = fails("unpacking %d: %zu bytes became others, %zu", lines, sample->size,
			out.size);
	buf_free(&out);
	return good;
}

/* Any trace is packed and unpacked again to the same bytes, however its lines are written. */
static bool
law_packing(const struct sample *sample, const struct poly_read_options *options)
{
	struct buf packed = {0};
	struct outcome outcome;
	const struct rewriting rewriting = {
		sample->data, sample->size, options, "ptz", false, NULL, LINES_USUAL};
	if (!format_find(sample->format)->info.can_write)
		return true;
	rewrite_as(&rewriting, &packed, &outcome);
	bool good = outcome.status == POLY_END ||
		    fails("packing: status %d: %s", outcome.status, outcome.error.message);
	for (unsigned lines = 0; good && lines < LINES_WAYS; lines++)
		good = unpacks(sample, &packed, (enum lines)lines);
	buf_free(&packed);
	return good;
}

static uint64_t seed;

static size_t
random_below(size_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return n ? (size_t)((seed >> 33) % n) : 0;
}

#define EDGE 4096
#define PLACES 1000

/* Traces up to this size are truncated at every byte, even in a sample of the cases. */
#define SHORT 400

/* The i-th place at which a sample is cut; SIZE_MAX after the last one. */
static size_t
place_at(size_t size, size_t i)
{
	if (size <= 2 * EDGE)
		return i < size ? i : SIZE_MAX;
	if (i < EDGE)
		return i;
	if (i < 2 * EDGE)
		return size - 2 * EDGE + i;
	return i < 2 * EDGE + PLACES ? random_below(size) : SIZE_MAX;
}

/*
 * The rows of a truncated trace are those of the complete one, except for the last ones: the
 * truncated row, and two before that may depend on it. If a trace is not read from front to
 * end, the missing rows may be anywhere.
 */
static bool
rows_are_a_prefix(const struct outcome *cut, const struct outcome *whole)
{
	if (whole->jumps)
		return true;
	size_t sure = cut->count > 3 ? cut->count - 3 : 0;
	if (sure > whole->count)
		return fails("%zu rows of %zu", cut->count, whole->count);
	for (size_t i = 0; i < sure; i++) {
		if (cut->rows[i] != whole->rows[i])
			return fails("row %zu of %zu differs", i + 1, cut->count);
	}
	return true;
}

static bool
cut_at(const struct sample *sample, const struct poly_read_options *options, size_t place,
	const struct outcome *whole)
{
	struct outcome outcome;
	struct buf out = {0};
	uint8_t *exact = malloc(place ? place : 1);
	memcpy(exact, sample->data, place);
	rewrite(exact, place, options, &out, &outcome);
	bool good = same_or_reported(sample->format, &outcome, &out, exact, place);
	if (good && whole && outcome.opened) {
		read_bytes(exact, place, options, &outcome);
		good = rows_are_a_prefix(&outcome, whole);
		free(outcome.rows);
	}
	buf_free(&out);
	free(exact);
	return good;
}

static bool
law_truncation(const struct sample *sample, const struct poly_read_options *options)
{
	struct outcome whole;
	read_bytes(sample->data, sample->size, options, &whole);
	bool good = true;
	seed = 1 + sample_seed();
	for (size_t i = 0, turn = 0; good; i++) {
		size_t place = place_at(sample->size, i);
		if (place == SIZE_MAX)
			break;
		if (sample->size > SHORT && !sample_takes())
			continue;
		good = cut_at(sample, options, place, turn++ % 16 ? NULL : &whole);
		if (!good)
			snprintf(why + strlen(why), sizeof why - strlen(why),
				" (cut at %zu of %zu)", place, sample->size);
	}
	free(whole.rows);
	return good;
}

/* Corrupt data is reported or preserved: with skip_errors, every byte is written again. */
static bool
law_flipped_bytes(const struct sample *sample, const struct poly_read_options *options)
{
	struct poly_read_options skipping = *options;
	skipping.skip_errors = skipping.check = true;
	uint8_t *copy = malloc(sample->size);
	bool good = true;
	seed = 2 + sample_seed();
	for (size_t i = 0; good && i < 300; i++) {
		if (!sample_takes())
			continue;
		struct outcome outcome;
		struct buf out = {0};
		memcpy(copy, sample->data, sample->size);
		for (size_t n = 1 + random_below(4); n; n--)
			copy[random_below(sample->size)] ^= (uint8_t)(1u << random_below(8));
		rewrite(copy, sample->size, &skipping, &out, &outcome);
		good = same_or_reported(sample->format, &outcome, &out, copy, sample->size);
		if (good && outcome.opened && outcome.status != POLY_END &&
			outcome.error.message[0] == 0)
			good = fails("status %d without a message", outcome.status);
		buf_free(&out);
	}
	free(copy);
	return good;
}

static bool
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

static bool
law_blocks_and_batches(const struct sample *sample, const struct poly_read_options *options)
{
	static const size_t sizes[] = {1, 3, 64, 4093};
	struct outcome whole, other;
	bool good = true;
	read_bytes(sample->data, sample->size, options, &whole);
	for (size_t i = 0; good && i < 8; i++) {
		struct poly_read_options changed = *options;
		size_t value = sizes[i % 4];
		if (i < 4)
			changed.block_size = value;
		else
			changed.batch_rows = value;
		changed.one_thread = i % 2;
		read_bytes(sample->data, sample->size, &changed, &other);
		good = same_outcome(&other, &whole, i < 4 ? "block size" : "batch rows", value);
		free(other.rows);
	}
	free(whole.rows);
	return good;
}

static bool
law_projection(const struct sample *sample, const struct poly_read_options *options)
{
	struct outcome whole, other;
	bool good = true;
	read_bytes(sample->data, sample->size, options, &whole);
	for (unsigned c = 0; good && c < POLY_COLUMN_COUNT; c++) {
		struct poly_read_options changed = *options;
		changed.columns = POLY_NO_COLUMNS;
		poly_columns_add(&changed.columns, (enum poly_column)c);
		read_bytes(sample->data, sample->size, &changed, &other);
		if (other.count != whole.count || other.columns[c] != whole.columns[c])
			good = fails("column %s alone is not what it is among all",
				poly_column_name((enum poly_column)c));
		free(other.rows);
	}
	free(whole.rows);
	return good;
}

/* The output does not change if only the columns of poly_writer_columns are read. */
static bool
law_writers_columns(const struct sample *sample, const struct poly_read_options *options)
{
	struct buf all = {0}, few = {0};
	struct outcome one, other;
	const struct poly_format_info *format;
	bool good = true;
	for (size_t i = 0; good && (format = poly_format_at(i)); i++) {
		struct rewriting rewriting = {sample->data, sample->size, options, format->name,
			true, NULL, LINES_USUAL};
		if (!format->can_write)
			continue;
		rewrite_as(&rewriting, &all, &one);
		rewriting.every_column = false;
		rewrite_as(&rewriting, &few, &other);
		good = one.status == other.status && all.size == few.size &&
		       (!all.size || memcmp(all.data, few.data, all.size) == 0) &&
		       strcmp(one.error.message, other.error.message) == 0 &&
		       one.error.offset == other.error.offset;
		if (!good)
			fails("%s: %zu bytes, status %d, '%s'; by its columns %zu bytes, "
			      "status %d, '%s'",
				format->name, all.size, one.status, one.error.message, few.size,
				other.status, other.error.message);
	}
	buf_free(&all);
	buf_free(&few);
	return good;
}

static bool
law_end_is_sticky(const struct sample *sample, const struct poly_read_options *options)
{
	struct poly_reader *reader;
	const struct poly_batch *batch;
	struct poly_error error;
	enum poly_status status =
		poly_reader_open_memory(sample->data, sample->size, options, &reader, &error);
	if (status != POLY_OK)
		return fails("cannot open: %s", error.message);
	while (poly_reader_next(reader, &batch, &error) == POLY_OK)
		;
	bool good = true;
	for (int i = 0; good && i < 3; i++) {
		status = poly_reader_next(reader, &batch, &error);
		good = (status == POLY_END && !batch) ||
		       fails("status %d after the end", status);
	}
	poly_reader_close(reader);
	return good;
}

/* The content alone determines the format: no name, and through a pipe. */
static bool
law_detection(const struct sample *sample, const struct poly_read_options *options)
{
	int ends[2];
	char path[40];
	/* A format that has no probe must be named. */
	if (!format_find(sample->format)->probe)
		return true;
	if (pipe(ends) != 0)
		return fails("no pipe");
	pid_t child = fork();
	if (child == 0) {
		close(ends[0]);
		for (size_t done = 0; done < sample->size;) {
			ssize_t n = write(ends[1], sample->data + done, sample->size - done);
			if (n <= 0)
				_exit(1);
			done += (size_t)n;
		}
		_exit(0);
	}
	close(ends[1]);
	snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
	struct poly_read_options guess = *options;
	guess.format = NULL;
	struct outcome named, found = {0};
	read_bytes(sample->data, sample->size, options, &named);
	struct poly_reader *reader;
	found.status = poly_reader_open(path, &guess, &reader, &found.error);
	bool good = found.status == POLY_OK || fails("not recognised: %s", found.error.message);
	if (good) {
		const char *format = poly_reader_format(reader)->name;
		if (strcmp(format, sample->format) != 0)
			good = fails(
				"taken for '%s': %s", format, poly_reader_evidence(reader));
		drain(reader, &found, NULL, LINES_USUAL);
	}
	good = good && same_outcome(&found, &named, "read by content", 0);
	poly_reader_close(reader);
	close(ends[0]);
	waitpid(child, NULL, 0);
	free(named.rows);
	free(found.rows);
	return good;
}

static bool
law_probes_are_pure(const struct sample *sample, const struct poly_read_options *options)
{
	(void)options;
	const struct format *format;
	uint8_t *copy = malloc(sample->size);
	bool good = true;
	memcpy(copy, sample->data, sample->size);
	for (size_t i = 0; good && (format = format_at(i)); i++) {
		if (!format->probe)
			continue;
		struct probe_note one = {.text = ""}, two = {.text = ""};
		int first = format->probe(copy, sample->size, true, &one);
		for (size_t n = 0; n < sample->size && n < 300; n++) {
			if (sample_takes())
				format->probe(copy, n, n % 2, &two);
		}
		memset(&two, 0, sizeof two);
		int second = format->probe(copy, sample->size, true, &two);
		good = (first == second && strcmp(one.text, two.text) == 0) ||
		       fails("%s bids %d, then %d", format->info.name, first, second);
		good = good && (memcmp(copy, sample->data, sample->size) == 0 ||
				       fails("%s changed the bytes", format->info.name));
	}
	free(copy);
	return good;
}

/* Checking changes no row, and strict reading gives a beginning of them. */
static bool
law_check_and_strict(const struct sample *sample, const struct poly_read_options *options)
{
	struct outcome whole, checked, strict;
	struct poly_read_options changed = *options;
	read_bytes(sample->data, sample->size, options, &whole);
	changed.check = true;
	read_bytes(sample->data, sample->size, &changed, &checked);
	changed.strict = true;
	read_bytes(sample->data, sample->size, &changed, &strict);
	bool good = same_outcome(&checked, &whole, "checked", 1);
	if (good && strict.opened && strict.count > whole.count)
		good = fails("strict reading gave more rows");
	for (size_t i = 0; good && i < strict.count; i++)
		good = strict.rows[i] == whole.rows[i] ||
		       fails("strict: row %zu differs", i + 1);
	free(whole.rows);
	free(checked.rows);
	free(strict.rows);
	return good;
}

/* All results of a reader, as bytes: numbers of names, findings, the end. */
static void
append_number(struct buf *to, uint64_t v)
{
	buf_append(to, &v, sizeof v);
}

static void
append_rows(struct buf *to, const struct poly_batch *batch)
{
	for (size_t row = 0; row < batch->rows; row++) {
		append_number(to, batch->first + row);
		for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++) {
			enum poly_column column = (enum poly_column)c;
			enum poly_form form = poly_column_form(column);
			if (!poly_present(batch, column, row))
				continue;
			append_number(to, c);
			if (form == POLY_FORM_BYTES || form == POLY_FORM_TEXT) {
				size_t n;
				const uint8_t *bytes = poly_batch_bytes(batch, column, row, &n);
				append_number(to, n);
				buf_append(to, bytes, n);
			} else {
				append_number(to, poly_batch_integer(batch, column, row));
			}
		}
	}
}

static void
append_end(struct buf *to, const struct poly_reader *reader, const struct poly_error *error,
	bool ended)
{
	struct poly_reader_counts counts;
	struct poly_finding finding;
	poly_reader_count(reader, &counts);
	buf_printf(to, "%d %s %d %llu %llu %llu\n", error->status, error->message,
		error->sys_errno, (unsigned long long)error->offset,
		(unsigned long long)error->record, (unsigned long long)error->line);
	/* The bytes read after the end of the selected rows depend on the batch. */
	if (ended)
		return;
	buf_printf(to, "%llu %llu %llu %llu\n", (unsigned long long)counts.records,
		(unsigned long long)counts.content_bytes,
		(unsigned long long)counts.skipped_bytes,
		(unsigned long long)counts.skipped_places);
	for (size_t i = 0; poly_reader_finding_at(reader, i, &finding); i++)
		buf_printf(to, "%s %llu %llu %llu %s\n", finding.rule->code,
			(unsigned long long)finding.count, (unsigned long long)finding.record,
			(unsigned long long)finding.offset, finding.message);
	const char *name;
	for (uint32_t i = 0; (name = poly_trace_name(poly_reader_info(reader), i)); i++)
		buf_printf(to, "%s\n", name);
}

static void
append_all(struct buf *to, const uint8_t *data, size_t size,
	const struct poly_read_options *options)
{
	struct poly_reader *reader;
	const struct poly_batch *batch;
	struct poly_error error = {0};
	buf_clear(to);
	if (poly_reader_open_memory(data, size, options, &reader, &error) == POLY_OK) {
		while (poly_reader_next(reader, &batch, &error) == POLY_OK)
			append_rows(to, batch);
		append_end(to, reader, &error, options->strict || options->count != UINT64_MAX);
	}
	poly_reader_close(reader);
}

/* Flips bits, takes away or doubles the end of a line, or cuts the rest off. */
static size_t
corrupt_bytes(uint8_t *data, size_t size)
{
	for (size_t n = random_below(4); n; n--)
		data[random_below(size)] ^= (uint8_t)(1u << random_below(8));
	for (size_t n = random_below(3); n; n--) {
		size_t place = random_below(size);
		uint8_t *newline = memchr(data + place, '\n', size - place);
		if (newline)
			*newline = n == 2 ? ' ' : '\r';
	}
	return random_below(3) ? size : 1 + random_below(size);
}

/* Packs a sample in segments of a number of rows. */
static bool
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

/* Where segments end, and what is in them, does not depend on how the rows come. */
static bool
law_packing_of_batches(const struct sample *sample, const struct poly_read_options *options)
{
	static const size_t blocks[] = {64, 150, 400, 1500, 0};
	struct buf one = {0}, other = {0};
	bool good = true;
	seed = 5 + sample_seed();
	for (size_t i = 0; good && i < 6; i++) {
		if (!sample_takes())
			continue;
		const size_t rows = i % 2 ? 1 + random_below(200) : POLY_BATCH_ROWS;
		struct poly_read_options changed = *options;
		changed.one_thread = false;
		changed.threads = 1 + (unsigned)random_below(3);
		changed.block_size = blocks[random_below(5)];
		changed.batch_rows = 1 + random_below(i % 3 ? 100 : POLY_BATCH_ROWS);
		good = pack_small(sample, options, rows, &one) &&
		       pack_small(sample, &changed, rows, &other) &&
		       ((one.size == other.size &&
				memcmp(one.data, other.data, one.size) == 0) ||
			       fails("segments of %zu rows: %zu bytes of batches of %zu rows, "
				     "expected %zu",
				       rows, other.size, changed.batch_rows, one.size));
	}
	buf_free(&one);
	buf_free(&other);
	return good;
}

/* Threads, chunks and what is in them change nothing, whatever is wrong with the trace. */
static bool
try_threads(const struct sample *sample, const struct poly_read_options *options, size_t turns)
{
	static const unsigned threads[] = {2, 3, 8, 1};
	static const size_t blocks[] = {64, 150, 400, 1500, 1, 97};
	struct buf one = {0}, many = {0};
	uint8_t *copy = malloc(sample->size);
	bool good = true;
	seed = 3 + sample_seed();
	for (size_t i = 0; good && i < turns; i++) {
		if (!sample_takes())
			continue;
		struct poly_read_options changed = *options;
		memcpy(copy, sample->data, sample->size);
		size_t size = i < 8 ? sample->size : corrupt_bytes(copy, sample->size);
		changed.skip_errors = random_below(2);
		changed.check = random_below(3) == 0;
		changed.strict = random_below(5) == 0;
		if (random_below(4) == 0)
			changed.skip = random_below(100);
		if (random_below(5) == 0)
			changed.count = random_below(300);
		if (random_below(4) == 0)
			changed.columns = random_below(2) ? POLY_COLUMNS(site, mnemonic)
							  : POLY_COLUMNS_EXCEPT(site);
		append_all(&one, copy, size, &changed);
		changed.one_thread = false;
		changed.threads = threads[i % 4];
		changed.block_size = blocks[random_below(6)];
		/* Of a rule that looks ahead, the batch decides which record is the last. */
		if (!changed.strict && random_below(4) == 0)
			changed.batch_rows = 1 + random_below(20);
		append_all(&many, copy, size, &changed);
		good = (one.size == many.size &&
			       (!one.size || memcmp(one.data, many.data, one.size) == 0)) ||
		       fails("turn %zu: %zu bytes by %u threads in blocks of %zu, expected %zu",
			       i, many.size, changed.threads, changed.block_size, one.size);
	}
	buf_free(&one);
	buf_free(&many);
	free(copy);
	return good;
}

static bool
law_threads(const struct sample *sample, const struct poly_read_options *options)
{
	return try_threads(sample, options, 80);
}

/* The same of the sample packed in several segments. */
static bool
law_threads_packed(const struct sample *sample, const struct poly_read_options *options)
{
	struct buf packed = {0};
	struct outcome whole;
	struct poly_read_options plain = POLY_READ_OPTIONS_INIT;
	plain.one_thread = true;
	plain.format = "ptz";
	read_bytes(sample->data, sample->size, options, &whole);
	free(whole.rows);
	bool good = pack_small(sample, options, 1 + whole.count / 7, &packed);
	const struct sample changed = {.data = packed.data, .size = packed.size};
	good = good && try_threads(&changed, &plain, 60);
	buf_free(&packed);
	return good;
}

#ifdef POLY_FAULT_INJECTION
static bool
law_lack_of_memory(const struct sample *sample, const struct poly_read_options *options)
{
	struct poly_read_options checking = *options;
	checking.check = true;
	size_t size = sample->size < 4096 ? sample->size : 4096;
	for (size_t k = 1; k < 5000; k++) {
		if (!sample_takes())
			continue;
		struct outcome outcome;
		struct buf out = {0};
		buf_reserve(&out, 16 * size + 65536); /* the sink is not what is tested */
		mem_fail_at(k);
		rewrite(sample->data, size, &checking, &out, &outcome);
		bool reached = mem_fail_at(0) >= k;
		buf_free(&out);
		if (!reached)
			return true;
		if (outcome.status != POLY_ERR_MEMORY && outcome.status != POLY_END &&
			outcome.status != POLY_ERR_FORMAT)
			return fails("allocation %zu fails: status %d: %s", k, outcome.status,
				outcome.error.message);
	}
	return fails("allocations without end");
}
#endif

static const struct {
	const char *name;
	bool (*holds)(const struct sample *, const struct poly_read_options *);
	bool threads; /* it starts some */
} laws[] = {
	{"what_is_read_is_written_the_same", law_identity, false},
	{"what_is_packed_is_unpacked_the_same", law_packing, false},
	{"packing_does_not_depend_on_batches", law_packing_of_batches, true},
	{"truncation_loses_nothing", law_truncation, false},
	{"flipped_bytes_are_survived", law_flipped_bytes, false},
	{"blocks_and_batches_change_nothing", law_blocks_and_batches, true},
	{"threads_change_nothing", law_threads, true},
	{"threads_change_nothing_of_packed_samples", law_threads_packed, true},
	{"projection_changes_nothing", law_projection, false},
	{"writers_say_which_columns_they_look_at", law_writers_columns, false},
	{"the_end_is_sticky", law_end_is_sticky, false},
	{"content_tells_the_format", law_detection, false},
	{"probes_are_pure", law_probes_are_pure, false},
	{"checking_changes_nothing", law_check_and_strict, false},
#ifdef POLY_FAULT_INJECTION
	{"lack_of_memory_is_reported", law_lack_of_memory, false},
#endif
};

static bool
load(struct sample *sample, const char *root)
{
	char path[600];
	snprintf(path, sizeof path, "%s/tests/data/%s", root, sample->path);
	FILE *file = fopen(path, "rb");
	if (!file)
		return fails("cannot open %s", path);
	fseek(file, 0, SEEK_END);
	sample->size = (size_t)ftell(file);
	rewind(file);
	sample->data = malloc(sample->size ? sample->size : 1);
	bool good = fread(sample->data, 1, sample->size, file) == sample->size;
	fclose(file);
	return good || fails("cannot read %s", path);
}

/* False where the build lacks the library that the sample's format needs. */
static bool
can_be_read(const struct sample *sample, const struct poly_read_options *options)
{
	struct poly_reader *reader;
	struct poly_error error;
	enum poly_status status =
		poly_reader_open_memory(sample->data, sample->size, options, &reader, &error);
	poly_reader_close(reader);
	return status != POLY_ERR_UNSUPPORTED || fails("%s", error.message);
}

static void
try_sample(struct sample *sample, const char *root, bool threads)
{
	if (!load(sample, root)) {
		result(false, sample, "the_sample_is_there", why);
		return;
	}
	const char *words[] = {sample->option, NULL};
	struct poly_read_options options = read_options(sample, words);
	for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
		why[0] = 0;
		if (threads && !laws[i].threads)
			continue;
		if (!can_be_read(sample, &options)) {
			printf("ok %u - %s: %s # SKIP %s\n", ++tests, laws[i].name,
				sample->path, why);
			continue;
		}
		bool good = laws[i].holds(sample, &options);
		result(good, sample, laws[i].name, why);
	}
	free(sample->data);
}

/* Empty input and zeros match no format. */
static void
try_zeros(void)
{
	static const uint8_t zeros[65536];
	const struct format *format;
	for (size_t i = 0; (format = format_at(i)); i++) {
		struct probe_note note = {.text = ""};
		bool good = !format->probe ||
			    (format->probe(zeros, 0, true, &note) <= 0 &&
				    format->probe(zeros, sizeof zeros, true, &note) <= 0);
		snprintf(why, sizeof why, "%s bids", format->info.name);
		result(good, NULL, "zeros_are_no_format", why);
	}
}

/* A format that is read and written must have a sample. */
static void
try_coverage(const char *names)
{
	const struct format *format;
	for (size_t i = 0; (format = format_at(i)); i++) {
		char word[40];
		snprintf(word, sizeof word, " %s ", format->info.name);
		bool good = !format->info.can_read || strstr(names, word);
		snprintf(why, sizeof why, "%s has no sample", format->info.name);
		result(good, NULL, "every_format_has_a_sample", why);
	}
}

int
main(int argc, char **argv)
{
	const bool threads = argc == 4 && strcmp(argv[3], "threads") == 0;
	FILE *list = argc == 3 || threads ? fopen(argv[2], "r") : NULL;
	char line[400];
	struct buf names = {0};
	if (!list) {
		fprintf(stderr, "usage: laws ROOT SAMPLES [threads]\n");
		return 2;
	}
	buf_string(&names, " ");
	while (fgets(line, sizeof line, list)) {
		struct sample sample = {0};
		if (line[0] == '#' || sscanf(line, "%31s %199s %63s", sample.format,
					      sample.path, sample.option) < 2)
			continue;
		buf_printf(&names, "%s ", sample.format);
		try_sample(&sample, argv[1], threads);
	}
	fclose(list);
	if (!threads) {
		try_zeros();
		try_coverage(buf_text(&names));
	}
	buf_free(&names);
	printf("1..%u\n", tests);
	return 0;
}
