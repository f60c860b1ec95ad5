/* SPDX-License-Identifier: MIT */
/* Tests saved results: what is corrupt is refused, and parts are merged in their order. The
 * laws of analyses save and load the states of all samples. */
#include "test_help.h"

#include "base/bits.h"
#include "base/checksum.h"

#define ROWS 40

enum { HEAD = 32 };

static const struct poly_trace_info info = {.format = "test",
	.isa = "powerpc",
	.address_bits = 32,
	.columns = POLY_ALL_COLUMNS_INIT};

/* The part of a trace from a row on. */
static struct poly_part
part_of(uint64_t first, uint64_t records)
{
	return (struct poly_part){.file = "a.trace",
		.format = "test",
		.reading = "",
		.identity = {.size = 7, .head = 8, .tail = 9},
		.first = first,
		.records = records,
		.rows = records,
		.is_end = first + records > ROWS};
}

/* Runs analyses over rows from the number first on. */
static struct poly_stats *
run(const char *const *names, uint64_t first, size_t rows)
{
	static uint8_t kind[POLY_BATCH_ROWS];
	static uint64_t pc[POLY_BATCH_ROWS], opcode[POLY_BATCH_ROWS],
		present[POLY_BATCH_ROWS / 64];
	struct poly_batch batch = {.info = &info, .rows = rows, .first = first - 1};
	struct poly_stats_options options = POLY_STATS_OPTIONS_INIT;
	struct poly_stats *stats;
	memset(present, 0xff, sizeof present);
	for (size_t i = 0; i < rows; i++) {
		kind[i] = POLY_KIND_INSTRUCTION;
		pc[i] = 0x1000 + 4 * ((first + i) % 7);
		opcode[i] = 0x38600000 + (first + i) % 5;
	}
	batch.kind = kind;
	batch.pc = pc;
	batch.opcode = opcode;
	batch.present[POLY_COLUMN_kind] = present;
	batch.present[POLY_COLUMN_pc] = present;
	batch.present[POLY_COLUMN_opcode] = present;
	options.analyses = names;
	assert_int_equal(poly_stats_new(&options, &stats, NULL), POLY_OK);
	assert_int_equal(poly_stats_begin(stats, &info, NULL), POLY_OK);
	assert_int_equal(poly_stats_update(stats, &batch, NULL), POLY_OK);
	return stats;
}

static const char *const names[] = {"mix", "blocks", "flow", "footprint", NULL};

/* Saves the results of rows. */
static struct buf
save(uint64_t first, size_t rows)
{
	struct buf saved = {0};
	const struct poly_part part = part_of(first, rows);
	const struct poly_sink sink = {collect, &saved};
	struct poly_stats *stats = run(names, first, rows);
	assert_int_equal(poly_stats_save(stats, &part, 1, &sink, NULL), POLY_OK);
	poly_stats_free(stats);
	return saved;
}

static struct poly_stats *
load(const struct buf *saved)
{
	struct poly_stats *stats;
	assert_int_equal(poly_stats_load(saved->data, saved->size, &stats, NULL), POLY_OK);
	return stats;
}

static void
truncation_is_refused(void **state)
{
	struct buf saved = save(1, ROWS);
	(void)state;
	for (size_t size = 0; size < saved.size; size++) {
		struct poly_stats *stats;
		if (!sample_takes())
			continue;
		/* A copy of that size, so that sanitizers see what is read beyond it. */
		uint8_t *copy = mem_new(size + 1, 1);
		memcpy(copy, saved.data, size);
		assert_int_equal(poly_stats_load(copy, size, &stats, NULL), POLY_ERR_FORMAT);
		assert_null(stats);
		mem_free(copy);
	}
	buf_free(&saved);
}

static void
flipped_bytes_are_refused(void **state)
{
	struct buf saved = save(1, ROWS);
	(void)state;
	for (size_t i = 0; i < saved.size; i++) {
		struct poly_stats *stats;
		if (!sample_takes())
			continue;
		saved.data[i] ^= (uint8_t)(1 << i % 8);
		assert_true(poly_stats_load(saved.data, saved.size, &stats, NULL) < 0);
		assert_null(stats);
		saved.data[i] ^= (uint8_t)(1 << i % 8);
	}
	buf_free(&saved);
}

/* Sets the size and the checksum of the bytes. */
static void
sign(struct buf *saved)
{
	store_le64(saved->data + 16, saved->size - HEAD);
	store_le64(saved->data + 24, checksum(saved->data + HEAD, saved->size - HEAD));
}

