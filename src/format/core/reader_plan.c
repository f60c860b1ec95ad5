/* SPDX-License-Identifier: MIT */
/* Readers: what is decoded, and by how many threads. */
#include "format/core/reader_state.h"

#include "base/err.h"
#include "base/thread.h"
#include "model/columns.h"

#include <string.h>

/* Minimum input for parallel decoding: 4 chunks, or 64 KiB of compressed data. */
#define POOL_MIN_CHUNKS 4
#define POOL_MIN_COMPRESSED ((uint64_t)64 << 10)

/* Batches that consumers may hold: of this many bytes in all, but at least a few per thread. */
#define HELD_BYTES ((size_t)256 << 20)
#define HELD_MIN 4

/* Widens the interval of delivered records. Findings are still those of the requested ones. */
static void
add_margin(struct poly_read_options *options, uint64_t margin)
{
	const uint64_t before = options->skip < margin ? options->skip : margin;
	const uint64_t left = UINT64_MAX - options->count;
	if (!options->count)
		return;
	options->skip -= before;
	options->count += before + margin < left ? before + margin : left;
}

enum poly_status
poly_reader_plan(
	struct poly_reader *reader, const struct poly_read_plan *plan, struct poly_error *error)
{
	if (reader->planned || reader->begun)
		return err_usage(error, "a plan of the reader after %s",
			reader->begun ? "its first batch" : "another one");
	const struct poly_read_plan before = reader->plan;
	enum poly_status status =
		option_struct(&reader->plan, sizeof reader->plan, plan, error);
	if (status == POLY_OK && reader->plan.work_count > POLY_DECODER_WORK_MAX)
		status = err_usage(error, "plan.work_count: found %u, expected at most %u",
			reader->plan.work_count, POLY_DECODER_WORK_MAX);
	for (unsigned i = 0; status == POLY_OK && i < reader->plan.work_count; i++)
		reader->work[i] = reader->plan.work[i];
	reader->plan.work = NULL;
	if (status == POLY_OK && reader->plan.register_count)
		status = registers_new(reader->plan.registers, reader->plan.register_count,
			&reader->info, &reader->registers, error);
	reader->plan.registers = NULL;
	/* Decoders do not drop rows. */
	if (reader->options.drop_corrupt)
		reader->plan.work_count = 0;
	if (status != POLY_OK) {
		reader->plan = before;
		return status;
	}
	if (reader->registers) {
		reader->plan.lazy = reader->plan.weights = false;
		reader->plan.may_match = NULL;
	}
	reader->info.names.is_weighted =
		reader->plan.weights && reader->format->accepts_weights;
	add_margin(&reader->options, reader->plan.margin);
	reader->planned = true;
	return POLY_OK;
}

poly_columns
reader_columns(const struct poly_reader *reader)
{
	poly_columns able = reader->info.view.columns;
	poly_columns wanted =
		poly_columns_common(reader->options.columns, reader->plan.columns);
	if (POLY_HAS(able, pc))
		poly_columns_add(&able, POLY_COLUMN_site);
	if (POLY_HAS(wanted, site)) /* sites are found by these */
		wanted = poly_columns_union(wanted, POLY_COLUMNS(pc, opcode));
	if (reader->options.drop_corrupt)
		wanted = poly_columns_union(wanted, POLY_COLUMNS(kind, record));
	if (reader->registers)
		wanted = poly_columns_union(wanted, registers_sources());
	if (reader->format->also)
		wanted = poly_columns_union(
			wanted, reader->format->also(&reader->reading, wanted));
	/* No rule is about sites. */
	if (reader->reading.check && !POLY_HAS(wanted, site))
		able = poly_columns_minus(able, POLY_COLUMNS(site));
	wanted = reader->reading.check ? able : poly_columns_common(able, wanted);
	return poly_columns_union(
		wanted, columns_of_registers(info_register_count(&reader->info.view)));
}

poly_columns
reader_requested(const struct poly_reader *reader)
{
	static const poly_columns hidden = POLY_COLUMNS_INIT(raw, origin, site, verbatim);
	const poly_columns columns = reader->options.columns;
	poly_columns able = reader->info.view.columns;
	poly_columns_add(&able, POLY_COLUMN_row);
	poly_columns wanted = poly_columns_common(columns, reader->plan.columns);
	if (poly_columns_has(columns, POLY_COLUMN_row))
		poly_columns_add(&wanted, POLY_COLUMN_row);
	if (POLY_HAS(able, pc))
		poly_columns_add(&able, POLY_COLUMN_site);
	if (poly_columns_subset(POLY_ALL_COLUMNS, columns))
		wanted = poly_columns_minus(wanted, hidden);
	return poly_columns_union(poly_columns_common(able, wanted),
		columns_of_registers(info_register_count(&reader->info.view)));
}

uint64_t
reader_last_record(const struct poly_reader *reader)
{
	const uint64_t skip = reader->options.skip, count = reader->options.count;
	return count < UINT64_MAX - skip ? skip + count : UINT64_MAX;
}

static bool
is_compressed(const struct poly_reader *reader)
{
	return strcmp(in_layers(reader->in), "none") != 0;
}

