/* SPDX-License-Identifier: MIT */
/* Numbers of predicted lines against the C library, and the limits of prediction. */
#include "trace_help.h"

#include "../fuzz/lines.h"

#include "format/line/number.h"

#include <inttypes.h>

#define FRONT 32 /* bytes before a line that may be read */

static uint64_t seed = 1;

static uint64_t
random_number(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	uint64_t high = seed >> 32;
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (high << 32 | seed >> 32) >> (seed % 64);
}

/* A line with a number in it, at a place, and what stands around it. */
struct probe {
	char memory[FRONT + 128];
	char *line;
	struct window window;
};

static void
place(struct probe *probe, const char *text, unsigned at, unsigned form)
{
	memset(probe->memory, '7', sizeof probe->memory);
	probe->line = probe->memory + FRONT;
	probe->window = (struct window){(uint8_t)at, (uint8_t)strlen(text), (uint8_t)form, 0};
	memcpy(probe->line + at, text, strlen(text));
}

/* Checks that both parsers of a number agree; returns whether it is a number. */
static bool
read_number(const struct probe *probe, uint64_t *value)
{
	uint64_t plain;
	const uint8_t *line = (const uint8_t *)probe->line;
	const uint8_t *front = (const uint8_t *)probe->memory;
	bool good = window_number_plain(line, &probe->window, &plain);
	assert_int_equal(window_number(front, line, &probe->window, value), good);
	if (good)
		assert_true(*value == plain);
	return good;
}

static void
numbers_have_the_values_that_were_printed(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 100000; i++) {
		struct probe probe;
		char text[40];
		uint64_t v = random_number(), value;
		snprintf(text, sizeof text, "%" PRIx64, v);
		place(&probe, text, i % 8, 0);
		assert_true(read_number(&probe, &value) && value == v);
		snprintf(text, sizeof text, "%12" PRIx64, v);
		place(&probe, text, i % 8, WINDOW_BLANKS);
		assert_true(read_number(&probe, &value) && value == v);
		snprintf(text, sizeof text, "%016" PRIx64, v);
		place(&probe, text, i % 8, WINDOW_ZEROS);
		assert_true(read_number(&probe, &value) && value == v);
		snprintf(text, sizeof text, "%" PRIX64, v);
		place(&probe, text, i % 8, WINDOW_UPPER);
		assert_true(read_number(&probe, &value) && value == v);
		v %= 10000000000000000000u;
		snprintf(text, sizeof text, "%" PRIu64, v);
		place(&probe, text, i % 8, WINDOW_DECIMAL);
		assert_true(read_number(&probe, &value) && value == v);
	}
}

/* What a window accepts, a character at a time. */
static bool
is_of_form(const char *text, unsigned form)
{
	size_t i = 0, n = strlen(text);
	while (form & WINDOW_BLANKS && i + 1 < n && text[i] == ' ')
		i++;
	if (text[i] == '0' && i + 1 < n && !(form & WINDOW_ZEROS))
		return false;
	const char *digits = form & WINDOW_DECIMAL ? "0123456789"
			     : form & WINDOW_UPPER ? "0123456789ABCDEF"
						   : "0123456789abcdef";
	return i + strspn(text + i, digits) == n;
}

static void
other_text_is_not_a_number(void **state)
{
	static const char likely[] = "0123456789abcdefgABCFG -+x_/:`@\n";
	unsigned accepted = 0;
	(void)state;
	for (unsigned i = 0; i < 400000; i++) {
		struct probe probe;
		char text[20];
		const unsigned form = i % 16;
		const size_t n = 1 + random_number() % (form & WINDOW_DECIMAL ? 19 : 16);
		for (size_t j = 0; j < n; j++)
			text[j] = random_number() % 8
					  ? likely[random_number() % 10]
					  : likely[random_number() % (sizeof likely - 1)];
		if (i % 5 == 0)
			text[random_number() % n] = (char)(random_number() % 255 + 1);
		text[n] = 0;
		for (size_t j = 0; form & WINDOW_BLANKS && j < random_number() % n; j++)
			text[j] = ' ';
		uint64_t value;
		place(&probe, text, i % 13, form);
		bool good = read_number(&probe, &value);
		assert_int_equal(good, is_of_form(text, form));
		accepted += good;
		if (good)
			assert_true(
				value == strtoull(text, NULL, form & WINDOW_DECIMAL ? 10 : 16));
	}
	assert_in_range(accepted, 50000, 350000);
}

static struct poly_read_options
cis501_options(void)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.format = "cis501";
	options.one_thread = true;
	return options;
}

static void
add_line(struct buf *text, uint64_t pc, uint64_t address)
{
	buf_printf(text,
		"1 %" PRIx64 " -1 -1 %2d - - L %9d %12" PRIx64 " %12" PRIx64
		" %12d MOV      LOAD\n",
		pc, (int)(pc % 16), 0, address, pc + 2, 0);
}

