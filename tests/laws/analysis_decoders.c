/* SPDX-License-Identifier: MIT */
/* Laws of analyses by the threads that decode. */
#include "analysis_law.h"

#include "../sampling.h"

#include "model/batch_internal.h"
#include "model/decoder_work.h"

#include <string.h>

/* Records that decoders analysed. */
static uint64_t decoded;

/* Adds a sample, whose decoders have work. */
static enum poly_status
feed_decoders(const struct sample *sample, unsigned threads, size_t block_size,
	struct poly_stats *stats, struct poly_error *error)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_read_plan plan = POLY_READ_PLAN_INIT;
	const char *words[] = {sample->name.option, NULL};
	const struct poly_decoder_work *work = NULL;
	const struct poly_batch *batch;
	struct poly_reader *reader;
	options.format = sample->name.format;
	options.threads = threads;
	options.block_size = block_size;
	options.options = sample->name.option[0] ? words : NULL;
	enum poly_status status = poly_reader_open(sample->path, &options, &reader, error);
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
		decoded += batch_decoded(batch) ? batch_decoded(batch)->records : 0;
		status = poly_stats_update(stats, batch, error);
	}
	poly_reader_close(reader);
	/* Corrupt samples are reported up to there. */
	return status == POLY_END || status == POLY_ERR_FORMAT || status == POLY_ERR_TRUNCATED
		       ? POLY_OK
		       : status;
}

/* Reports a sample that is read a number of times, as that number of traces. */
static enum poly_status
report_decoders(const struct sample *sample, const char *const *names, unsigned threads,
	unsigned times, struct buf *out)
{
	struct poly_error error = {.message = ""};
	struct poly_stats *stats = NULL;
	enum poly_status status = new_run(names, threads, &stats, &error);
	for (unsigned i = 0; status == POLY_OK && i < times; i++)
		status = feed_decoders(sample, threads, 64 + (size_t)random_below(2000), stats,
			&error);
	if (status == POLY_OK)
		status = render(stats, out, &error);
	poly_stats_free(stats);
	if (status != POLY_OK)
		fails("status %d: %s", status, error.message);
	return status;
}

bool
law_decoders(const struct sample *sample)
{
	static const unsigned threads[] = {2, 3, 4, 8};
	const char *names[NAMES_MAX + 1] = {NULL};
	struct buf one = {0}, many = {0};
	size_t count = 0;
	bool good = true;
	for (size_t i = 0; sample->parts[i]; i++) {
		if (!analysis_named(sample->parts[i])->uses_numbers)
			names[count++] = sample->parts[i];
	}
	for (unsigned i = 0; good && count && i < 8; i++) {
		const unsigned times = 1 + i / 4;
		if (i % 4 == 0)
			report_whole(sample, names, 1, &(struct feeding){.twice = times == 2},
				&one);
		good = report_decoders(sample, names, threads[i % 4], times, &many) ==
			       POLY_OK &&
		       is_same(&many, &one, "decoders", threads[i % 4]);
	}
	buf_free(&one);
	buf_free(&many);
	return good;
}

void
expect_decoders(void)
{
	fails("decoders analysed no record");
	law_result(decoded, "decoders_analysed_records", "all");
}
