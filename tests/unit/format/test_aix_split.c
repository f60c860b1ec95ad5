/* SPDX-License-Identifier: MIT */
/*
 * AIX traces that several threads decode: times that wrap and processes that earlier events
 * identify are those of one thread, in bare events and in logs with blocks of any size.
 */
#include "test_help.h"

#include "base/bits.h"
#include "format/aix/log.h"

#define EVENTS 60000u
#define BLOCK_SIZES 5
#define HEADER_SIZE 36u

static uint32_t seed;

/* Appends an event with five data words, one, or none; dispatches and thread creations identify
 * processes. */
static void
put_event(struct buf *to, uint32_t time)
{
	static const uint32_t hooks[] = {0x106, 0x10c, 0x139, 0x200, 0x201, 0x300};
	static const uint32_t types[] = {0xe, 0xe, 0xe, 0xa, 0x9, 0xa};
	static const uint32_t words[] = {5, 5, 5, 1, 0, 1};
	const uint32_t kind = draw_below(&seed, 6), thread = draw_below(&seed, 60) + 1;
	append_word(to, hooks[kind] << 20 | types[kind] << 16 | draw_below(&seed, 1 << 16));
	for (uint32_t i = 0; i < words[kind]; i++)
		append_word(to, i == 0 ? draw_below(&seed, 30) + 1 : i == 1 ? thread : i);
	append_word(to, thread);
	append_word(to, time);
}

/* Appends events whose time wraps, and sometimes goes back; returns the time. */
static uint32_t
put_events(struct buf *to, unsigned count, uint32_t time)
{
	for (unsigned i = 0; i < count; i++) {
		put_event(to, time);
		time += draw_below(&seed, 20) ? draw_below(&seed, 1 << 20)
					      : 0 - draw_below(&seed, 1000);
	}
	return time;
}

/* A log of blocks, of which some are larger than a chunk and some have a gap after them. */
static void
put_log(struct buf *to)
{
	static const unsigned counts[BLOCK_SIZES] = {100, 1, 3000, 700, 40};
	const uint32_t blocks = 40, front = HEADER_SIZE + blocks * 8;
	const uint32_t words[9] = {AIX_MAGIC_32, blocks, blocks - 1};
	struct buf body = {0};
	uint32_t time = 0xfff00000u;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		append_word(to, words[i]);
	for (uint32_t i = 0; i < blocks; i++) {
		const size_t begin = body.size;
		time = put_events(&body, counts[i % BLOCK_SIZES], time);
		append_word(to, front + (uint32_t)begin);
		append_word(to, (uint32_t)(body.size - begin));
		for (unsigned gap = draw_below(&seed, 3); gap; gap--)
			append_word(&body, 0);
	}
	buf_append(to, body.data, body.size);
	buf_free(&body);
}

/* All rows, as text. */
static void
read_rows(const struct buf *trace, const struct poly_read_options *options, struct buf *rows)
{
	static const enum poly_column columns[] = {POLY_COLUMN_record, POLY_COLUMN_time,
		POLY_COLUMN_process, POLY_COLUMN_thread, POLY_COLUMN_hook, POLY_COLUMN_origin};
	struct poly_reader *reader;
	struct poly_reader_counts counts;
	const struct poly_batch *batch;
	struct poly_error error;
	uint64_t processes = 0;
	buf_clear(rows);
	if (poly_reader_open_memory(trace->data, trace->size, options, &reader, &error) !=
		POLY_OK)
		fail_msg("%s", error.message);
	while (poly_reader_next(reader, &batch, &error) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++) {
			for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
				const bool has = poly_present(batch, columns[i], row);
				const uint64_t value =
					has ? poly_batch_integer(batch, columns[i], row) : 0;
				buf_append(rows, &has, 1);
				buf_append(rows, &value, sizeof value);
			}
			processes += poly_present(batch, POLY_COLUMN_process, row);
		}
	}
	poly_reader_count(reader, &counts);
	buf_append(rows, &counts.content_bytes, sizeof counts.content_bytes);
	assert_true(processes > EVENTS / 4);
	poly_reader_close(reader);
}

static void
expect_same_rows(const struct buf *trace, const char *form)
{
	static const size_t blocks[] = {300, 5000, 65536};
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct buf one = {0}, many = {0};
	const char *const settings[] = {form, NULL};
	assert_false(trace->failed);
	options.format = "aix";
	options.options = settings;
	options.threads = 1;
	read_rows(trace, &options, &one);
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
		options.block_size = blocks[i];
		for (options.threads = 2; options.threads <= 4; options.threads++) {
			if (!sample_takes())
				continue;
			read_rows(trace, &options, &many);
			assert_int_equal(many.size, one.size);
			assert_memory_equal(many.data, one.data, one.size);
		}
	}
	buf_free(&one);
	buf_free(&many);
}

static void
bare_events_are_those_of_one_thread(void **state)
{
	(void)state;
	struct buf trace = {0};
	seed = 1;
	put_events(&trace, EVENTS, 0);
	expect_same_rows(&trace, "aix.form=raw32");
	buf_free(&trace);
}

static void
events_of_a_log_are_those_of_one_thread(void **state)
{
	(void)state;
	struct buf trace = {0};
	seed = 1;
	put_log(&trace);
	expect_same_rows(&trace, NULL);
	buf_free(&trace);
}

/* Corrupt entries, and blocks that are missing at the end. */
static void
corrupt_events_are_those_of_one_thread(void **state)
{
	(void)state;
	for (unsigned turn = 0; turn < 4; turn++) {
		struct buf trace = {0};
		seed = turn + 1;
		if (turn % 2)
			put_log(&trace);
		else
			put_events(&trace, EVENTS, 0xff000000u);
		for (unsigned i = 0; i < 20; i++)
			trace.data[1000 + draw_below(&seed, (uint32_t)trace.size - 1000)] ^=
				0x41;
		trace.size -= turn < 2 ? 0 : 3001;
		expect_same_rows(&trace, turn % 2 ? NULL : "aix.form=raw32");
		buf_free(&trace);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bare_events_are_those_of_one_thread),
		cmocka_unit_test(events_of_a_log_are_those_of_one_thread),
		cmocka_unit_test(corrupt_events_are_those_of_one_thread),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
