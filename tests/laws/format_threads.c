/* SPDX-License-Identifier: MIT */
/* Laws of reading formats by several threads. */
#include "format_law.h"

#include "../sampling.h"

#include "format/core/format.h"
#include "model/batch_hold.h"

#include <stdlib.h>
#include <string.h>

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

#define HELD_MAX 8

/* Delivered batches whose rows are appended later. */
struct held_batches {
	struct batch_hold held[HELD_MAX];
	size_t count;
};

/* Appends the rows of all held batches. */
static void
append_held(struct buf *to, struct held_batches *batches)
{
	for (size_t i = 0; i < batches->count; i++) {
		append_rows(to, batches->held[i].batch);
		batch_hold_release(&batches->held[i]);
	}
	batches->count = 0;
}

/* Appends the rows of a trace, those of up to max batches later than they were delivered. */
static void
append_all(struct buf *to, const uint8_t *data, size_t size,
	const struct poly_read_options *options, size_t max)
{
	struct held_batches batches = {.count = 0};
	struct poly_reader *reader;
	const struct poly_batch *batch;
	struct poly_error error = {0};
	buf_clear(to);
	if (poly_reader_open_memory(data, size, options, &reader, &error) == POLY_OK) {
		while (poly_reader_next(reader, &batch, &error) == POLY_OK) {
			if (batches.count < max &&
				batch_hold(batch, &batches.held[batches.count])) {
				batches.count++;
				continue;
			}
			append_held(to, &batches);
			append_rows(to, batch);
		}
		append_held(to, &batches);
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

/* Varies how a trace is read; whole: all its records are, and checked. */
static void
vary_reading(struct poly_read_options *options, bool whole)
{
	options->skip_errors = random_below(2);
	options->check = whole || random_below(3) == 0;
	options->strict = !whole && random_below(5) == 0;
	if (!whole && random_below(4) == 0)
		options->skip = random_below(100);
	if (!whole && random_below(5) == 0)
		options->count = random_below(300);
	if (random_below(4) == 0)
		options->columns = random_below(2) ? POLY_COLUMNS(site, mnemonic)
						   : POLY_COLUMNS_EXCEPT(site);
}

/* Threads, chunks and what is in them change nothing, whatever is wrong with the trace. */
static bool
try_threads(const struct sample *sample, const struct poly_read_options *options, size_t turns,
	bool whole)
{
	static const unsigned threads[] = {2, 3, 8, 1};
	static const size_t blocks[] = {64, 150, 400, 1500, 1, 97, 4500};
	struct buf one = {0}, many = {0};
	uint8_t *copy = malloc(sample->size);
	bool good = true;
	seed_random(3);
	for (size_t i = 0; good && i < turns; i++) {
		if (!sample_takes())
			continue;
		struct poly_read_options changed = *options;
		memcpy(copy, sample->data, sample->size);
		size_t size =
			i < (whole ? 1 : 8) ? sample->size : corrupt_bytes(copy, sample->size);
		vary_reading(&changed, whole);
		append_all(&one, copy, size, &changed, 0);
		changed.one_thread = false;
		changed.threads = threads[i % (whole ? 3 : 4)];
		changed.block_size = blocks[random_below(7)];
		/* Of a rule that looks ahead, the batch decides which record is the last. */
		if (!changed.strict && random_below(4) == 0)
			changed.batch_rows = 1 + random_below(20);
		append_all(&many, copy, size, &changed, i % (HELD_MAX + 1));
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

bool
law_threads(const struct sample *sample, const struct poly_read_options *options)
{
	return try_threads(sample, options, 80, false);
}

void
repeat_sample(struct buf *to, const struct sample *sample, size_t omitted)
{
	buf_append(to, sample->data, sample->size);
	for (size_t n = 0; n < 200 && to->size < 20000; n++)
		buf_append(to, sample->data + omitted, sample->size - omitted);
}

/* The same of formats that are decoded in chunks, with many chunks. */
bool
law_threads_repeated(const struct sample *sample, const struct poly_read_options *options)
{
	const struct format *format = format_find(sample->name.format);
	const uint8_t *newline = memchr(sample->data, '\n', sample->size);
	/* The whole; without a first line; without a magic, or the first word. */
	const size_t line = newline ? (size_t)(newline - sample->data) + 1 : 0;
	const size_t omitted[] = {0, line, 4, 8};
	bool good = true;
	for (size_t i = 0; good && i < sizeof omitted / sizeof *omitted; i++) {
		struct buf repeated = {0};
		if (!format || !format->find_split || omitted[i] >= sample->size ||
			(format->is_text && i > 1))
			continue;
		repeat_sample(&repeated, sample, omitted[i]);
		const struct sample changed = {
			.data = repeated.data, .size = repeated.size, .name = sample->name};
		good = !repeated.failed && try_threads(&changed, options, 16, false) &&
		       try_threads(&changed, options, 5, true);
		buf_free(&repeated);
	}
	return good;
}

/* The same of the sample packed in several segments. */
bool
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
	good = good && try_threads(&changed, &plain, 60, false);
	buf_free(&packed);
	return good;
}
