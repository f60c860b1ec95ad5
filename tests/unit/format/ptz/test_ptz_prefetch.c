/* SPDX-License-Identifier: MIT */
/* Segments of packed traces that threads prefetch. */
#include "ptz_help.h"

#include "format/ptz/prefetch.h"
#include "model/batch_internal.h"

#include <time.h>

#define COLUMNS "pc mnemonic address immediate branch"

/* A packed file, its sections and the threads that load them. */
struct prefetching {
	struct buf file;
	struct section_at at[SECTIONS_MAX];
	struct ptz_section sections[SECTIONS_MAX];
	size_t count;
	struct in *in;
	uint8_t columns[64];
	struct ptz_prefetch *prefetch;
	struct unpacked segment; /* the last one taken */
};

/* Starts the threads; records from end on are not selected. */
static void
start_threads_until(struct prefetching *test, unsigned threads, uint64_t end)
{
	/* Small blocks: detection reads ahead, but not into a segment. */
	const struct in_options options = {
		.nesting_limit = 4, .block_size = 64, .one_thread = true};
	struct poly_error error;
	memset(test, 0, sizeof *test);
	test->file = long_packed(25);
	test->count = find_sections(&test->file, test->at);
	for (size_t i = 0; i < test->count; i++)
		assert_true(ptz_parse_header(
			test->file.data + test->at[i].offset, &test->sections[i]));
	assert_int_equal(test->count, 9);
	assert_int_equal(
		in_open_memory(test->file.data, test->file.size, &options, &test->in, &error),
		POLY_OK);
	/* The file has all columns, in their order. */
	for (uint8_t i = 0; i < POLY_COLUMN_COUNT; i++)
		test->columns[i] = i;
	const struct ptz_prefetch_plan plan = {.in = test->in,
		.wanted = POLY_COLUMNS_INIT(pc, address),
		.column_map = test->columns,
		.column_count = POLY_COLUMN_COUNT,
		.end = end,
		.threads = threads};
	test->prefetch = ptz_prefetch_new(&plan);
	assert_non_null(test->prefetch);
}

static void
start_threads(struct prefetching *test, unsigned threads)
{
	start_threads_until(test, threads, UINT64_MAX);
}

static void
stop_threads(struct prefetching *test)
{
	ptz_prefetch_free(test->prefetch);
	unpacked_fini(&test->segment);
	in_close(test->in);
	buf_free(&test->file);
}

/* Takes the section of a number, and checks that it is that one. */
static bool
take_segment(struct prefetching *test, size_t section)
{
	const struct ptz_reached reached = {
		test->at[section].offset, &test->sections[section], 0};
	struct decoder_result result = {0};
	unpacked_clear(&test->segment);
	if (!ptz_prefetch_take(test->prefetch, &reached, &test->segment, &result))
		return false;
	const uint8_t *front = test->file.data + test->at[section].offset + 32;
	assert_true(test->segment.first == load_le64(front));
	assert_int_equal(test->segment.rows, load_le32(front + 8));
	assert_int_equal(test->segment.number, load_le32(front + 20));
	assert_int_equal(test->segment.columns, 2);
	return true;
}

static void
segments_are_delivered_in_order_by_any_number_of_threads(void **state)
{
	(void)state;
	for (unsigned threads = 2; threads <= 9; threads++) {
		struct prefetching test;
		start_threads(&test, threads);
		for (size_t i = 1; i + 1 < test.count; i++)
			assert_true(take_segment(&test, i));
		stop_threads(&test);
	}
}

static void
skipped_segments_are_not_mistaken_for_others(void **state)
{
	(void)state;
	for (unsigned threads = 2; threads <= 4; threads++) {
		struct prefetching test;
		start_threads(&test, threads);
		assert_true(take_segment(&test, 1));
		assert_true(take_segment(&test, 4));
		assert_false(take_segment(&test, 2)); /* it was skipped */
		assert_true(take_segment(&test, 5));
		stop_threads(&test);
		start_threads(&test, threads);
		assert_true(take_segment(&test, 3));
		stop_threads(&test);
	}
}

/* Stops the threads, after some time; returns whether bytes of a section, or of a later one,
 * were read. */
static bool
was_read(struct prefetching *test, size_t section)
{
	const struct timespec some = {0, 20000000};
	uint64_t taken, total;
	nanosleep(&some, NULL);
	ptz_prefetch_free(test->prefetch);
	test->prefetch = NULL;
	in_progress(test->in, &taken, &total);
	return taken > test->at[section].offset + 40;
}