/* More different lines than are kept, twice, so that all is forgotten in between. */
static void
more_lines_than_the_cache_holds_are_read_correctly(void **state)
{
	const struct poly_read_options options = cis501_options();
	struct buf text = {0};
	(void)state;
	for (unsigned times = 0; times < 2; times++) {
		for (uint64_t i = 0; i < TEMPLATES_MAX + 100000; i++)
			add_line(&text, 0x400000 + (i / 2 ^ i % 2) * 3, i);
	}
	assert_false(text.failed);
	assert_null(lines_difference(text.data, text.size, &options, PREDICT_BEST));
	buf_free(&text);
}

static void
lines_that_never_repeat_are_read_all_the_same(void **state)
{
	const struct poly_read_options options = cis501_options();
	struct buf text = {0};
	(void)state;
	for (unsigned i = 0; i < 400000; i++)
		add_line(&text, 0x1000000 + i * UINT64_C(7), random_number());
	assert_false(text.failed);
	assert_null(lines_difference(text.data, text.size, &options, PREDICT_BEST));
	buf_free(&text);
}

static struct poly_read_options
spike_options(void)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.format = "riscv-log";
	options.one_thread = true;
	return options;
}

/* Adds a commit line of Spike with writes of x registers. */
static void
add_commit(struct buf *text, uint64_t pc, unsigned writes)
{
	buf_printf(text, "core   0: 3 0x%016" PRIx64 " (0x00000297)", pc);
	for (unsigned i = 0; i < writes; i++)
		buf_printf(text, " x%-2u 0x%016" PRIx64, i % 32, random_number());
	buf_byte(text, '\n');
}

/* Records of 1 to 150 rows, which several runs of predicted rows, and batches, end within. */
static void
records_of_more_rows_than_a_run_are_read_correctly(void **state)
{
	struct poly_read_options options = spike_options();
	static const unsigned writes[] = {1, 0, 62, 3, 63, 64, 65, 2, 149, 20};
	struct buf text = {0};
	(void)state;
	for (unsigned i = 0; i < 2000; i++)
		add_commit(&text, 0x1000 + 4 * (i % 10), writes[i % 10]);
	assert_false(text.failed);
	assert_null(lines_difference(text.data, text.size, &options, PREDICT_BEST));
	options.batch_rows = 100;
	assert_null(lines_difference(text.data, text.size, &options, PREDICT_BEST));
	options.max_line = 3000;
	options.skip_errors = true;
	assert_null(lines_difference(text.data, text.size, &options, PREDICT_BEST));
	buf_free(&text);
}

/* The same execution lines, sometimes with a commit or an exception after them. */
static void
a_line_that_continues_a_record_is_never_predicted_away(void **state)
{
	const struct poly_read_options options = spike_options();
	struct buf text = {0};
	(void)state;
	for (unsigned i = 0; i < 5000; i++) {
		const uint64_t pc = 0x1000 + 4 * (i % 7);
		buf_printf(
			&text, "core   0: 0x%016" PRIx64 " (0x00000297) auipc   t0, 0x0\n", pc);
		const uint64_t choice = random_number() % 100;
		if (choice < 3)
			add_commit(&text, pc + (choice == 2), 1);
		else if (choice < 5)
			buf_printf(&text, "core   0: exception trap, epc 0x%016" PRIx64 "\n",
				pc + (choice == 4));
	}
	assert_false(text.failed);
	assert_null(lines_difference(text.data, text.size, &options, PREDICT_BEST));
	buf_free(&text);
}

static void
a_line_beyond_the_limit_is_split_with_one_finding(void **state)
{
	struct poly_read_options options = cis501_options();
	struct poly_finding finding;
	const struct poly_batch *batch;
	struct buf text = {0};
	size_t others = 0, rows = 0, bytes = 0;
	(void)state;
	add_line(&text, 0x400000, 1);
	for (unsigned i = 0; i < 1000; i++)
		buf_byte(&text, 'x');
	buf_byte(&text, '\n');
	add_line(&text, 0x400002, 2);
	options.max_line = 100;
	options.skip_errors = true;
	struct poly_reader *reader = open_memory(&text, &options);
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++, rows++) {
			size_t n;
			poly_batch_bytes(batch, POLY_COLUMN_raw, row, &n);
			others += batch->kind[row] == POLY_KIND_OTHER;
			bytes += batch->kind[row] == POLY_KIND_OTHER ? n : 0;
			assert_true(n <= 100);
		}
	}
	assert_int_equal(others, 11);
	assert_int_equal(rows, 13);
	assert_int_equal(bytes, 1001);
	assert_true(poly_reader_finding_at(reader, 0, &finding));
	assert_int_equal(finding.count, 1);
	assert_int_equal(finding.record, 2);
	assert_non_null(strstr(finding.message, "line 2: the line is longer than 100 bytes"));
	assert_false(poly_reader_finding_at(reader, 1, &finding));
	poly_reader_close(reader);
	buf_free(&text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_beyond_the_limit_is_split_with_one_finding),
		cmocka_unit_test(numbers_have_the_values_that_were_printed),
		cmocka_unit_test(other_text_is_not_a_number),
		cmocka_unit_test(more_lines_than_the_cache_holds_are_read_correctly),
		cmocka_unit_test(lines_that_never_repeat_are_read_all_the_same),
		cmocka_unit_test(records_of_more_rows_than_a_run_are_read_correctly),
		cmocka_unit_test(a_line_that_continues_a_record_is_never_predicted_away),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
