/* SPDX-License-Identifier: MIT */
/*
 * Split points that are guesses: what wrong ones cost, as the bytes that all decoders read, and
 * that they change nothing. The linker replaces tt6_read and tt6_decode by functions that
 * count.
 */
#include "test_help.h"

#include "format/tt6/tt6.h"

#include <stdatomic.h>

#define TRACE_SIZE ((size_t)3 << 20)
#define CODE 0x10000000u
#define BLOCK 8u /* instructions of a basic block, which ends in a branch */
#define BLOCKS 512u

#define ADDI 0x38630001u
#define LWZ 0x80630000u
#define B 0x48000000u

/* Bytes that were decoded, and those that were examined to find split points. */
static atomic_size_t decoded, searched;

enum poly_status __real_tt6_read(
	struct reading *reading, struct batch *batch, struct poly_error *error);
enum poly_status __wrap_tt6_read(
	struct reading *reading, struct batch *batch, struct poly_error *error);
bool __real_tt6_decode(const struct tt6_tables *tables, bool little, const uint8_t *p, size_t n,
	struct tt6_record *record);
bool __wrap_tt6_decode(const struct tt6_tables *tables, bool little, const uint8_t *p, size_t n,
	struct tt6_record *record);

enum poly_status
__wrap_tt6_read(struct reading *reading, struct batch *batch, struct poly_error *error)
{
	const uint64_t before = in_offset(reading->in);
	const enum poly_status status = __real_tt6_read(reading, batch, error);
	decoded += (size_t)(in_offset(reading->in) - before);
	return status;
}

bool
__wrap_tt6_decode(const struct tt6_tables *tables, bool little, const uint8_t *p, size_t n,
	struct tt6_record *record)
{
	searched += 4;
	return __real_tt6_decode(tables, little, p, n, record);
}

static uint32_t seed;

/* Appends an execution of a random block, which branches to the next one. */
static uint32_t
put_block(struct buf *to, uint32_t pc)
{
	const uint32_t next = CODE + 4 * BLOCK * draw_below(&seed, BLOCKS);
	for (uint32_t i = 0; i < BLOCK - 1; i++, pc += 4) {
		const bool is_load = (pc / 4) % 3 == 0;
		append_word(to, is_load ? LWZ : ADDI + (pc / 4) % 7);
		if (is_load)
			append_word(to, 0x20000000u + 4 * draw_below(&seed, 1 << 20));
	}
	append_word(to, B | ((next - pc) & 0x03fffffcu));
	append_word(to, next);
	return next;
}

static void
put_program(struct buf *to, size_t size)
{
	uint32_t pc = CODE;
	if (!to->size)
		append_word(to, pc);
	for (const size_t end = to->size + size; to->size < end;)
		pc = put_block(to, pc);
}

/* Escapes whose words look like a program: every guess is within one. */
static void
put_escapes(struct buf *to, size_t size, uint32_t words)
{
	struct buf program = {0};
	put_program(&program, 4 * (size_t)words);
	for (const size_t end = to->size + size; to->size < end;) {
		append_word(to, (TT6_CODE_LAST_CONTEXT + 1u) << 16 | words);
		buf_append(to, program.data + 4, 4 * (size_t)words);
	}
	buf_free(&program);
}

static void
put_noise(struct buf *to, size_t size)
{
	for (const size_t end = to->size + size; to->size < end;)
		append_word(to, draw_below(&seed, 1u << 31) * 2 + draw_below(&seed, 2));
}

struct result {
	uint64_t rows, hash, content_bytes;
	size_t decoded, searched;
};

static void
add(struct result *result, uint64_t v)
{
	result->hash = (result->hash ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	result->hash ^= result->hash >> 29;
}

static void
add_rows(struct result *result, const struct poly_batch *batch)
{
	static const enum poly_column columns[] = {POLY_COLUMN_pc, POLY_COLUMN_record,
		POLY_COLUMN_opcode, POLY_COLUMN_address, POLY_COLUMN_next_pc, POLY_COLUMN_site,
		POLY_COLUMN_origin, POLY_COLUMN_synthetic, POLY_COLUMN_value};
	for (size_t row = 0; row < batch->rows; row++) {
		for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
			add(result, poly_present(batch, columns[i], row)
					    ? poly_batch_integer(batch, columns[i], row)
					    : UINT64_MAX - i);
		}
	}
	result->rows += batch->rows;
}

static struct result
read_trace(const struct buf *trace, const char *format, unsigned threads)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	struct poly_reader_counts counts;
	const struct poly_batch *batch;
	struct poly_error error;
	struct result result = {0};
	options.format = format;
	options.threads = threads;
	options.block_size = 65536;
	decoded = searched = 0;
	assert_int_equal(
		poly_reader_open_memory(trace->data, trace->size, &options, &reader, &error),
		POLY_OK);
	while (poly_reader_next(reader, &batch, &error) == POLY_OK)
		add_rows(&result, batch);
	poly_reader_count(reader, &counts);
	result.content_bytes = counts.content_bytes;
	poly_reader_close(reader);
	result.decoded = decoded;
	result.searched = searched;
	return result;
}

/* Reads by several threads what one reads; returns the bytes decoded, in percent of those. */
static size_t
cost_of(const struct buf *trace, const char *format)
{
	size_t worst = 0;
	assert_false(trace->failed);
	const struct result one = read_trace(trace, format, 1);
	assert_int_equal(one.decoded, trace->size);
	for (unsigned threads = 2; threads <= 4; threads++) {
		const struct result many = read_trace(trace, format, threads);
		assert_int_equal(many.rows, one.rows);
		assert_int_equal(many.hash, one.hash);
		assert_int_equal(many.content_bytes, one.content_bytes);
		const size_t cost =
			(many.decoded + many.searched - one.searched) * 100 / trace->size;
		worst = cost > worst ? cost : worst;
	}
	return worst;
}

static void
guesses_are_right_in_programs(void **state)
{
	(void)state;
	struct buf trace = {0};
	seed = 1;
	put_program(&trace, TRACE_SIZE);
	assert_in_range(cost_of(&trace, "tt6"), 100, 105);
	assert_in_range(cost_of(&trace, "tt6e"), 100, 105);
	buf_free(&trace);
}

static void
wrong_guesses_cost_no_more_than_decoding_twice(void **state)
{
	(void)state;
	static const uint32_t words[] = {60, 1000, 65000};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		struct buf trace = {0};
		seed = 1;
		append_word(&trace, CODE);
		put_escapes(&trace, TRACE_SIZE, words[i]);
		/* Some are wrong. */
		assert_in_range(cost_of(&trace, "tt6"), 101, 200);
		buf_free(&trace);
	}
}

static void
any_words_cost_no_more_than_decoding_twice(void **state)
{
	(void)state;
	struct buf trace = {0};
	seed = 1;
	put_noise(&trace, TRACE_SIZE / 2);
	put_program(&trace, TRACE_SIZE / 4);
	put_escapes(&trace, TRACE_SIZE / 4, 500);
	put_program(&trace, TRACE_SIZE / 2);
	assert_in_range(cost_of(&trace, "tt6e"), 100, 200);
	buf_free(&trace);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(guesses_are_right_in_programs),
		cmocka_unit_test(wrong_guesses_cost_no_more_than_decoding_twice),
		cmocka_unit_test(any_words_cost_no_more_than_decoding_twice),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