/* Corrupt states with the right checksum are refused or merged and reported, without harm. */
static void
corrupt_states_do_no_harm(void **state)
{
	struct buf first = save(1, 10), second = save(11, ROWS - 10);
	(void)state;
	for (size_t i = HEAD; i < first.size; i++) {
		struct poly_stats *stats, *next = load(&second);
		const uint8_t old = first.data[i];
		for (unsigned bit = 0; bit < 8 && sample_takes(); bit++) {
			struct buf report = {0};
			const struct poly_sink sink = {collect, &report};
			first.data[i] = old ^ (uint8_t)(1 << bit);
			sign(&first);
			if (poly_stats_load(first.data, first.size, &stats, NULL) == POLY_OK)
				poly_stats_merge(stats, next, NULL);
			if (stats)
				poly_stats_save(stats, NULL, 0, &sink, NULL);
			poly_stats_free(stats);
			buf_free(&report);
		}
		first.data[i] = old;
		poly_stats_free(next);
	}
	buf_free(&first);
	buf_free(&second);
}

/* Merges two parts; returns the status, and the message in error. */
static enum poly_status
merge(const struct buf *a, const struct buf *b, struct poly_error *error)
{
	struct poly_stats *into = load(a), *from = load(b);
	const enum poly_status status = poly_stats_merge(into, from, error);
	poly_stats_free(into);
	poly_stats_free(from);
	return status;
}

static void
parts_are_adjacent(void **state)
{
	struct buf first = save(1, 10), second = save(11, 10), third = save(21, ROWS - 20);
	struct buf wide = save(1, 15);
	struct poly_error error;
	(void)state;
	assert_int_equal(merge(&first, &second, &error), POLY_OK);
	assert_int_equal(merge(&second, &third, &error), POLY_OK);
	assert_int_equal(merge(&first, &first, &error), POLY_ERR_USAGE);
	assert_non_null(strstr(error.message, "'a.trace': records 1 to 10 are in two parts"));
	assert_int_equal(merge(&first, &third, &error), POLY_ERR_USAGE);
	assert_non_null(strstr(error.message, "records 11 to 20 are missing"));
	assert_int_equal(merge(&wide, &second, &error), POLY_ERR_USAGE);
	assert_non_null(strstr(error.message, "overlap"));
	assert_int_equal(merge(&second, &first, &error), POLY_ERR_USAGE);
	buf_free(&first);
	buf_free(&second);
	buf_free(&third);
	buf_free(&wide);
}

static void
ordered_analyses_are_refused(void **state)
{
	static const char *const ordered[] = {"tlb", NULL};
	struct poly_stats *stats = run(ordered, 1, ROWS);
	const struct poly_part part = part_of(1, ROWS);
	const struct poly_sink sink = {refuse, NULL};
	struct poly_error error;
	(void)state;
	assert_int_equal(poly_stats_save(stats, &part, 1, &sink, &error), POLY_ERR_UNSUPPORTED);
	assert_non_null(strstr(error.message, "analysis 'tlb' cannot be saved"));
	poly_stats_free(stats);
}

static void
a_failed_sink_is_reported(void **state)
{
	struct poly_stats *stats = run(names, 1, ROWS);
	const struct poly_part part = part_of(1, ROWS);
	const struct poly_sink sink = {refuse, NULL};
	struct poly_error error;
	(void)state;
	assert_int_equal(poly_stats_save(stats, &part, 1, &sink, &error), POLY_ERR_IO);
	poly_stats_free(stats);
}

static enum poly_status
load_once(void *saved)
{
	const struct buf *bytes = saved;
	struct poly_stats *stats;
	const enum poly_status status = poly_stats_load(bytes->data, bytes->size, &stats, NULL);
	poly_stats_free(stats);
	return status;
}

static void
lack_of_memory_is_reported(void **state)
{
	struct buf saved = save(1, ROWS);
	(void)state;
	law_memory(load_once, &saved);
	buf_free(&saved);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(truncation_is_refused),
		cmocka_unit_test(flipped_bytes_are_refused),
		cmocka_unit_test(corrupt_states_do_no_harm),
		cmocka_unit_test(parts_are_adjacent),
		cmocka_unit_test(ordered_analyses_are_refused),
		cmocka_unit_test(a_failed_sink_is_reported),
		cmocka_unit_test(lack_of_memory_is_reported),
	};
	if (!checksum_available()) {
		printf("1..0 # SKIP no xxHash\n");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
