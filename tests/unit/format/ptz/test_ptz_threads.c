/* SPDX-License-Identifier: MIT */
/* Packed traces that several threads write: their bytes are those of one thread. */
#include "ptz_help.h"

#include "model/batch.h"
#include "model/info.h"

#include "memory_law.h"

/* How rows are generated. */
struct recipe {
	const char *option;
	uint32_t rows;
	uint32_t loop;	/* rows after which the program repeats; 0: it does not */
	uint32_t phase; /* rows after which it changes; 0: it does not */
	uint32_t bytes; /* of the text of every hundredth row */
	uint32_t batch; /* maximum rows of a batch */
};

/* A generated trace, whose names appear one after the other. */
struct generated {
	const struct recipe *recipe;
	struct info info;
	struct batch with, without; /* addresses and texts */
	uint32_t row;
	uint64_t random;
	char *text;
};

static uint64_t
next_random(struct generated *trace)
{
	trace->random = trace->random * 6364136223846793005u + 1442695040888963407u;
	return trace->random >> 33;
}

static void
open_generated(struct generated *trace, const struct recipe *recipe)
{
	struct poly_error error;
	*trace = (struct generated){.recipe = recipe, .random = 1};
	info_init(&trace->info);
	trace->info.view.format = "generated";
	trace->info.view.columns = POLY_COLUMNS(kind, pc, address, mnemonic, text, verbatim);
	assert_int_equal(batch_init(&trace->with, trace->info.view.columns, POLY_BATCH_ROWS,
				 &trace->info.view, &error),
		POLY_OK);
	assert_int_equal(batch_init(&trace->without, POLY_COLUMNS(kind, pc, mnemonic),
				 POLY_BATCH_ROWS, &trace->info.view, &error),
		POLY_OK);
	trace->text = calloc(1, recipe->bytes + 1);
	memset(trace->text, 'x', recipe->bytes);
}

static void
close_generated(struct generated *trace)
{
	batch_fini(&trace->with);
	batch_fini(&trace->without);
	info_fini(&trace->info);
	free(trace->text);
}

static void
generate_row(struct generated *trace, struct batch *batch, size_t row)
{
	const struct recipe *recipe = trace->recipe;
	const uint32_t at = trace->row++;
	const bool repeats = recipe->loop && (!recipe->phase || at / recipe->phase % 2);
	const uint64_t pc = 0x1000 + 4 * (repeats ? at % recipe->loop : next_random(trace));
	char name[20];
	snprintf(name, sizeof name, "op%u", (unsigned)(pc / 4 % 50 + at / 1000));
	batch_put(batch, kind, row, POLY_KIND_INSTRUCTION);
	batch_put(batch, pc, row, pc);
	batch_put(batch, mnemonic, row, info_name(&trace->info, name, strlen(name)));
	if (pc / 4 % 3 == 0)
		batch_put(batch, address, row, at * (uint64_t)8);
	if (pc / 4 % 7 == 0)
		batch_put_bytes(batch, POLY_COLUMN_text, row, name, strlen(name));
	if (at % 100 == 0)
		batch_put_bytes(batch, POLY_COLUMN_verbatim, row, trace->text, recipe->bytes);
}

/* Returns the next batch; NULL: the trace ends. */
static const struct poly_batch *
next_generated(struct generated *trace)
{
	const uint32_t left = trace->recipe->rows - trace->row;
	struct batch *batch = next_random(trace) % 5 ? &trace->with : &trace->without;
	size_t rows = 1 + next_random(trace) % trace->recipe->batch;
	struct poly_error error;
	rows = rows < left ? rows : left;
	batch_clear(batch);
	for (size_t row = 0; row < rows; row++)
		generate_row(trace, batch, row);
	batch->view.rows = rows;
	assert_int_equal(batch_finish(batch, &error), POLY_OK);
	return rows ? &batch->view : NULL;
}

static struct poly_writer *
open_writer(const struct generated *trace, unsigned threads, const struct poly_sink *sink)
{
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	struct poly_writer *writer;
	struct poly_error error;
	const char *words[] = {trace->recipe->option, NULL};
	options.format = "ptz";
	options.options = words;
	options.threads = threads;
	const enum poly_status status =
		poly_writer_open_sink(sink, &trace->info.view, &options, &writer, &error);
	skip_unsupported(status, &error);
	assert_int_equal(status, POLY_OK);
	return writer;
}

static struct buf
pack_generated(const struct recipe *recipe, unsigned threads)
{
	struct buf file = {0};
	struct generated trace;
	const struct poly_batch *batch;
	struct poly_error error;
	open_generated(&trace, recipe);
	struct poly_writer *writer =
		open_writer(&trace, threads, &(struct poly_sink){collect, &file});
	while ((batch = next_generated(&trace)) != NULL)
		assert_int_equal(poly_writer_write(writer, batch, &error), POLY_OK);
	assert_int_equal(poly_writer_finish(writer, &error), POLY_OK);
	poly_writer_close(writer);
	close_generated(&trace);
	return file;
}

/* Compares the bytes of several threads with those of one. */
static void
check_recipe(const struct recipe *recipe)
{
	static const unsigned some[] = {2, 3, 8, 0}, few[] = {3, 0};
	struct buf one = pack_generated(recipe, 1);
	for (const unsigned *threads = recipe->rows > 100000 ? few : some; *threads;
		threads++) {
		struct buf file = pack_generated(recipe, *threads);
		assert_int_equal(file.size, one.size);
		assert_memory_equal(file.data, one.data, one.size);
		buf_free(&file);
	}
	buf_free(&one);
}

