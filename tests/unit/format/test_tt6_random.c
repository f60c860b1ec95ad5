/* SPDX-License-Identifier: MIT */
/* TT6 and TT6E of random words, against a decoder of one record at a time. */
#include "tt6_help.h"

/* A word of a trace that never was: often a known instruction, rarely an escape. */
static uint32_t
random_word(uint64_t *state)
{
	static const uint32_t words[] = {NOP, LWZ, DCBZ, LSWX, TWI, BLR, TT6_BRANCH_SYNTHETIC,
		TT6_TRAP, TT6_RFI, 0xe8000002, 0xe8000001, 0xbba10000, 0x7ca0a4aa, 0x7c0002ac,
		0x41820010, 0x00010001, 0x00300002};
	uint32_t random = next_random(state);
	if (random % 3 == 0)
		return words[(random >> 8) % (sizeof words / sizeof *words)];
	return random % 3 == 1 ? next_random(state) | 0x80000000u : next_random(state);
}

/* Checks that a row matches the plain decoding of its bytes. */
static void
assert_plain(const struct poly_batch *batch, size_t row, const struct tt6_record *record,
	uint32_t pc)
{
	bool has_address = record->shape == TT6_MEMORY || record->shape == TT6_EXTENDED;
	assert_int_equal(batch->kind[row], POLY_KIND_INSTRUCTION);
	assert_true(poly_present(batch, POLY_COLUMN_pc, row));
	assert_int_equal(batch->pc[row], pc);
	assert_int_equal(batch->opcode[row], record->opcode);
	assert_int_equal(
		poly_present(batch, POLY_COLUMN_next_pc, row), record->shape == TT6_FLOW);
	assert_int_equal(
		poly_present(batch, POLY_COLUMN_value, row), record->shape == TT6_EXTENDED);
	if (record->shape == TT6_FLOW)
		assert_int_equal(batch->next_pc[row], record->second);
	if (record->shape == TT6_EXTENDED)
		assert_int_equal(batch->value[row], record->third);
	if (!has_address)
		return;
	const struct powerpc_instruction *known = powerpc_find(record->opcode);
	uint32_t size = powerpc_size(record->opcode, record->third, 0);
	bool is_string = record->opcode >> 26 == 31 && known->flags & POWERPC_STRING;
	assert_true(poly_present(batch, POLY_COLUMN_address, row));
	assert_int_equal(batch->address[row], record->second);
	assert_int_equal(poly_present(batch, POLY_COLUMN_access, row), known->access >= 0);
	if (known->access >= 0)
		assert_int_equal(batch->access[row], known->access);
	assert_int_equal(poly_present(batch, POLY_COLUMN_size, row),
		known->access >= 0 && (size || is_string));
	if (size && known->access >= 0)
		assert_int_equal(batch->size[row], size);
}

/* Walks plainly beside the reader. */
struct walk {
	const struct buf *bytes;
	struct tt6_tables tables;
	bool little, extended;
	size_t at;
	uint32_t pc;
};

/* The synthetic pair stands at the walk's place. */
static bool
pair_at(const struct walk *walk, size_t at)
{
	const struct buf *bytes = walk->bytes;
	return walk->extended && at + 16 <= bytes->size &&
	       tt6_load(bytes->data + at, walk->little) >> 26 == 18 &&
	       tt6_load(bytes->data + at + 4, walk->little) == TT6_TRAP &&
	       tt6_load(bytes->data + at + 8, walk->little) == TT6_RFI;
}

static void
step(struct walk *walk, const struct poly_batch *batch, size_t row)
{
	struct tt6_record record;
	const struct buf *bytes = walk->bytes;
	bool is_whole = tt6_decode(&walk->tables, walk->little, bytes->data + walk->at,
		bytes->size - walk->at, &record);
	assert_int_equal(batch->origin[row], walk->at);
	if (!is_whole) {
		assert_int_equal(batch->record[row], TT6_IS_CORRUPT);
		walk->at = bytes->size;
		return;
	}
	if (record.shape == TT6_ESCAPE) {
		assert_int_equal(batch->escape[row], tt6_code(record.opcode));
		assert_false(poly_present(batch, POLY_COLUMN_pc, row));
	} else {
		assert_plain(batch, row, &record, walk->pc);
		bool is_second = walk->pc == TT6_TRAP && record.opcode == TT6_RFI &&
				 walk->at >= 8 && pair_at(walk, walk->at - 8);
		assert_int_equal(poly_present(batch, POLY_COLUMN_synthetic, row),
			pair_at(walk, walk->at) || is_second);
		walk->pc = record.shape == TT6_FLOW ? record.second : walk->pc + 4;
	}
	walk->at += record.length;
}

static void
assert_differential(const struct buf *bytes, const char *format,
	const struct poly_read_options *base, bool little)
{
	struct poly_read_options options = *base;
	const char *words[] = {little ? "amber.endian=le" : "amber.endian=be", NULL};
	options.format = format;
	options.options = words;
	struct walk walk = {.bytes = bytes, .little = little};
	walk.extended = strcmp(format, "tt6e") == 0;
	tt6_tables_fill(&walk.tables, walk.extended, false);
	struct poly_reader *reader = open_memory(bytes, &options);
	const struct poly_batch *batch;
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++) {
			if (walk.at) {
				step(&walk, batch, row);
				continue;
			}
			walk.pc = tt6_load(bytes->data, little);
			assert_int_equal(batch->record[row], TT6_IS_INITIAL_PC);
			walk.at = 4;
		}
	}
	assert_int_equal(walk.at, bytes->size);
	poly_reader_close(reader);
}

static void
the_fast_decoder_agrees_with_the_plain_one(void **state)
{
	static const size_t batch_rows[] = {1, 7, 100, 700, POLY_BATCH_ROWS};
	static const size_t block_sizes[] = {1, 13, 4096, 0};
	uint64_t random = 1;
	(void)state;
	for (size_t round = 0; round < 60; round++) {
		struct buf bytes = {0};
		size_t count = 1 + next_random(&random) % 6000;
		for (size_t i = 0; i < count; i++) {
			static const uint32_t pair[] = {
				TT6_BRANCH_SYNTHETIC, TT6_TRAP, TT6_RFI, 0x4000};
			uint32_t word = random_word(&random);
			put_words(&bytes, word % 16 ? &word : pair, word % 16 ? 1 : 4);
		}
		bytes.size -= next_random(&random) % 4;
		struct poly_read_options options = POLY_READ_OPTIONS_INIT;
		options.batch_rows = batch_rows[round % 5];
		options.block_size = block_sizes[round % 4];
		if (bytes.size >= 4)
			assert_differential(
				&bytes, round % 2 ? "tt6" : "tt6e", &options, round % 3 == 2);
		buf_free(&bytes);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_fast_decoder_agrees_with_the_plain_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
