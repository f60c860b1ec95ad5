/* SPDX-License-Identifier: MIT */
/*
 * Chunks that decoders work on: of the large ones only the last bytes are loaded. The oracle is
 * a reader with one thread, which has no chunks.
 */
#include "test_help.h"

#include "format/core/chunk_bytes.h"
#include "io/source.h"
#include "model/batch_internal.h"
#include "model/decoder_work.h"

#include <unistd.h>

/* Sums over rows, independent of their order. */
struct sum {
	uint64_t rows, pcs, names;
};

/* The work: it ends its part at a row with the refused pc. */
struct sum_work {
	struct poly_decoder_work work; /* first */
	uint64_t refused;
};

static void
add_rows(struct sum *sum, const struct poly_batch *batch)
{
	for (size_t row = 0; row < batch->rows; row++) {
		if (batch->kind[row] != POLY_KIND_INSTRUCTION)
			continue;
		const char *name = poly_trace_name(batch->info, batch->mnemonic[row]);
		sum->pcs += batch->pc[row];
		for (size_t i = 0; name && name[i]; i++)
			sum->names += (i + 1) * (uint64_t)name[i];
	}
	sum->rows += batch->rows;
}

static void *
begin_sum(const struct poly_decoder_work *work, struct numbering numbering)
{
	(void)numbering;
	(void)work;
	return mem_new(1, sizeof(struct sum));
}

static bool
add_to_sum(const struct poly_decoder_work *work, void *part, const struct poly_batch *batch)
{
	const struct sum_work *of = (const struct sum_work *)work;
	add_rows(part, batch);
	for (size_t row = 0; of->refused && row < batch->rows; row++) {
		if (batch->pc[row] == of->refused)
			return false;
	}
	return true;
}

static void
end_sum(const struct poly_decoder_work *work, void *part)
{
	(void)work;
	mem_free(part);
}

static const struct sum_work summing = {
	.work = {.begin = begin_sum, .add = add_to_sum, .end = end_sum}};

/* A trace of lines; those of the given number have a pc of their own. */
static struct buf
make_text(unsigned lines, unsigned marked)
{
	struct buf text = {0};
	uint32_t seed = 7;
	for (unsigned i = 0; i < lines; i++)
		buf_printf(&text, "1 %x -1 49 45 - - L -264 %x %x 0 NAME_%u LOAD\n",
			i == marked ? 0x1000 : 0x400000 + draw_below(&seed, 9999),
			draw_below(&seed, 1 << 30), 0x400004, draw_below(&seed, 50 + i / 100));
	assert_false(text.failed);
	return text;
}

/* Inserts a line that is not a record after the first half. */
static void
insert_line(struct buf *text, size_t size)
{
	const uint8_t *newline = memchr(text->data + text->size / 2, '\n', 200);
	const size_t front = (size_t)(newline + 1 - text->data);
	struct buf longer = {0};
	buf_append(&longer, text->data, front);
	memset(buf_reserve(&longer, size), 'x', size);
	longer.size += size;
	buf_byte(&longer, '\n');
	buf_append(&longer, text->data + front, text->size - front);
	assert_false(longer.failed);
	buf_free(text);
	*text = longer;
}

static struct poly_read_options
options_of(unsigned threads, size_t block_size)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.format = "cis501";
	options.threads = threads;
	options.block_size = block_size;
	options.skip_errors = true;
	return options;
}

/* Plans the work of a reader. */
static void
plan_sum(struct poly_reader *reader, const struct sum_work *work)
{
	const struct poly_decoder_work *list[] = {&work->work};
	struct poly_read_plan plan = POLY_READ_PLAN_INIT;
	plan.columns = POLY_COLUMNS(kind, pc, mnemonic);
	plan.work = list;
	plan.work_count = 1;
	assert_int_equal(poly_reader_plan(reader, &plan, NULL), POLY_OK);
}

