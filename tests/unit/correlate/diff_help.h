/* SPDX-License-Identifier: MIT */
/* Differences between traces in memory, as text; copies of a sample with a change. */
#ifndef TESTS_DIFF_HELP_H
#define TESTS_DIFF_HELP_H

#include "trace_help.h"

/* A trace of which changes are planted in copies. */
#define SAMPLE "qemu4v/arm_start_2k.q4v"

/* Rows of the batches of both traces; what is found must not depend on them. */
static const size_t batch_rows[][2] = {
	{POLY_BATCH_ROWS, POLY_BATCH_ROWS}, {1, 1}, {64, 100}, {7, POLY_BATCH_ROWS}};

static inline struct poly_reader *
open_rows(const struct buf *bytes, const char *format, size_t rows)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.format = format;
	options.batch_rows = rows;
	return open_memory(bytes, &options);
}

/* A line of a difference: "value register r1 0x2|0x3 @3|3". */
static inline void
list_difference(struct buf *out, const struct poly_difference *found)
{
	buf_printf(out, "%s %s %s|%s @%llu|%llu", poly_diff_cause_name(found->cause),
		found->subject, found->values[0] ? found->values[0] : "-",
		found->values[1] ? found->values[1] : "-",
		(unsigned long long)found->instruction[0],
		(unsigned long long)found->instruction[1]);
	if (found->run[0] || found->run[1])
		buf_printf(out, " +%llu|%llu", (unsigned long long)found->run[0],
			(unsigned long long)found->run[1]);
	buf_string(out, found->ends ? " end\n" : "\n");
}

/* All differences of two open readers, which it closes; detailed: with what surrounds them. */
static inline struct buf
compare_closely(struct poly_reader *const readers[2], const struct poly_diff_options *options,
	bool detailed)
{
	struct buf out = {0};
	struct poly_diff *diff;
	struct poly_error error;
	const struct poly_difference *found;
	enum poly_status status;
	const struct poly_diff_side sides[2] = {
		{poly_reader_source(readers[0]), 0}, {poly_reader_source(readers[1]), 0}};
	if (poly_diff_new(options, sides, &diff, &error) != POLY_OK)
		fail_msg("%s", error.message);
	for (unsigned side = 0; side < 2; side++)
		poly_reader_plan(readers[side],
			&(struct poly_read_plan){.size = sizeof(struct poly_read_plan),
				.columns = poly_diff_columns(diff, side)},
			NULL);
	while ((status = poly_diff_next(diff, &found, &error)) == POLY_OK) {
		struct poly_diff_line line;
		size_t here = 0;
		list_difference(&out, found);
		for (size_t i = 0; poly_diff_line_at(diff, i, &line); i++) {
			here += line.here;
			assert_true(line.steps[0].record || line.steps[1].record);
			if (detailed)
				buf_printf(&out, "%llu %s %c %llu %s (%llu)\n",
					(unsigned long long)line.steps[0].instruction,
					line.steps[0].text, line.mark,
					(unsigned long long)line.steps[1].instruction,
					line.steps[1].text, (unsigned long long)line.skipped);
		}
		assert_int_equal(here, 1);
		if (detailed)
			buf_printf(&out, "%llu agreed\n", (unsigned long long)found->matching);
	}
	assert_int_equal(status, POLY_END);
	poly_diff_free(diff);
	poly_reader_close(readers[0]);
	poly_reader_close(readers[1]);
	return out;
}

static inline struct buf
compare(struct poly_reader *const readers[2], const struct poly_diff_options *options)
{
	return compare_closely(readers, options, false);
}

/* What is found between two texts of a format, with batches of any size. */
static inline void
expect_between(const struct buf *a, const struct buf *b, const char *format,
	const struct poly_diff_options *options, const char *expected)
{
	for (size_t i = 0; i < sizeof batch_rows / sizeof *batch_rows; i++) {
		struct poly_reader *const readers[2] = {open_rows(a, format, batch_rows[i][0]),
			open_rows(b, format, batch_rows[i][1])};
		struct buf found = compare(readers, options);
		assert_string_equal(buf_text(&found), expected);
		buf_free(&found);
	}
}

/* The same for strings in QEMU4V. */
static inline void
expect_texts(const char *a, const char *b, const struct poly_diff_options *options,
	const char *expected)
{
	struct buf of_a = bytes_of(a), of_b = bytes_of(b);
	expect_between(&of_a, &of_b, "qemu4v", options, expected);
	buf_free(&of_a);
	buf_free(&of_b);
}

/* A change of the sample: lines from first on, count of them, become text. */
struct change {
	size_t first, count;
	const char *text;
};

static inline struct buf
changed_sample(const struct change *change)
{
	struct buf sample = load_sample(SAMPLE), out = {0};
	const char *p = buf_text(&sample);
	for (size_t line = 1; *p; line++) {
		size_t n = strcspn(p, "\n") + 1;
		if (line == change->first)
			buf_string(&out, change->text);
		if (line < change->first || line >= change->first + change->count)
			buf_append(&out, p, n);
		p += n;
	}
	buf_free(&sample);
	return out;
}

/* What is found between the sample and the sample with a change. */
static inline void
expect_change(size_t first, size_t count, const char *text, const char *expected)
{
	const struct poly_diff_options options = POLY_DIFF_OPTIONS_INIT;
	const struct change change = {first, count, text};
	struct buf sample = load_sample(SAMPLE), changed = changed_sample(&change);
	expect_between(&sample, &changed, "qemu4v", &options, expected);
	buf_free(&sample);
	buf_free(&changed);
}

/* Appends an instruction in QEMU4V, and those of a range of addresses. */
static inline void
put_insn(struct buf *text, unsigned pc)
{
	buf_printf(text, "1 clk 0 IT (1) %08x e0000000 A usr : x\n", pc);
}

static inline void
put_run(struct buf *text, unsigned first, unsigned last)
{
	for (unsigned pc = first; pc <= last; pc += 4)
		put_insn(text, pc);
}

#endif
