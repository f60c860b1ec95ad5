/* SPDX-License-Identifier: MIT */
/* Merges parts of traces that are long enough for intervals and windows of several lengths. */
#include "trace_help.h"

#include "base/buf.h"

/* Intervals of 200 instructions do not have pairs at the end of the trace. */
#define ROWS 60300
#define PARTS 4
#define TRACES 2

static const char *const names[] = {"phases", "workingset", NULL};

static const char *const options[] = {"phases.vectors=1", "phases.max=2", "phases.seeds=1",
	"phases.similarity=0", "workingset.window=64", NULL};

/* Returns a number below n. */
static unsigned
draw(uint64_t *seed, unsigned n)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(*seed >> 33) % n;
}

/* Returns a trace of random blocks of two threads, with accesses. */
static struct buf
random_blocks(void)
{
	struct buf text =
		bytes_of("{\"polytrace\":\"trace\",\"version\":1,\"columns\":[\"kind\","
			 "\"thread\",\"pc\",\"opcode_size\",\"access\",\"address\"]}\n");
	uint64_t seed = 5;
	for (unsigned row = 0; row < ROWS;) {
		const unsigned block = 64 * draw(&seed, 20 + row / 1000),
			       length = draw(&seed, 9);
		const unsigned thread = draw(&seed, 8) / 6;
		for (unsigned i = 0; i <= length && row < ROWS; i++, row++) {
			buf_printf(&text,
				"{\"kind\":\"instruction\",\"thread\":%u,\"pc\":\"0x%x\","
				"\"opcode_size\":4",
				thread, 0x1000 + block + 4 * i);
			if (!draw(&seed, 4))
				buf_printf(&text, ",\"access\":\"read\",\"address\":\"0x%x\"",
					64 * draw(&seed, 90));
			buf_string(&text, "}\n");
		}
	}
	return text;
}

static struct poly_stats *
new_stats(void)
{
	struct poly_stats_options request = POLY_STATS_OPTIONS_INIT;
	struct poly_stats *stats;
	request.analyses = names;
	request.options = options;
	assert_int_equal(poly_stats_new(&request, &stats, NULL), POLY_OK);
	return stats;
}

/* Finishes a run; returns its report and vectors. */
static struct buf
results_of(struct poly_stats *stats)
{
	struct buf text = {0};
	const struct poly_sink sink = {collect, &text};
	struct poly_report *report = poly_report_new();
	assert_int_equal(poly_stats_finish(stats, NULL), POLY_OK);
	poly_stats_report(stats, NULL, report);
	assert_int_equal(
		poly_report_render(report, POLY_RENDER_JSON_LINE, &sink, NULL), POLY_OK);
	poly_report_free(report);
	assert_int_equal(poly_stats_write(stats, "phases", "vectors", &sink, NULL), POLY_OK);
	return text;
}

/* A whole run, and parts with the batches up to their ends. */
struct runs {
	struct poly_stats *whole, *parts[PARTS];
	unsigned ends[PARTS];
};

/* Adds a trace; *number: of its first batch; returns its reader. */
static struct poly_reader *
add_trace(struct runs *runs, const struct buf *text, unsigned *number)
{
	/* Several threads have batches of other sizes. */
	struct poly_read_options reading = POLY_READ_OPTIONS_INIT;
	reading.format = "jsonl";
	reading.one_thread = true;
	struct poly_reader *reader = open_memory(text, &reading);
	const struct poly_trace_info *info = poly_reader_info(reader);
	const struct poly_batch *batch;
	unsigned part = 0, begun = 0;
	assert_int_equal(poly_stats_begin(runs->whole, info, NULL), POLY_OK);
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		while (*number >= runs->ends[part])
			part++;
		for (; begun <= part; begun++) {
			if (*number < runs->ends[begun])
				assert_int_equal(
					poly_stats_begin(runs->parts[begun], info, NULL),
					POLY_OK);
		}
		assert_int_equal(poly_stats_update(runs->whole, batch, NULL), POLY_OK);
		assert_int_equal(poly_stats_update(runs->parts[part], batch, NULL), POLY_OK);
		++*number;
	}
	return reader;
}

/* Merges parts of traces, from the left or in pairs, and compares the results. */
static void
expect_merged(
	const struct buf *text, const unsigned ends[PARTS], unsigned traces, bool in_pairs)
{
	struct runs runs = {.whole = new_stats()};
	struct poly_reader *readers[TRACES] = {NULL};
	unsigned number = 0;
	for (unsigned i = 0; i < PARTS; i++) {
		runs.parts[i] = new_stats();
		runs.ends[i] = ends[i];
	}
	for (unsigned i = 0; i < traces; i++)
		readers[i] = add_trace(&runs, text, &number);
	assert_int_equal(poly_stats_merge(runs.parts[0], runs.parts[1], NULL), POLY_OK);
	if (in_pairs)
		assert_int_equal(poly_stats_merge(runs.parts[2], runs.parts[3], NULL), POLY_OK);
	assert_int_equal(poly_stats_merge(runs.parts[0], runs.parts[2], NULL), POLY_OK);
	if (!in_pairs)
		assert_int_equal(poly_stats_merge(runs.parts[0], runs.parts[3], NULL), POLY_OK);
	struct buf merged = results_of(runs.parts[0]), whole = results_of(runs.whole);
	assert_string_equal(buf_text(&merged), buf_text(&whole));
	buf_free(&merged);
	buf_free(&whole);
	poly_stats_free(runs.whole);
	for (unsigned i = 0; i < PARTS; i++)
		poly_stats_free(runs.parts[i]);
	for (unsigned i = 0; i < TRACES; i++)
		poly_reader_close(readers[i]);
}

static void
intervals_of_merged_parts_are_those_of_one_run(void **state)
{
	struct buf text = random_blocks();
	const unsigned batches = (ROWS + POLY_BATCH_ROWS - 1) / POLY_BATCH_ROWS;
	(void)state;
	for (unsigned pairs = 0; pairs < 2; pairs++) {
		expect_merged(&text,
			(const unsigned[]){1, batches / 2, batches - 1, UINT32_MAX}, 1, pairs);
		expect_merged(&text,
			(const unsigned[]){
				batches / 3, batches, batches + batches / 2, UINT32_MAX},
			2, pairs);
		expect_merged(&text,
			(const unsigned[]){batches - 1, batches, batches + 1, UINT32_MAX}, 2,
			pairs);
	}
	buf_free(&text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_of_merged_parts_are_those_of_one_run),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
