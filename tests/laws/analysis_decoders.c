/* SPDX-License-Identifier: MIT */
/* Laws of analyses by the threads that decode. */
#include "analysis_law.h"

#include "../sampling.h"

#include "model/batch_internal.h"
#include "model/decoder_work.h"

#include <string.h>

/* Records that decoders analysed, of samples and of packed ones. */
static uint64_t decoded[2];

/* How a sample is decoded. */
struct decoding {
	const char *const *names; /* of analyses */
	const struct buf *packed; /* the packed sample; NULL: as it is */
	unsigned threads;
	unsigned times; /* it is read that number of times, as that number of traces */
};

static enum poly_status
open_decoding(const struct sample *sample, const struct decoding *decoding,
	struct poly_reader **reader, struct poly_error *error)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	const char *words[] = {sample->name.option, NULL};
	options.threads = decoding->threads;
	options.skip_errors = decoding->packed != NULL;
	if (decoding->packed)
		return poly_reader_open_memory(decoding->packed->data, decoding->packed->size,
			&options, reader, error);
	options.format = sample->name.format;
	options.block_size = 64 + (size_t)random_below(2000);
	options.options = sample->name.option[0] ? words : NULL;
	return poly_reader_open(sample->path, &options, reader, error);
}

/* Adds a sample, whose decoders have work. */
static enum poly_status
feed_decoders(const struct sample *sample, const struct decoding *decoding,
	struct poly_stats *stats, struct poly_error *error)
{
	struct poly_read_plan plan = POLY_READ_PLAN_INIT;
	const struct poly_decoder_work *work = NULL;
	const struct poly_batch *batch;
	struct poly_reader *reader;
	enum poly_status status = open_decoding(sample, decoding, &reader, error);
	if (status == POLY_OK)
		status = poly_stats_begin(stats, poly_reader_info(reader), error);
	if (status == POLY_OK) {
		work = poly_stats_decoder_work(stats);
		plan.columns = poly_stats_columns(stats);
		plan.work = &work;
		plan.work_count = work != NULL;
		status = poly_reader_plan(reader, &plan, error);
	}
	while (status == POLY_OK &&
		(status = poly_reader_next(reader, &batch, error)) == POLY_OK) {
		decoded[decoding->packed != NULL] +=
			batch_decoded(batch) ? batch_decoded(batch)->records : 0;
		status = poly_stats_update(stats, batch, error);
	}
	poly_reader_close(reader);
	/* Corrupt samples are reported up to there. */
	return status == POLY_END || status == POLY_ERR_FORMAT || status == POLY_ERR_TRUNCATED
		       ? POLY_OK
		       : status;
}

static enum poly_status
report_decoders(
	const struct sample *sample, const struct decoding *decoding, struct buf *report)
{
	struct poly_error error = {.message = ""};
	struct poly_stats *stats = NULL;
	enum poly_status status = new_run(decoding->names, decoding->threads, &stats, &error);
	for (unsigned i = 0; status == POLY_OK && i < decoding->times; i++)
		status = feed_decoders(sample, decoding, stats, &error);
	if (status == POLY_OK)
		status = render(stats, report, &error);
	poly_stats_free(stats);
	if (status != POLY_OK)
		fails("status %d: %s", status, error.message);
	return status;
}

static const unsigned threads[] = {2, 3, 4, 8};

/* Whether the reports of analyses by several threads are that of one. */
static bool
is_same_decoded(const struct sample *sample, const struct buf *packed, const char *const *names)
{
	struct buf one = {0}, many = {0};
	bool good = true;
	for (unsigned i = 0; good && names[0] && i < 4; i++) {
		struct decoding decoding = {names, packed, 1, 1 + i / 2};
		if (i % 2 == 0)
			good = report_decoders(sample, &decoding, &one) == POLY_OK;
		decoding.threads = threads[i % 2 * 2 + random_below(2)];
		good = good && report_decoders(sample, &decoding, &many) == POLY_OK &&
		       is_same(&many, &one, "decoders", decoding.threads);
	}
	buf_free(&one);
	buf_free(&many);
	return good;
}

/* The same of an analysis that is digested in parts, by some number of threads. */
static bool
is_same_digested(const struct sample *sample, const struct buf *packed, const char *name)
{
	struct decoding decoding = {(const char *[]){name, NULL}, packed, 1, 1};
	struct buf one = {0}, many = {0};
	bool good = report_decoders(sample, &decoding, &one) == POLY_OK;
	decoding.threads = threads[random_below(4)];
	good = good && report_decoders(sample, &decoding, &many) == POLY_OK &&
	       is_same(&many, &one, name, decoding.threads);
	buf_free(&one);
	buf_free(&many);
	return good;
}

/* The same of all analyses that are merged, and of those that are digested in parts. */
static bool
all_same_decoded(const struct sample *sample, const struct buf *packed)
{
	const char *names[NAMES_MAX + 1] = {NULL};
	size_t count = 0;
	for (size_t i = 0; sample->parts[i]; i++) {
		if (packed || !analysis_named(sample->parts[i])->uses_numbers)
			names[count++] = sample->parts[i];
	}
	bool good = is_same_decoded(sample, packed, names);
	for (size_t i = 0; good && sample->names[i]; i++)
		good = !analysis_named(sample->names[i])->parts ||
		       is_same_digested(sample, packed, sample->names[i]);
	return good;
}

bool
law_decoders(const struct sample *sample)
{
	return all_same_decoded(sample, NULL);
}

bool
law_segments(const struct sample *sample)
{
	struct buf packed = {0};
	const uint64_t times = sample->rows ? 800 / sample->rows + 1 : 1;
	bool good = pack_sample(sample, times, "ptz.rows=97", &packed) &&
		    (!packed.size || all_same_decoded(sample, &packed));
	/* A corrupt segment. */
	if (good && packed.size) {
		packed.data[packed.size / 2] ^= 0x10;
		good = all_same_decoded(sample, &packed);
	}
	buf_free(&packed);
	return good;
}

void
expect_decoders(void)
{
	fails("decoders analysed no record");
	law_result(decoded[0] && decoded[1], "decoders_analysed_records", "all");
}