/* Returns the number of decoder threads; decompression has a thread of its own. */
static unsigned
threads_wanted(const struct poly_reader *reader)
{
	if (reader->options.one_thread)
		return 1;
	return thread_count(reader->options.threads) - is_compressed(reader);
}

/*
 * Returns whether more threads would cost more than they save, or would wait for input while
 * rows are available.
 */
static bool
is_little(const struct poly_reader *reader, size_t chunk_size)
{
	const uint64_t skip = reader->options.skip, count = reader->options.count;
	/* Assumes records of at least 16 bytes. */
	const uint64_t rows = chunk_size / 16;
	return in_waits(reader->in) || (skip < rows && count < rows - skip);
}

/* Returns the same for a decode pool. */
static bool
is_short(const struct poly_reader *reader, size_t chunk_size)
{
	uint64_t taken, total;
	in_progress(reader->in, &taken, &total);
	return total < (is_compressed(reader) ? POOL_MIN_COMPRESSED
					      : POOL_MIN_CHUNKS * (uint64_t)chunk_size) ||
	       is_little(reader, chunk_size);
}

/* Returns how many batches with storage for columns consumers may hold. */
static size_t
held_max(poly_columns columns, unsigned threads)
{
	size_t bytes = 1;
	FOR_COLUMNS(c, columns)
	{
		const size_t size = column_is_register(c) ? 8 : column_table[c].size;
		bytes += size * POLY_BATCH_ROWS;
	}
	const size_t max = HELD_BYTES / bytes;
	return max > HELD_MIN * threads ? max : HELD_MIN * threads;
}

/* A poly_may_match_fn: no record after the last selected one matches. */
static bool
may_match(void *user, const struct poly_bounds *bounds)
{
	const struct poly_reader *reader = user;
	struct poly_bounds clipped = *bounds;
	const uint64_t end = reader_last_record(reader), next = bounds->first + bounds->rows;
	const uint64_t left = end > next ? end - next : 0;
	if (left < clipped.following)
		clipped.following = left;
	return bounds->first < end && reader->plan.may_match(reader->plan.user, &clipped);
}

/* Lets decoders work on rows, if every row is selected, and not checked. */
static void
plan_work(struct poly_reader *reader)
{
	const struct poly_read_plan *plan = &reader->plan;
	const struct poly_read_options *options = &reader->options;
	/* Consumers copy what they made of the patterns of packed rows. */
	if (plan->lazy && reader->format->is_packed)
		return;
	if (plan->may_match || (options->check && reader->format->check) || options->strict ||
		reader->registers || options->skip || options->count != UINT64_MAX)
		return;
	reader->reading.work = reader->work;
	reader->reading.work_count = plan->work_count;
}

/* Lets a decode pool work on rows, if they are complete when they are decoded. */
static void
plan_pool_work(const struct poly_reader *reader, struct decode_plan *plan)
{
	bool needs_numbers = false;
	size_t part_max = SIZE_MAX;
	for (unsigned i = 0; i < reader->reading.work_count; i++) {
		needs_numbers |= reader->work[i]->needs_numbers;
		if (reader->work[i]->part_max < part_max)
			part_max = reader->work[i]->part_max;
	}
	/* Rows of the small chunks in which rows are stored can be numbered. */
	if (!reader->reading.work_count || reader->format->complete_rows ||
		(needs_numbers && part_max > decode_pool_chunk_size(0)))
		return;
	plan->numbered = needs_numbers;
	plan->work_count = reader->reading.work_count;
	memcpy(plan->work, reader->work, sizeof plan->work);
	plan->work_size = reader->options.block_size ? plan->chunk_size
			  : needs_numbers
				  ? part_max
				  : decode_pool_work_size(reader->in, plan->threads, part_max);
}

void
reader_start_decoding(struct poly_reader *reader)
{
	struct decode_plan plan = {.format = reader->format,
		.in = reader->in,
		.reading = &reader->reading,
		.sites = &reader->sites,
		.columns = reader_columns(reader),
		.batch_rows = reader->options.batch_rows,
		.block_size = reader->options.block_size,
		.chunk_size = decode_pool_chunk_size(reader->options.block_size),
		.threads = threads_wanted(reader),
		/* Which records are outside a range, only the reader knows. */
		.checks = reader->reading.check && reader->format->checks_chunks &&
			  !reader->options.skip && reader->options.count == UINT64_MAX};
	reader->begun = true;
	plan_work(reader);
	plan_pool_work(reader, &plan);
	/* No option requests the findings of records that do not match. */
	const bool may_prune = reader->plan.may_match && !reader->plan.weights &&
			       !reader->options.skip_errors && !reader->reading.check;
	reader->reading.may_match = may_prune ? may_match : NULL;
	reader->reading.user = reader;
	reader->reading.threads = is_little(reader, plan.chunk_size) ? 1 : plan.threads;
	reader->reading.end = reader_last_record(reader);
	/* Weighted rows take less time than distributing chunks. */
	if (reader->plan.weights && plan.format->accepts_weights)
		return;
	if (!plan.format->find_split || reader->reading.unsplittable || plan.threads < 2 ||
		is_short(reader, plan.chunk_size))
		return;
	plan.held_max = held_max(plan.columns, plan.threads);
	reader->pool = decode_pool_new(&plan);
	if (reader->pool)
		reader->reading.in = decode_pool_input(reader->pool);
}