/* Waits until bytes of a section were read. */
static void
wait_for(struct prefetching *test, size_t section)
{
	uint64_t taken, total;
	do
		in_progress(test->in, &taken, &total);
	while (taken <= test->at[section].offset + 40);
}

static void
skipped_segments_are_not_prefetched(void **state)
{
	(void)state;
	for (unsigned threads = 2; threads <= 4; threads++) {
		struct prefetching test;
		start_threads(&test, threads);
		assert_true(take_segment(&test, 1));
		wait_for(&test, 2); /* in vain: from now on it is known */
		assert_true(take_segment(&test, 4));
		assert_true(take_segment(&test, 6));
		assert_false(was_read(&test, 7));
		stop_threads(&test);
		start_threads(&test, threads);
		assert_true(take_segment(&test, 1));
		wait_for(&test, 2);
		assert_true(take_segment(&test, 4));
		assert_true(take_segment(&test, 5));
		wait_for(&test, 6); /* they come one after the other again */
		stop_threads(&test);
	}
}

static void
segments_after_the_last_selected_record_are_not_prefetched(void **state)
{
	(void)state;
	for (unsigned threads = 2; threads <= 4; threads++) {
		struct prefetching test;
		/* The first record of the fourth segment. */
		start_threads_until(&test, threads, 3 * 4096 + 1);
		for (size_t i = 1; i <= 4; i++)
			assert_true(take_segment(&test, i));
		assert_false(was_read(&test, 5));
		stop_threads(&test);
	}
}

static void
segments_that_cannot_be_loaded_are_read_by_the_reader(void **state)
{
	(void)state;
	struct prefetching test;
	start_threads(&test, 2);
	/* The last byte of its last stream, and the first of another one's front. */
	const size_t last = test.at[2].offset + 32 + test.at[2].body - 1;
	test.file.data[last] ^= 1;
	test.file.data[test.at[4].offset + 32] ^= 1;
	assert_true(take_segment(&test, 1));
	assert_false(take_segment(&test, 2));
	assert_int_equal(test.segment.rows, 0);
	assert_true(take_segment(&test, 3));
	assert_false(take_segment(&test, 4));
	assert_true(take_segment(&test, 5));
	/* An index is not a segment. */
	assert_false(take_segment(&test, test.count - 1));
	stop_threads(&test);
	/* Where others begin than those that were met, as the file was changed. */
	start_threads(&test, 2);
	test.sections[1].front_checksum ^= 1;
	assert_false(take_segment(&test, 1));
	assert_true(take_segment(&test, 2));
	stop_threads(&test);
}

static struct poly_reader *
open_threads(const struct buf *file, unsigned threads, uint64_t skip)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.threads = threads;
	options.skip = skip;
	struct poly_reader *reader = open_memory(file, &options);
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
	struct section_at sections[SECTIONS_MAX];
	struct poly_reader *reader = open_threads(&file, 3, 0);
	const struct poly_batch *batch;
	memset(pc, 0, sizeof pc);
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		assert_non_null(batch->internal->pattern);
		assert_false(POLY_HAS(batch->internal->varying, pc));
		size_t epoch = 0;
		while (epoch < count && epochs[epoch] != batch->internal->pattern_epoch)
			epoch++;
		assert_true(epoch < EPOCHS);
		if (epoch == count)
			epochs[count++] = batch->internal->pattern_epoch;
		for (size_t row = 0; row < batch->rows; row++) {
			assert_true(batch->internal->pattern[row] < PATTERNS);
			uint64_t *known = &pc[epoch][batch->internal->pattern[row]];
			assert_true(!*known || *known == batch->pc[row]);
			*known = batch->pc[row];
		}
		rows += batch->rows;
	}
	poly_reader_close(reader);
	assert_int_equal(rows, 15000);
	/* But for the head and the index. */
	assert_int_equal(count, find_sections(&file, sections) - 2);
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
		cmocka_unit_test(segments_are_delivered_in_order_by_any_number_of_threads),
		cmocka_unit_test(skipped_segments_are_not_mistaken_for_others),
		cmocka_unit_test(skipped_segments_are_not_prefetched),
		cmocka_unit_test(segments_after_the_last_selected_record_are_not_prefetched),
		cmocka_unit_test(segments_that_cannot_be_loaded_are_read_by_the_reader),
		cmocka_unit_test(rows_are_those_that_were_packed),
		cmocka_unit_test(patterns_hold_within_their_epochs),
		cmocka_unit_test(a_reader_that_is_closed_early_stops_its_threads),
	};
	need_library_in_all("xxhash");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
