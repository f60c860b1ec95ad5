/* SPDX-License-Identifier: MIT */
/* Tests shares of the machines of a simulation: their reports together are that of one process,
 * and what does not fit is refused. */
#include "test_help.h"

#define ROWS 4000
#define SHARES_MAX 5

static const struct poly_trace_info info = {.format = "test",
	.isa = "powerpc",
	.address_bits = 32,
	.columns = POLY_ALL_COLUMNS_INIT};

/* A simulation, and its options. */
struct simulation {
	const char *names[3];
	const char *words[4];
	uint64_t warmup;
};

static const struct simulation simulations[] = {
	{.names = {"cache"},
		.words = {"cache.sweep=size=256..2k,line=16,32,policy=lru,drrip,write=back,"
			  "through"}},
	{.names = {"cache"},
		.words = {"cache.sweep=size=256..1k,ways=1", "cache.causes=1", "cache.top=3"}},
	{.names = {"cache"}, .words = {"cache.sweep=size=256..1k,ways=2"}, .warmup = 700},
	{.names = {"branch"}, .words = {"branch.sweep=3..8", "branch.budget=6..8"}},
	{.names = {"branch"},
		.words = {"branch.sweep=2..9:0..3", "branch.predictors=taken"},
		.warmup = 700},
	{.names = {"pipeline"},
		.words = {"pipeline.sweep=model=inorder,ooo,width=1,2,4,cache=1k,2k",
			"pipeline.top=3"}},
	{.names = {"pipeline"}, .words = {"pipeline.sweep=size=16..64"}, .warmup = 700},
};

#define SIMULATIONS (sizeof simulations / sizeof *simulations)

/* Adds rows: instructions, branches that are taken by a pattern, and accesses. */
static void
add_rows(struct poly_stats *stats, size_t rows)
{
	static uint8_t kind[ROWS], access[ROWS], branch[ROWS];
	static uint32_t size[ROWS];
	static uint64_t pc[ROWS], opcode[ROWS], address[ROWS], present[ROWS / 64 + 1];
	struct poly_batch batch = {.info = &info, .rows = rows};
	uint32_t random = 1;
	memset(present, 0xff, sizeof present);
	for (size_t i = 0; i < ROWS; i++) {
		random = random * 1664525 + 1013904223;
		kind[i] = i % 4 == 3 ? POLY_KIND_ACCESS : POLY_KIND_INSTRUCTION;
		pc[i] = 0x1000 + 4 * (i % 52);
		opcode[i] = i % 4 == 1 ? 0x4082fff0 : i % 4 == 2 ? 0x80640000 : 0x38630001;
		const bool taken = random >> 28 < i % 13;
		branch[i] = (uint8_t)(taken ? POLY_BRANCH_TAKEN : POLY_BRANCH_NOT_TAKEN);
		access[i] = (uint8_t)(random >> 31 ? POLY_ACCESS_WRITE : POLY_ACCESS_READ);
		address[i] = (random >> 20 & 0xff0) + 8 * (i % 7);
		size[i] = 8;
	}
	batch.kind = kind;
	batch.pc = pc;
	batch.opcode = opcode;
	batch.branch = branch;
	batch.access = access;
	batch.address = address;
	batch.size = size;
	const poly_columns columns =
		POLY_COLUMNS(kind, pc, opcode, branch, access, address, size);
	for (unsigned i = poly_columns_next(columns, 0); i < POLY_COLUMN_COUNT;
		i = poly_columns_next(columns, i + 1))
		batch.present[i] = present;
	assert_int_equal(poly_stats_begin(stats, &info, NULL), POLY_OK);
	assert_int_equal(poly_stats_update(stats, &batch, NULL), POLY_OK);
}

static struct poly_stats *
new_stats(const struct simulation *simulation, unsigned threads)
{
	struct poly_stats_options options = POLY_STATS_OPTIONS_INIT;
	struct poly_stats *stats;
	options.analyses = simulation->names;
	options.options = simulation->words;
	options.warmup = simulation->warmup;
	options.threads = threads;
	assert_int_equal(poly_stats_new(&options, &stats, NULL), POLY_OK);
	return stats;
}

