/* SPDX-License-Identifier: MIT */
/* Segments of packed traces that are loaded by threads ahead of the reader. */
#include "ptz_help.h"

#include "format/ptz/ahead.h"

#include <time.h>

#define COLUMNS "pc mnemonic address immediate branch"

/* A packed file, its parts and the threads that load them. */
struct loading {
	struct buf file;
	struct part_at at[PARTS_MOST];
	struct ptz_part parts[PARTS_MOST];
	size_t count;
	struct in *in;
	uint8_t columns[64];
	struct ptz_ahead *ahead;
	struct unpacked segment; /* that was taken last */
};

/* Records from end on are not wanted. */
static void
begin_until(struct loading *it, unsigned threads, uint64_t end)
{
	/* Small blocks: what is recognised is looked at, but nothing of a segment. */
	const struct in_options options = {4, 0, 64, true};
	struct poly_error error;
	memset(it, 0, sizeof *it);
	it->file = long_packed(25);
	it->count = find_parts(&it->file, it->at);
	for (size_t i = 0; i < it->count; i++)
		assert_true(ptz_part_read(it->file.data + it->at[i].offset, &it->parts[i]));
	assert_int_equal(it->count, 9);
	assert_int_equal(
		in_open_memory(it->file.data, it->file.size, &options, &it->in, &error),
		POLY_OK);
	/* The file has all columns, in their order. */
	for (uint8_t i = 0; i < POLY_COLUMN_COUNT; i++)
		it->columns[i] = i;
	const struct ptz_ahead_plan plan = {.in = it->in,
		.wanted = POLY_HAS(pc) | POLY_HAS(address),
		.of_column = it->columns,
		.of_count = POLY_COLUMN_COUNT,
		.end = end,
		.threads = threads};
	it->ahead = ptz_ahead_new(&plan);
	assert_non_null(it->ahead);
}

static void
begin(struct loading *it, unsigned threads)
{
	begin_until(it, threads, UINT64_MAX);
}

static void
end(struct loading *it)
{
	ptz_ahead_free(it->ahead);
	unpacked_fini(&it->segment);
	in_close(it->in);
	buf_free(&it->file);
}

/* Takes the part of a number; and it is that one. */
static bool
take(struct loading *it, size_t part)
{
	const struct ptz_met met = {it->at[part].offset, &it->parts[part]};
	unpacked_clear(&it->segment);
	if (!ptz_ahead_take(it->ahead, &met, &it->segment))
		return false;
	const uint8_t *front = it->file.data + it->at[part].offset + 32;
	assert_true(it->segment.first == load_le64(front));
	assert_int_equal(it->segment.rows, load_le32(front + 8));
	assert_int_equal(it->segment.number, load_le32(front + 20));
	assert_int_equal(it->segment.columns, 2);
	return true;
}

static void
segments_are_taken_in_order_by_any_number_of_threads(void **state)
{
	(void)state;
	for (unsigned threads = 2; threads <= 9; threads++) {
		struct loading it;
		begin(&it, threads);
		for (size_t i = 1; i + 1 < it.count; i++)
			assert_true(take(&it, i));
		end(&it);
	}
}

static void
segments_that_were_passed_over_are_not_taken_for_others(void **state)
{
	(void)state;
	for (unsigned threads = 2; threads <= 4; threads++) {
		struct loading it;
		begin(&it, threads);
		assert_true(take(&it, 1));
		assert_true(take(&it, 4));
		assert_false(take(&it, 2)); /* it is passed */
		assert_true(take(&it, 5));
		end(&it);
		begin(&it, threads);
		assert_true(take(&it, 3));
		end(&it);
	}
}

/* Stops the threads, after some time; true where bytes of a part were read, or of one behind
 * it. */
static bool
was_read(struct loading *it, size_t part)
{
	const struct timespec some = {0, 20000000};
	uint64_t taken, total;
	nanosleep(&some, NULL);
	ptz_ahead_free(it->ahead);
	it->ahead = NULL;
	in_progress(it->in, &taken, &total);
	return taken > it->at[part].offset + 40;
}

/* Waits until bytes of a part were read. */
static void
wait_for(struct loading *it, size_t part)
{
	uint64_t taken, total;
	do
		in_progress(it->in, &taken, &total);
	while (taken <= it->at[part].offset + 40);
}

static void
what_would_be_passed_over_is_not_loaded(void **state)
{
	(void)state;
	for (unsigned threads = 2; threads <= 4; threads++) {
		struct loading it;
		begin(&it, threads);
		assert_true(take(&it, 1));
		wait_for(&it, 2); /* in vain: from now on it is known */
		assert_true(take(&it, 4));
		assert_true(take(&it, 6));
		assert_false(was_read(&it, 7));
		end(&it);
		begin(&it, threads);
		assert_true(take(&it, 1));
		wait_for(&it, 2);
		assert_true(take(&it, 4));
		assert_true(take(&it, 5));
		wait_for(&it, 6); /* they come one after the other again */
		end(&it);
	}
}

