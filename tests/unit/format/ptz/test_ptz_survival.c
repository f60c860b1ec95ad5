/* SPDX-License-Identifier: MIT */
/* One corrupt part of a packed trace, anywhere: nothing is lost in silence, and little at all.
 */
#include "ptz_help.h"

#define COLUMNS "kind record pc opcode mnemonic address value text"

/* Small traces, and the number of rows of their segments. */
static const struct {
	const char *name, *rows;
} traces[] = {
	{"cis501/sort_1k.trace", "ptz.rows=63"},
	{"cis501/sort_1k.trace", "ptz.rows=1048576"},
	{"tt6/altivec.tt6", "ptz.rows=16"},
	{"qemu4v/arm_start_2k.q4v", "ptz.rows=200"},
	{"tarmac/calls.tarmac", "ptz.rows=8"},
	{"champsim/free.champsim", "ptz.rows=16"},
};

/* Reads a file, and lists its rows except those that stand for missing ones; returns whether an
 * error was found. */
static bool
read_damaged(const struct buf *file, bool skips, struct buf *rows)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	const struct poly_batch *batch;
	struct poly_finding finding;
	options.skip_errors = skips;
	buf_clear(rows);
	if (poly_reader_open_memory(file->data, file->size, &options, &reader, NULL) != POLY_OK)
		return true;
	enum poly_status status;
	uint64_t before = 0;
	while ((status = poly_reader_next(reader, &batch, NULL)) == POLY_OK) {
		const uint64_t corrupt = poly_reader_corrupt_records(reader);
		if (corrupt == before)
			list_batch(batch, COLUMNS, rows);
		before = corrupt;
	}
	bool found = status < 0;
	for (size_t i = 0; poly_reader_finding_at(reader, i, &finding); i++)
		found |= finding.rule->severity == POLY_ERROR;
	poly_reader_close(reader);
	return found;
}

/* Bytes of each file that a sample tries. */
#define TRIED 24

/* Returns the distance of the next byte to try. */
static size_t
next_distance(size_t size)
{
	static uint64_t random;
	if (sample_is_complete())
		return 1;
	random = (random + sample_seed() + 1) * 6364136223846793005u + 1442695040888963407u;
	return 1 + (size_t)(random >> 33) % (2 * size / TRIED);
}

static void
a_corrupt_byte_anywhere_is_reported_and_loses_no_record(void **state)
{
	(void)state;
	struct buf found = {0};
	for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
		struct buf text = load_sample(traces[i].name), whole = {0};
		struct buf file = convert(
			open_bytes(&text, NULL, NULL, false), "ptz", traces[i].rows, NULL);
		assert_false(read_damaged(&file, false, &whole));
		for (size_t at = 0; at < file.size; at += next_distance(file.size)) {
			const uint8_t was = file.data[at];
			file.data[at] ^= (uint8_t)(1 + at * 37 % 255);
			if (!read_damaged(&file, true, &found))
				fail_msg("%s: byte %zu is not reported", traces[i].name, at);
			if (found.size != whole.size ||
				memcmp(found.data, whole.data, whole.size) != 0)
				fail_msg("%s: byte %zu loses records", traces[i].name, at);
			if (!read_damaged(&file, false, &found))
				fail_msg("%s: byte %zu is not an error", traces[i].name, at);
			file.data[at] = was;
		}
		buf_free(&text);
		buf_free(&whole);
		buf_free(&file);
	}
	buf_free(&found);
}

static void
a_lost_segment_loses_only_its_records_which_are_named(void **state)
{
	(void)state;
	struct buf text = load_sample("cis501/sort_1k.trace"), whole = {0}, found = {0};
	struct buf file =
		convert(open_bytes(&text, NULL, NULL, false), "ptz", "ptz.rows=63", NULL);
	struct section_at sections[SECTIONS_MAX];
	const size_t count = find_sections(&file, sections);
	assert_int_equal(count, 1 + 16 + 1);
	read_damaged(&file, false, &whole);
	for (size_t i = 1; i + 1 < count; i++) {
		const struct buf was = {
			.data = file.data + sections[i].offset, .size = sections[i].size};
		struct buf kept = {0};
		char range[60];
		buf_append(&kept, was.data, was.size);
		/* All of it, or more than its parity can restore. */
		memset(was.data + (i % 2 ? 0 : 60), 0x5a, was.size / (i % 3 + 1) - 60);
		const size_t from = line_of(&whole, 63 * (i - 1)),
			     to = i == 16 ? whole.size : line_of(&whole, 63 * i);
		assert_true(read_damaged(&file, true, &found));
		assert_int_equal(found.size, whole.size - (to - from));
		assert_memory_equal(found.data, whole.data, from);
		assert_memory_equal(found.data + from, whole.data + to, whole.size - to);
		snprintf(range, sizeof range, "records %zu to %zu are missing", 63 * i - 62,
			i == 16 ? (size_t)1000 : 63 * i);
		struct poly_reader *reader = open_bytes(&file, NULL, NULL, true);
		const struct poly_batch *batch;
		struct poly_finding finding = {0};
		uint64_t last = 0;
		while (poly_reader_next(reader, &batch, NULL) == POLY_OK)
			last = batch->first + batch->rows;
		bool named = false;
		for (size_t k = 0; poly_reader_finding_at(reader, k, &finding); k++)
			named |= strcmp(finding.message, range) == 0;
		poly_reader_close(reader);
		if (!named)
			fail_msg("segment %zu: %s is not reported", i, range);
		if (i < 16)
			assert_int_equal(last, 1000);
		memcpy(was.data, kept.data, kept.size);
		buf_free(&kept);
	}
	buf_free(&text);
	buf_free(&whole);
	buf_free(&found);
	buf_free(&file);
}

static void
a_lost_head_section_is_replaced_by_its_copy(void **state)
{
	(void)state;
	struct buf file = load_sample("ptz/sort_1k.ptz"), whole = {0}, found = {0};
	struct section_at sections[SECTIONS_MAX];
	find_sections(&file, sections);
	read_damaged(&file, false, &whole);
	/* All of it, and its parity. */
	memset(file.data + 8, 0xa5, sections[0].size);
	assert_true(read_damaged(&file, false, &found));
	expect_same(&found, &whole);
	buf_free(&file);
	buf_free(&whole);
	buf_free(&found);
}

int
main(void)
{
	need_library_in_all("xxhash");
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_corrupt_byte_anywhere_is_reported_and_loses_no_record),
		cmocka_unit_test(a_lost_segment_loses_only_its_records_which_are_named),
		cmocka_unit_test(a_lost_head_section_is_replaced_by_its_copy),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