/* Adds the rows of a batch, or those that decoders have added; returns the latter's number. */
static uint64_t
add_batch(struct sum *sum, const struct sum_work *work, const struct poly_batch *batch)
{
	struct decoder_result *result = batch_decoded(batch);
	if (!result) {
		add_rows(sum, batch);
		return 0;
	}
	struct sum *part = decoder_result_take(result, &work->work);
	assert_non_null(part);
	assert_int_equal(part->rows, result->records);
	sum->rows += part->rows;
	sum->pcs += part->pcs;
	sum->names += part->names;
	mem_free(part);
	return result->records;
}

/* Reads a trace to its end; returns the number of rows that decoders added. */
static uint64_t
read_sum(struct poly_reader *reader, const struct sum_work *work, struct sum *sum)
{
	const struct poly_batch *batch;
	struct poly_error error;
	enum poly_status status;
	uint64_t decoded = 0;
	while ((status = poly_reader_next(reader, &batch, &error)) == POLY_OK)
		decoded += add_batch(sum, work, batch);
	if (status != POLY_END)
		fail_msg("%s", error.message);
	return decoded;
}

static uint64_t
sum_text(const struct buf *text, const struct poly_read_options *options,
	const struct sum_work *work, struct sum *sum)
{
	struct poly_reader *reader;
	*sum = (struct sum){0};
	assert_int_equal(
		poly_reader_open_memory(text->data, text->size, options, &reader, NULL),
		POLY_OK);
	plan_sum(reader, work);
	const uint64_t decoded = read_sum(reader, work, sum);
	poly_reader_close(reader);
	return decoded;
}

/* The rows are those of one thread; decoders add a minimum number of them. */
static void
expect_sum(const struct buf *text, const struct sum_work *work, uint64_t decoded_min)
{
	static const size_t sizes[] = {0, 700, 20000, 65536, 100000};
	struct poly_read_options options = options_of(1, 0);
	struct sum one, many;
	assert_int_equal(sum_text(text, &options, work, &one), 0);
	for (size_t i = 0; i < 5; i++) {
		options = options_of(2 + (unsigned)(i % 3), sizes[i]);
		const uint64_t decoded = sum_text(text, &options, work, &many);
		assert_int_equal(many.rows, one.rows);
		assert_int_equal(many.pcs, one.pcs);
		assert_int_equal(many.names, one.names);
		assert_true(decoded >= (sizes[i] ? decoded_min : 0));
	}
}

static void
large_chunks_have_every_row(void **state)
{
	(void)state;
	struct buf text = make_text(30000, 30000);
	expect_sum(&text, &summing, 25000);
	buf_free(&text);
}

/* The line ends a chunk, so that more of its last bytes are loaded, or fills one. */
static void
long_lines_are_in_one_chunk(void **state)
{
	static const size_t sizes[] = {300, 17000, 90000, 500000};
	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct buf text = make_text(12000, 12000);
		insert_line(&text, sizes[i]);
		expect_sum(&text, &summing, 1);
		buf_free(&text);
	}
}

/* The rows of a part that the work ends are delivered, and work begins again later. */
static void
ended_parts_lose_no_row(void **state)
{
	(void)state;
	struct sum_work refusing = summing;
	refusing.refused = 0x1000;
	for (unsigned marked = 0; marked < 30000; marked += 10000) {
		struct buf text = make_text(30000, marked);
		expect_sum(&text, &refusing, 1000);
		buf_free(&text);
	}
}

/* Writes a text to a temporary file. */
static void
write_text(char *path, const struct buf *text)
{
	const int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text->data, text->size), text->size);
	close(fd);
}

/* A file that is truncated while it is read ends at the new end, or at what was read before. */
static void
truncated_files_end(void **state)
{
	(void)state;
	struct buf text = make_text(30000, 30000);
	for (unsigned threads = 2; threads <= 4; threads++) {
		char path[] = "/tmp/polytrace-test-XXXXXX";
		const struct poly_read_options options = options_of(threads, 100000);
		const struct poly_batch *batch;
		struct poly_reader *reader;
		struct sum sum = {0};
		write_text(path, &text);
		assert_int_equal(poly_reader_open(path, &options, &reader, NULL), POLY_OK);
		plan_sum(reader, &summing);
		assert_int_equal(truncate(path, (off_t)(text.size / threads)), 0);
		while (poly_reader_next(reader, &batch, NULL) == POLY_OK)
			add_batch(&sum, &summing, batch);
		assert_in_range(sum.rows, 30000 / threads - 100, 30000);
		poly_reader_close(reader);
		unlink(path);
		buf_free(&text);
		text = make_text(30000, 30000);
	}
	buf_free(&text);
}

