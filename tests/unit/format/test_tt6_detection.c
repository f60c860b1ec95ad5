/* SPDX-License-Identifier: MIT */
/* Content that identifies TT6 and TT6E. */
#include "tt6_help.h"

/* The bid of a format on bytes. */
static int
bid_on(const char *format, const void *data, size_t n, struct probe_note *note)
{
	memset(note, 0, sizeof *note);
	return format_find(format)->probe(data, n, true, note);
}

static void
content_distinguishes_tt6_from_tt6e(void **state)
{
	static const struct {
		const char *name;
		int tt6, tt6e;
	} cases[] = {{"amber/thread_001.tt6", 24, 0}, {"amber/thread_001.tt6e", 0, 24},
		{"amber/sync.tt6", 24, 24}, {"tt6/isamix.tt6", 24, 0},
		{"tt6/isamix.tt6e", 0, 24}, {"tt6/sort.tt6", 24, 24},
		{"tt6/thread_002.tt6e", 24, 24}};
	struct probe_note note;
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf bytes = {0};
		load(cases[i].name, &bytes);
		assert_int_equal(bid_on("tt6", bytes.data, bytes.size, &note), cases[i].tt6);
		assert_int_equal(bid_on("tt6e", bytes.data, bytes.size, &note), cases[i].tt6e);
		buf_free(&bytes);
	}
}

static void
the_evidence_states_the_counts(void **state)
{
	struct buf bytes = {0};
	struct probe_note note;
	(void)state;
	load("amber/thread_001.tt6e", &bytes);
	bid_on("tt6e", bytes.data, bytes.size, &note);
	assert_non_null(
		strstr(note.text, "relative branches, all correct; a twi is followed by its "
				  "synthetic pair"));
	buf_clear(&bytes);
	load("amber/thread_001.tt6", &bytes);
	bid_on("tt6", bytes.data, bytes.size, &note);
	assert_non_null(strstr(note.text, "8 relative branches, all correct"));
	buf_free(&bytes);
}

static void
other_content_gets_no_bid(void **state)
{
	static const char *const names[] = {"bach/enables.tr", "bach/start_2k.bach",
		"bach/bios_irq_4k.bach", "byutr/types12.tr", "full/start.full1008",
		"bach/enables.txt"};
	struct probe_note note;
	uint8_t *zeros = calloc(1, 65536);
	uint64_t random = 5;
	(void)state;
	assert_non_null(zeros);
	assert_int_equal(bid_on("tt6", zeros, 65536, &note), 0);
	for (size_t i = 0; i < 65536; i++)
		zeros[i] = (uint8_t)(next_random(&random) >> 7);
	zeros[3] = 0;
	assert_int_equal(bid_on("tt6e", zeros, 65536, &note), 0);
	free(zeros);
	static const char text[] =
		"Here is some text, 4 bytes each: HIJK @ABC; and so on it goes.  ";
	assert_int_equal(bid_on("tt6", text, sizeof text - 1, &note), 0);
	static const uint32_t two_branches[] = {
		0x1000, 0x48000010, 0x1010, 0x4bfffff0, 0x1000, NOP};
	struct buf few = {0};
	put_words(&few, two_branches, 6);
	assert_int_equal(bid_on("tt6", few.data, few.size, &note), 0);
	put_words(&few, two_branches + 1, 2);
	store_be32(few.data + 24, 0x4bfffffc); /* a third one: b -4 */
	store_be32(few.data + 28, 0x1000);
	store_be32(few.data + 20, NOP);
	assert_int_equal(bid_on("tt6", few.data, few.size, &note), 24);
	buf_free(&few);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct buf bytes = {0};
		load(names[i], &bytes);
		assert_int_equal(bid_on("tt6", bytes.data, bytes.size, &note), 0);
		assert_int_equal(bid_on("tt6e", bytes.data, bytes.size, &note), 0);
		buf_free(&bytes);
	}
}

static void
a_swapped_file_is_recognised_and_written_swapped(void **state)
{
	struct buf bytes = {0};
	struct probe_note note;
	struct outcome outcome;
	(void)state;
	load("amber/thread_001.tt6", &bytes);
	for (size_t i = 0; i < bytes.size; i += 4)
		store_le32(bytes.data + i, load_be32(bytes.data + i));
	assert_int_equal(bid_on("tt6", bytes.data, bytes.size, &note), 24);
	assert_non_null(strstr(note.text, "byte-swapped"));
	struct conversion conversion = {.read = options_for("tt6"), .to = "tt6"};
	read_all(&bytes, &conversion.read, &outcome);
	assert_int_equal(outcome.instructions, 90);
	assert_int_equal(outcome.found[TT6_A05] + outcome.found[TT6_A06], 0);
	assert_int_equal(run_conversion(&conversion, &bytes), POLY_OK);
	assert_bytes(&conversion.out, bytes.data, bytes.size);
	buf_free(&conversion.out);
	buf_free(&bytes);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(content_distinguishes_tt6_from_tt6e),
		cmocka_unit_test(the_evidence_states_the_counts),
		cmocka_unit_test(other_content_gets_no_bid),
		cmocka_unit_test(a_swapped_file_is_recognised_and_written_swapped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