static void
what_is_behind_the_last_record_that_is_wanted_is_not_loaded(void **state)
{
	(void)state;
	for (unsigned threads = 2; threads <= 4; threads++) {
		struct loading it;
		/* The first record of the fourth segment. */
		begin_until(&it, threads, 3 * 4096 + 1);
		for (size_t i = 1; i <= 4; i++)
			assert_true(take(&it, i));
		assert_false(was_read(&it, 5));
		end(&it);
	}
}

static void
what_cannot_be_loaded_is_left_to_the_reader(void **state)
{
	(void)state;
	struct loading it;
	begin(&it, 2);
	/* The last byte of its last stream, and the first of another one's front. */
	const size_t last = it.at[2].offset + 32 + it.at[2].body - 1;
	it.file.data[last] ^= 1;
	it.file.data[it.at[4].offset + 32] ^= 1;
	assert_true(take(&it, 1));
	assert_false(take(&it, 2));
	assert_int_equal(it.segment.rows, 0);
	assert_true(take(&it, 3));
	assert_false(take(&it, 4));
	assert_true(take(&it, 5));
	/* An index is no segment. */
	assert_false(take(&it, it.count - 1));
	end(&it);
	/* Where others begin than those that were met, as the file was changed. */
	begin(&it, 2);
	it.parts[1].front_check ^= 1;
	assert_false(take(&it, 1));
	assert_true(take(&it, 2));
	end(&it);
}

static struct poly_reader *
open_threads(const struct buf *file, unsigned threads, uint64_t skip)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	options.threads = threads;
	options.skip = skip;
	assert_int_equal(
		poly_reader_open_memory(file->data, file->size, &options, &reader, NULL),
		POLY_OK);
	return reader;
}

static void
rows_are_those_that_were_packed(void **state)
{
	(void)state;
	struct buf text = long_text(15), file = long_packed(15);
	struct buf expected =
		list_rows(open_bytes(&text, "cis501", NULL, false), COLUMNS, NULL);
	for (unsigned threads = 1; threads <= 9; threads++) {
		struct buf rows = list_rows(open_threads(&file, threads, 0), COLUMNS, NULL);
		expect_same(&rows, &expected);
		buf_free(&rows);
	}
	buf_free(&expected);
	buf_free(&file);
	buf_free(&text);
}

#define EPOCHS 16
#define PATTERNS 8192

/* Within an epoch, rows of a pattern agree in what does not move; each segment has its own. */
static void
patterns_hold_within_their_epochs(void **state)
{
	(void)state;
	static uint64_t pc[EPOCHS][PATTERNS];
	uint64_t epochs[EPOCHS];
	size_t count = 0, rows = 0;
	struct buf file = long_packed(15);
	struct part_at parts[PARTS_MOST];
	struct poly_reader *reader = open_threads(&file, 3, 0);
	const struct poly_batch *batch;
	memset(pc, 0, sizeof pc);
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		assert_non_null(batch->pattern);
		assert_false(batch->varying & POLY_HAS(pc));
		size_t epoch = 0;
		while (epoch < count && epochs[epoch] != batch->pattern_epoch)
			epoch++;
		assert_true(epoch < EPOCHS);
		if (epoch == count)
			epochs[count++] = batch->pattern_epoch;
		for (size_t row = 0; row < batch->rows; row++) {
			assert_true(batch->pattern[row] < PATTERNS);
			uint64_t *known = &pc[epoch][batch->pattern[row]];
			assert_true(!*known || *known == batch->pc[row]);
			*known = batch->pc[row];
		}
		rows += batch->rows;
	}
	poly_reader_close(reader);
	assert_int_equal(rows, 15000);
	/* But for the head and the index. */
	assert_int_equal(count, find_parts(&file, parts) - 2);
	buf_free(&file);
}

static void
a_reader_that_is_closed_early_stops_its_threads(void **state)
{
	(void)state;
	struct buf file = long_packed(15);
	for (uint64_t skip = 0; skip < 15000; skip += 1700) {
		const struct poly_batch *batch;
		struct poly_reader *reader = open_threads(&file, 4, skip);
		assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
		assert_true(batch->first == skip);
		poly_reader_close(reader);
	}
	buf_free(&file);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(segments_are_taken_in_order_by_any_number_of_threads),
		cmocka_unit_test(segments_that_were_passed_over_are_not_taken_for_others),
		cmocka_unit_test(what_would_be_passed_over_is_not_loaded),
		cmocka_unit_test(what_is_behind_the_last_record_that_is_wanted_is_not_loaded),
		cmocka_unit_test(what_cannot_be_loaded_is_left_to_the_reader),
		cmocka_unit_test(rows_are_those_that_were_packed),
		cmocka_unit_test(patterns_hold_within_their_epochs),
		cmocka_unit_test(a_reader_that_is_closed_early_stops_its_threads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
