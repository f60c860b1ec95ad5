/* SPDX-License-Identifier: MIT */
/* The law of weighted rows. */
#include "analysis_law.h"

#include "../sampling.h"
#include "../sinks.h"

#include <string.h>

/* Analyses that got weighted rows. */
static bool has_weights[NAMES_MAX];

bool
pack_sample(const struct sample *sample, uint64_t times, const char *rows, struct buf *packed)
{
	const struct poly_sink sink = {collect, packed};
	const char *words[] = {rows, NULL};
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	struct poly_error error = {0};
	struct poly_reader *reader;
	struct poly_writer *writer = NULL;
	const struct poly_batch *batch;
	options.format = "ptz";
	options.options = words;
	enum poly_status status = open_sample(sample, &reader, &error);
	if (status == POLY_OK)
		status = poly_writer_open_sink(
			&sink, poly_reader_info(reader), &options, &writer, &error);
	while (status == POLY_OK && poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (uint64_t i = 0; status == POLY_OK && i < times; i++)
			status = poly_writer_write(writer, batch, &error);
	}
	if (status == POLY_OK)
		status = poly_writer_finish(writer, &error);
	poly_writer_close(writer);
	poly_reader_close(reader);
	return status == POLY_OK || status == POLY_ERR_UNSUPPORTED ||
	       fails("packing: %s", error.message);
}

/* Notes the analyses that got weighted rows. */
static void
note_weights(const struct poly_batch *batch, const char *const *names)
{
	const struct analysis *analysis;
	for (size_t i = 0; poly_batch_weights(batch) && (analysis = analysis_at(i)); i++) {
		for (size_t k = 0; names[k]; k++)
			has_weights[i] |= strcmp(analysis->info.name, names[k]) == 0;
	}
}

enum poly_status
read_packed(const struct buf *packed, const struct packed_reading *reading,
	const char *const *names, bool weighted, struct buf *report)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader = NULL;
	struct poly_reader_counts counts;
	struct poly_stats *stats = NULL;
	struct poly_error error = {0};
	const struct poly_batch *batch;
	options.skip = reading->skip;
	options.count = reading->count;
	options.batch_rows = reading->rows;
	options.skip_errors = true;
	options.one_thread = reading->alone;
	enum poly_status status =
		poly_reader_open_memory(packed->data, packed->size, &options, &reader, &error);
	if (status == POLY_OK)
		status = new_run(names, names[1] && !reading->alone ? 2 : 1, &stats, &error);
	if (status == POLY_OK)
		status = poly_stats_begin(stats, poly_reader_info(reader), &error);
	if (status == POLY_OK)
		status = poly_reader_plan(reader,
			&(struct poly_read_plan){.size = sizeof(struct poly_read_plan),
				.columns = poly_stats_columns(stats),
				.weights = weighted && poly_stats_accepts_weights(stats)},
			&error);
	while (status == POLY_OK &&
		(status = poly_reader_next(reader, &batch, &error)) == POLY_OK) {
		status = poly_stats_update(stats, batch, &error);
		status = status == POLY_END ? POLY_OK : status;
		note_weights(batch, names);
	}
	if (status == POLY_END || status == POLY_ERR_TRUNCATED)
		status = render(stats, report, &error);
	if (status == POLY_OK) {
		poly_reader_count(reader, &counts);
		buf_printf(report, "%llu records, %llu bytes skipped in %llu regions",
			(unsigned long long)counts.records,
			(unsigned long long)counts.skipped_bytes,
			(unsigned long long)counts.skipped_places);
	}
	poly_stats_free(stats);
	poly_reader_close(reader);
	if (status != POLY_OK)
		fails("%s: %s", names[0], error.message);
	return status;
}

/* Whether a packed trace can be opened: bytes of its head may be corrupt. */
static bool
can_be_opened(const struct buf *packed)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader = NULL;
	options.skip_errors = true;
	const bool opened = poly_reader_open_memory(packed->data, packed->size, &options,
				    &reader, NULL) == POLY_OK;
	poly_reader_close(reader);
	return opened;
}

/* Whether weighted rows give the same report as single records. */
static bool
is_same_weighted(
	struct buf *packed, const struct packed_reading *reading, const char *const *names)
{
	struct buf rows = {0}, counted = {0};
	if (reading->corrupt)
		packed->data[reading->corrupt] ^= 0x10;
	const bool good =
		(reading->corrupt && !can_be_opened(packed)) ||
		(read_packed(packed, reading, names, false, &rows) == POLY_OK &&
			read_packed(packed, reading, names, true, &counted) == POLY_OK &&
			is_same(&counted, &rows, reading->what, packed->size));
	if (reading->corrupt)
		packed->data[reading->corrupt] ^= 0x10;
	buf_free(&rows);
	buf_free(&counted);
	return good;
}

/* Compares all analyses that accept weights, one by one and together. */
static bool
all_same_weighted(const struct sample *sample, struct buf *packed)
{
	const struct packed_reading readings[] = {
		{"packed, of bytes", 0, UINT64_MAX, 0, 0, false},
		{"a part, of bytes", 10000, 29000, 0, 0, false},
		{"small batches, of bytes", 0, UINT64_MAX, 37, 0, false},
		{"corrupt, of bytes", 0, UINT64_MAX, 0, packed->size / 2, false},
		{"corrupt at the end, of bytes", 0, UINT64_MAX, 0, packed->size / 8 * 7, false},
	};
	bool good = true;
	for (size_t k = 0; good && packed->size && k < sizeof readings / sizeof *readings;
		k++) {
		for (size_t i = 0; good && sample->weighted[i]; i++)
			good = !sample_takes() ||
			       is_same_weighted(packed, &readings[k],
				       (const char *[]){sample->weighted[i], NULL});
		good = good &&
		       (!sample->weighted[0] || !sample_takes() ||
			       is_same_weighted(packed, &readings[k], sample->weighted));
	}
	return good;
}

bool
law_weights(const struct sample *sample)
{
	/* Few segments that repeat the sample, and many segments, with boundaries anywhere in
	 * the sample. */
	const struct {
		uint64_t rows;
		const char *word;
	} packings[] = {{40000, "ptz.rows=16384"}, {4000, "ptz.rows=97"}};
	bool good = true;
	for (size_t i = 0; good && i < sizeof packings / sizeof *packings; i++) {
		const uint64_t times = sample->rows ? packings[i].rows / sample->rows + 1 : 1;
		struct buf packed = {0};
		good = pack_sample(sample, times, packings[i].word, &packed) &&
		       all_same_weighted(sample, &packed);
		buf_free(&packed);
	}
	return good;
}

void
expect_weights(void)
{
	const struct analysis *analysis;
	for (size_t i = 0; (analysis = analysis_at(i)); i++) {
		if (!analysis->update_weighted)
			continue;
		fails("%s got no weighted rows", analysis->info.name);
		law_result(has_weights[i], "weighted_rows_were_tried", "all");
	}
}