static void
small_segments_do_not_depend_on_threads(void **unused)
{
	(void)unused;
	check_recipe(&(struct recipe){"ptz.rows=1", 40, 7, 0, 3, 9});
	check_recipe(&(struct recipe){"ptz.rows=64", 3000, 100, 700, 10, 200});
	check_recipe(&(struct recipe){"ptz.rows=5000", 60000, 300, 9000, 10, 4096});
	check_recipe(&(struct recipe){NULL, 0, 7, 0, 3, 9});
	check_recipe(&(struct recipe){NULL, 1, 7, 0, 3, 9});
	check_recipe(&(struct recipe){NULL, 5000, 7, 0, 3, 40});
}

static void
trials_do_not_depend_on_threads(void **unused)
{
	(void)unused;
	static const struct recipe recipes[] = {
		/* Segments continue after the trial. */
		{"ptz.rows=300000", 700000, 500, 0, 3, 4096},
		/* They end with it. */
		{"ptz.rows=300000", 600000, 0, 0, 3, 4096},
		/* The trace begins without repeating. */
		{NULL, 700000, 1000, 300000, 3, 4096},
	};
	for (unsigned i = 0; i < 3; i++) {
		if (sample_takes_case(i, 3))
			check_recipe(&recipes[i]);
	}
}

static void
segments_of_many_bytes_do_not_depend_on_threads(void **unused)
{
	(void)unused;
	check_recipe(&(struct recipe){NULL, 30000, 500, 0, 150000, 4096});
}

/* Fails after the head and some segments. */
static int
refuse_rest(void *user, const void *data, size_t size)
{
	size_t *left = user;
	(void)data;
	if (size > *left)
		return ENOSPC;
	*left -= size;
	return 0;
}

static void
a_failing_output_is_reported(void **unused)
{
	(void)unused;
	const struct recipe recipe = {"ptz.rows=1000", 100000, 0, 0, 3, 4096};
	size_t left = 20000;
	struct generated trace;
	const struct poly_batch *batch;
	struct poly_error error = {0};
	enum poly_status status = POLY_OK;
	open_generated(&trace, &recipe);
	struct poly_writer *writer =
		open_writer(&trace, 4, &(struct poly_sink){refuse_rest, &left});
	while (status == POLY_OK && (batch = next_generated(&trace)) != NULL)
		status = poly_writer_write(writer, batch, &error);
	if (status == POLY_OK)
		status = poly_writer_finish(writer, &error);
	assert_int_equal(status, POLY_ERR_IO);
	assert_int_equal(error.sys_errno, ENOSPC);
	poly_writer_close(writer);
	close_generated(&trace);
}

static void
writing_can_be_abandoned(void **unused)
{
	(void)unused;
	const struct recipe recipe = {"ptz.rows=1000", 30000, 100, 0, 3, 4096};
	struct poly_error error;
	for (unsigned batches = 0; batches < 12; batches++) {
		struct buf file = {0};
		struct generated trace;
		open_generated(&trace, &recipe);
		struct poly_writer *writer =
			open_writer(&trace, 4, &(struct poly_sink){collect, &file});
		for (unsigned i = 0; i < batches; i++)
			assert_int_equal(
				poly_writer_write(writer, next_generated(&trace), &error),
				POLY_OK);
		poly_writer_close(writer);
		close_generated(&trace);
		buf_free(&file);
	}
}

/* Packs a trace, all of whose names and storage exist already. */
static enum poly_status
pack_again(void *context)
{
	struct generated *trace = context;
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	struct poly_writer *writer;
	struct poly_error error;
	const struct poly_batch *batch;
	const char *words[] = {trace->recipe->option, NULL};
	size_t left = SIZE_MAX;
	const struct poly_sink sink = {refuse_rest, &left};
	options.format = "ptz";
	options.options = words;
	options.threads = 3;
	trace->row = 0;
	trace->random = 1;
	enum poly_status status =
		poly_writer_open_sink(&sink, &trace->info.view, &options, &writer, &error);
	if (status != POLY_OK)
		return status;
	while (status == POLY_OK && (batch = next_generated(trace)) != NULL)
		status = poly_writer_write(writer, batch, &error);
	if (status == POLY_OK)
		status = poly_writer_finish(writer, &error);
	poly_writer_close(writer);
	return status;
}

static void
lack_of_memory_is_reported(void **unused)
{
	(void)unused;
	need_library("xxhash");
	const struct recipe recipe = {"ptz.rows=300", 6000, 50, 1000, 3, 700};
	struct generated trace;
	open_generated(&trace, &recipe);
	while (next_generated(&trace))
		;
	/* Without threads, the caller encodes the segments. */
	const struct memory_law law = {.run = pack_again,
		.context = &trace,
		.is_tolerant = true,
		.is_sampled = true,
		.every = 100};
	const struct memory_result result = memory_law_check(&law);
	assert_string_equal(result.fault, "");
	close_generated(&trace);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_segments_do_not_depend_on_threads),
		cmocka_unit_test(trials_do_not_depend_on_threads),
		cmocka_unit_test(segments_of_many_bytes_do_not_depend_on_threads),
		cmocka_unit_test(a_failing_output_is_reported),
		cmocka_unit_test(writing_can_be_abandoned),
		cmocka_unit_test(lack_of_memory_is_reported),
	};
	return cmocka_run_group_tests_name("ptz_threads", tests, NULL, NULL);
}