/* A chunk that the next one follows is found to be shorter before that is joined. */
static void
a_shorter_chunk_does_not_move_the_next_one(void **state)
{
	(void)state;
	struct buf text = make_text(30000, 30000);
	char path[] = "/tmp/polytrace-test-XXXXXX";
	struct poly_error error;
	struct in *in;
	write_text(path, &text);
	assert_int_equal(in_open(path, NULL, &in, &error), POLY_OK);
	const struct decode_plan plan = {.format = format_find("cis501"),
		.in = in,
		.chunk_size = 50000,
		.work_size = 600000};
	struct reading reading = {.in = in};
	struct chunk chunks[2];
	uint8_t bytes[100];
	struct source_room room = {bytes, sizeof bytes, 0};
	for (size_t i = 0; i < 2; i++) {
		chunks[i] = (struct chunk){.works = true,
			.streamed = true,
			.may_split = true,
			.position = i * plan.work_size,
			.extent = plan.work_size,
			.memory = malloc(chunk_memory_size(&plan))};
		chunk_read(&plan, &chunks[i]);
	}
	chunk_join(&plan, &reading, &chunks[0], NULL);
	const size_t size = chunks[0].size, rest = chunks[0].rest;
	assert_true(size > 590000 && size + rest == plan.work_size);
	assert_int_equal(truncate(path, 500050), 0);
	chunk_copy(&plan, &chunks[0], 500000, &room);
	assert_int_equal(room.got, 50);
	assert_true(chunks[0].last);
	assert_int_equal(chunks[0].size, 500050);
	chunk_join(&plan, &reading, &chunks[1], &chunks[0]);
	assert_int_equal(chunks[1].offset, size);
	assert_true(chunks[1].streamed);
	assert_int_equal(chunks[1].filled, rest + plan.work_size);
	for (size_t i = 0; i < 2; i++)
		free(chunks[i].memory);
	in_close(in);
	unlink(path);
	buf_free(&text);
}

struct summed {
	struct buf text;
	struct poly_reader *reader;
	struct sum sum;
};

static void
open_summed(void *context)
{
	struct summed *summed = context;
	const struct poly_read_options options = options_of(2, 20000);
	summed->sum = (struct sum){0};
	assert_int_equal(poly_reader_open_memory(summed->text.data, summed->text.size, &options,
				 &summed->reader, NULL),
		POLY_OK);
	plan_sum(summed->reader, &summing);
}

static enum poly_status
read_summed(void *context)
{
	struct summed *summed = context;
	const struct poly_batch *batch;
	enum poly_status status;
	while ((status = poly_reader_next(summed->reader, &batch, NULL)) == POLY_OK)
		add_batch(&summed->sum, &summing, batch);
	if (status == POLY_END)
		assert_int_equal(summed->sum.rows, 3000);
	return status;
}

static void
close_summed(void *context)
{
	poly_reader_close(((struct summed *)context)->reader);
}

static void
out_of_memory_loses_no_row(void **state)
{
	struct summed summed = {.text = make_text(3000, 3000)};
	(void)state;
	law_memory_as(&(struct memory_law){.run = read_summed,
		.prepare = open_summed,
		.release = close_summed,
		.context = &summed,
		.is_tolerant = true});
	buf_free(&summed.text);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(large_chunks_have_every_row),
		cmocka_unit_test(long_lines_are_in_one_chunk),
		cmocka_unit_test(ended_parts_lose_no_row),
		cmocka_unit_test(truncated_files_end),
		cmocka_unit_test(a_shorter_chunk_does_not_move_the_next_one),
		cmocka_unit_test(out_of_memory_loses_no_row),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