/* Runs a share. */
static struct poly_stats *
run(const struct simulation *simulation, size_t index, size_t count, size_t rows)
{
	struct poly_stats *stats = new_stats(simulation, 1 + index % 2);
	const struct poly_share share = {index, count};
	assert_int_equal(poly_stats_set_share(stats, &share, NULL), POLY_OK);
	add_rows(stats, rows);
	assert_int_equal(poly_stats_finish(stats, NULL), POLY_OK);
	return stats;
}

static struct buf
save(const struct simulation *simulation, size_t index, size_t count, size_t rows)
{
	struct buf saved = {0};
	const struct poly_sink sink = {collect, &saved};
	struct poly_stats *stats = run(simulation, index, count, rows);
	assert_int_equal(poly_stats_save_share(stats, &sink, NULL), POLY_OK);
	poly_stats_free(stats);
	return saved;
}

static struct buf
report(const struct poly_stats *stats)
{
	struct buf text = {0};
	const struct poly_sink sink = {collect, &text};
	struct poly_report *report = poly_report_new();
	poly_stats_report(stats, NULL, report);
	assert_int_equal(poly_report_render(report, POLY_RENDER_JSON, &sink, NULL), POLY_OK);
	poly_report_free(report);
	return text;
}

static struct buf
report_whole(const struct simulation *simulation)
{
	struct poly_stats *stats = new_stats(simulation, 1);
	add_rows(stats, ROWS);
	assert_int_equal(poly_stats_finish(stats, NULL), POLY_OK);
	struct buf text = report(stats);
	poly_stats_free(stats);
	return text;
}

/* Loads the shares from the last one on. */
static struct buf
report_shares(const struct simulation *simulation, size_t count)
{
	struct poly_stats *stats = run(simulation, 0, count, ROWS);
	for (size_t i = count; i-- > 1;) {
		struct buf saved = save(simulation, i, count, ROWS);
		assert_int_equal(
			poly_stats_load_share(stats, saved.data, saved.size, NULL), POLY_OK);
		buf_free(&saved);
	}
	struct buf text = report(stats);
	poly_stats_free(stats);
	return text;
}

static void
shares_report_what_one_process_does(void **state)
{
	(void)state;
	for (size_t i = 0; i < SIMULATIONS; i++) {
		struct buf whole = report_whole(&simulations[i]);
		struct poly_stats *stats = new_stats(&simulations[i], 1);
		const size_t machines = poly_stats_max_shares(stats);
		poly_stats_free(stats);
		assert_true(machines >= 3);
		for (size_t count = 1; count <= SHARES_MAX && count <= machines; count++) {
			struct buf together = report_shares(&simulations[i], count);
			expect_same(&together, &whole);
			buf_free(&together);
		}
		buf_free(&whole);
	}
}

/* Without the other shares the report differs: machines are not simulated twice. */
static void
a_share_has_its_machines_alone(void **state)
{
	(void)state;
	for (size_t i = 0; i < SIMULATIONS; i++) {
		struct buf whole = report_whole(&simulations[i]);
		for (size_t k = 0; k < 2; k++) {
			struct poly_stats *stats = run(&simulations[i], k, 2, ROWS);
			struct buf text = report(stats);
			assert_true(text.size != whole.size ||
				    memcmp(text.data, whole.data, text.size) != 0);
			buf_free(&text);
			poly_stats_free(stats);
		}
		buf_free(&whole);
	}
}

/* Loads bytes into a new share 0 of 2. */
static enum poly_status
load(const struct simulation *simulation, const void *data, size_t size,
	struct poly_error *error)
{
	struct poly_stats *stats = run(simulation, 0, 2, 64);
	const enum poly_status status = poly_stats_load_share(stats, data, size, error);
	struct buf text = report(stats);
	buf_free(&text);
	poly_stats_free(stats);
	return status;
}

static void
corrupt_bytes_do_no_harm(void **state)
{
	const struct simulation *simulation = &simulations[1];
	struct buf saved = save(simulation, 1, 2, 64);
	(void)state;
	for (size_t i = 0; i < saved.size; i++) {
		if (!sample_takes())
			continue;
		/* A copy of that size, so that sanitizers see what is read beyond it. */
		uint8_t *copy = mem_new(i + 1, 1);
		memcpy(copy, saved.data, i);
		assert_true(load(simulation, copy, i, NULL) < 0);
		mem_free(copy);
		saved.data[i] ^= (uint8_t)(1 << i % 8);
		load(simulation, saved.data, saved.size, NULL);
		saved.data[i] ^= (uint8_t)(1 << i % 8);
	}
	buf_append(&saved, "", 1);
	assert_int_equal(load(simulation, saved.data, saved.size, NULL), POLY_ERR_FORMAT);
	buf_free(&saved);
}

