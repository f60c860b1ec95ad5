/* SPDX-License-Identifier: MIT */
/* Laws of writing by the threads that decode. */
#include "format_law.h"

#include "../sampling.h"
#include "../sinks.h"

#include "format/core/format.h"
#include "model/batch_internal.h"

#include <stdlib.h>
#include <string.h>

/* Batches that decoders encoded, of all samples. */
static size_t encoded;

/* Writes all rows that a reader delivers, encoded by decoders if they can be; appends how it
 * ended. sites: with numbers of sites, if the format writes any columns. */
static void
write_all(struct poly_reader *reader, const char *format, bool sites, struct buf *to)
{
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	struct poly_read_plan plan = POLY_READ_PLAN_INIT;
	const struct poly_sink sink = {collect, to};
	const struct poly_decoder_work *work;
	const struct poly_batch *batch;
	struct poly_writer *writer;
	struct poly_error error = {.message = ""};
	options.format = format;
	options.threads = 3;
	if (sites)
		options.columns = POLY_COLUMNS(site, pc, mnemonic);
	if (poly_writer_open_sink(&sink, poly_reader_info(reader), &options, &writer, &error) !=
		POLY_OK) {
		poly_reader_close(reader);
		return;
	}
	work = poly_writer_decoder_work(writer);
	plan.columns = poly_writer_columns(writer);
	plan.work = &work;
	plan.work_count = work != NULL;
	enum poly_status status = poly_reader_plan(reader, &plan, &error);
	while (status == POLY_OK &&
		(status = poly_reader_next(reader, &batch, &error)) == POLY_OK) {
		encoded += batch_decoded(batch) != NULL;
		status = poly_writer_write(writer, batch, &error);
	}
	/* As for --partial. */
	const enum poly_status finished = poly_writer_finish(writer, NULL);
	buf_printf(to, "\n%d %d %s %llu %llu %llu\n", finished, status, error.message,
		(unsigned long long)error.offset, (unsigned long long)error.record,
		(unsigned long long)error.line);
	uint64_t count;
	const char *note;
	for (size_t i = 0; (note = poly_writer_note_at(writer, i, &count)); i++)
		buf_printf(to, "%s %llu\n", note, (unsigned long long)count);
	poly_reader_close(reader);
	poly_writer_close(writer);
}

/* Writes a trace in every format whose rows are independent of each other. */
static void
write_formats(const struct buf *trace, const struct poly_read_options *options, bool sites,
	struct buf *to)
{
	const struct format *format;
	buf_clear(to);
	for (size_t i = 0; (format = format_at(i)); i++) {
		struct poly_reader *reader;
		if (!format->rows_independent || !format->info.can_write ||
			poly_reader_open_memory(
				trace->data, trace->size, options, &reader, NULL) != POLY_OK)
			continue;
		buf_printf(to, "%s\n", format->info.name);
		write_all(reader, format->info.name, sites, to);
	}
}

/* Returns the size of the first line of a text, which may be a header; 0: it is the only line.
 */
static size_t
header_size(const struct sample *sample, bool is_text)
{
	const uint8_t *newline = memchr(sample->data, '\n', sample->size);
	const size_t size = is_text && newline ? (size_t)(newline - sample->data) + 1 : 0;
	return size < sample->size ? size : 0;
}

bool
law_encoding_decoders(const struct sample *sample, const struct poly_read_options *options)
{
	static const unsigned threads[] = {2, 3, 8};
	static const size_t blocks[] = {64, 500, 3000};
	const struct format *format = format_find(sample->name.format);
	struct buf trace = {0}, one = {0}, many = {0};
	bool good = true;
	if (!format || !format->find_split)
		return true;
	seed_random(5);
	repeat_sample(&trace, sample, header_size(sample, format->is_text));
	for (size_t i = 0; good && i < 9; i++) {
		struct poly_read_options changed = *options;
		if (!sample_takes())
			continue;
		/* Corrupt, and truncated. */
		if (i >= 5)
			trace.data[random_below(trace.size)] ^= 0x41;
		if (i == 8)
			trace.size -= trace.size / 5;
		changed.skip_errors = i % 2;
		changed.one_thread = true;
		write_formats(&trace, &changed, i % 3 == 1, &one);
		changed.one_thread = false;
		changed.threads = threads[i % 3];
		changed.block_size = blocks[random_below(3)];
		write_formats(&trace, &changed, i % 3 == 1, &many);
		good = (one.size == many.size && memcmp(one.data, many.data, one.size) == 0) ||
		       fails("turn %zu: %zu bytes by %u threads in blocks of %zu, expected %zu",
			       i, many.size, changed.threads, changed.block_size, one.size);
	}
	buf_free(&trace);
	buf_free(&one);
	buf_free(&many);
	return good;
}

void
expect_encoding(void)
{
	fails("decoders encoded no batch");
	law_result(encoded > 0, "decoders_encoded_batches", "all");
}