/* Loads a saved share, and frees it; the message must have text. */
static void
expect_refused(struct buf saved, const char *text)
{
	struct poly_error error;
	assert_int_equal(load(&simulations[1], saved.data, saved.size, &error), POLY_ERR_USAGE);
	assert_non_null(strstr(error.message, text));
	buf_free(&saved);
}

static void
other_shares_are_refused(void **state)
{
	(void)state;
	expect_refused(
		save(&simulations[1], 0, 2, 64), "share 0 of 2 is not one of the others");
	expect_refused(save(&simulations[1], 1, 3, 64), "the share is of another simulation");
	expect_refused(save(&simulations[0], 1, 2, 64), "the share is of another simulation");
	expect_refused(save(&simulations[3], 1, 2, 64), "the share is of another simulation");
	expect_refused(
		save(&simulations[1], 1, 2, 63), "share 1 is of 63 records (expected 64)");
}

static enum poly_status
set_share(struct poly_stats *stats, size_t index, size_t count)
{
	return poly_stats_set_share(stats, &(struct poly_share){index, count}, NULL);
}

static void
invalid_shares_are_refused(void **state)
{
	static const struct simulation others[] = {
		{.names = {"tlb"}}, {.names = {"cache", "branch"}}};
	struct poly_stats *stats = new_stats(&simulations[2], 1);
	const struct poly_sink sink = {refuse, NULL};
	(void)state;
	assert_int_equal(poly_stats_max_shares(stats), 3);
	assert_int_equal(set_share(stats, 0, 4), POLY_ERR_USAGE);
	assert_int_equal(set_share(stats, 2, 2), POLY_ERR_USAGE);
	assert_int_equal(set_share(stats, 0, 0), POLY_ERR_USAGE);
	assert_int_equal(poly_stats_save_share(stats, &sink, NULL), POLY_ERR_USAGE);
	assert_int_equal(poly_stats_load_share(stats, "", 0, NULL), POLY_ERR_USAGE);
	assert_int_equal(set_share(stats, 2, 3), POLY_OK);
	assert_int_equal(set_share(stats, 2, 3), POLY_ERR_USAGE);
	assert_int_equal(poly_stats_save_share(stats, &sink, NULL), POLY_ERR_IO);
	poly_stats_free(stats);
	stats = new_stats(&simulations[2], 1);
	add_rows(stats, 1);
	assert_int_equal(set_share(stats, 0, 2), POLY_ERR_USAGE);
	poly_stats_free(stats);
	for (size_t i = 0; i < 2; i++) {
		stats = new_stats(&others[i], 1);
		assert_int_equal(poly_stats_max_shares(stats), 1);
		assert_int_equal(set_share(stats, 0, 1), POLY_OK);
		assert_int_equal(poly_stats_save_share(stats, &sink, NULL), POLY_ERR_USAGE);
		poly_stats_free(stats);
	}
}

/* Runs and saves a share of the sweep of predictors, which set_share creates anew. */
static enum poly_status
save_once(void *context)
{
	struct poly_stats_options options = POLY_STATS_OPTIONS_INIT;
	const struct simulation *simulation = &simulations[4];
	const struct poly_share share = {1, 2};
	size_t size = 0;
	const struct poly_sink sink = {count_bytes, &size};
	struct poly_stats *stats;
	(void)context;
	options.analyses = simulation->names;
	options.options = simulation->words;
	enum poly_status status = poly_stats_new(&options, &stats, NULL);
	if (status == POLY_OK)
		status = poly_stats_set_share(stats, &share, NULL);
	if (status == POLY_OK)
		status = poly_stats_save_share(stats, &sink, NULL);
	poly_stats_free(stats);
	return status;
}

static void
lack_of_memory_is_reported(void **state)
{
	(void)state;
	law_memory(save_once, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_report_what_one_process_does),
		cmocka_unit_test(a_share_has_its_machines_alone),
		cmocka_unit_test(corrupt_bytes_do_no_harm),
		cmocka_unit_test(other_shares_are_refused),
		cmocka_unit_test(invalid_shares_are_refused),
		cmocka_unit_test(lack_of_memory_is_reported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
