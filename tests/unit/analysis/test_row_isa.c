/* SPDX-License-Identifier: MIT */
/* Laws of cached descriptions: that of a row equals a fresh one of its encoding, whatever rows,
 * traces and dictionaries came before. */
#include "trace_help.h"

#include "analysis/core/analysis.h"
#include "analysis/facts/row_isa.h"
#include "analysis/facts/static_ops_facts.h"
#include "polytrace/disasm.h"

#include "base/bits.h"

/* Encodings of a set, more than the caches have entries; rows, each of one of these; and the
 * longest encoding, which the column opcode cannot hold. */
enum { ENCODINGS = 6000, ROWS = 12000, LENGTH_MAX = 15 };

/* The rows of a trace of one set. */
struct rows {
	const char *isa;
	struct poly_reader *reader;
	struct buf bytes;
	struct isa_decoder *fresh, *thumb; /* thumb: of rows that say so, or NULL */
};

static uint64_t
next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 33;
}

/* Returns a size of encodings, from 1 byte on, and often one of the set. */
static unsigned
random_size(const char *isa, uint64_t *seed)
{
	const unsigned max = isa_length_max(isa);
	const unsigned wild = (unsigned)(next_random(seed) % LENGTH_MAX);
	const unsigned common = max > 4 ? 1 + (unsigned)(next_random(seed) % max) : 4;
	const unsigned kind = (unsigned)(next_random(seed) % 8);
	return kind == 0 ? 1 + wild : kind == 1 ? 2 : common < LENGTH_MAX ? common : LENGTH_MAX;
}

/* Appends an instruction. Four encodings in turn have the same value, in two sizes and modes;
 * longer ones begin with zeros. Sets have the same encodings. */
static void
append_row(struct buf *text, const char *isa, uint64_t encoding)
{
	uint64_t sizes = encoding >> 1, values = (encoding >> 2) * 0x9e3779b97f4a7c15u;
	const unsigned size = random_size(isa, &sizes);
	const unsigned significant = next_random(&values) & 1 ? 2 : 4;
	const unsigned zeros = size > significant ? size - significant : 0;
	buf_printf(text, "{\"kind\":\"instruction\",\"pc\":\"0x%x\",\"opcode_size\":%u",
		(unsigned)(0x1000 + 16 * encoding), size);
	if (strcmp(isa, "arm") == 0)
		buf_printf(text, ",\"instruction_set\":\"%c\"", "AT"[encoding & 1]);
	buf_printf(text, size > 8 ? ",\"payload\":\"" : ",\"opcode\":\"0x");
	for (unsigned i = 0; i < size; i++)
		buf_printf(
			text, "%02x", i < zeros ? 0 : (unsigned)(next_random(&values) & 0xff));
	buf_printf(text, "\"}\n");
}

/* Opens a trace; false: the set is not described in this build. */
static bool
open_rows(const char *isa, struct rows *rows)
{
	uint64_t seed = 1;
	*rows = (struct rows){.isa = isa};
	if (!isa_described(isa) || isa_open(isa, &rows->fresh, NULL) != POLY_OK)
		return false;
	if (strcmp(isa, "arm") == 0 && isa_described("thumb"))
		assert_int_equal(isa_open("thumb", &rows->thumb, NULL), POLY_OK);
	buf_printf(
		&rows->bytes, "{\"polytrace\":\"trace\",\"version\":1,\"isa\":\"%s\"}\n", isa);
	for (unsigned i = 0; i < ROWS; i++)
		append_row(&rows->bytes, isa, next_random(&seed) % ENCODINGS);
	rows->reader = open_bytes(&rows->bytes, "jsonl", NULL, false);
	return true;
}

static void
close_rows(struct rows *rows)
{
	if (rows->reader)
		poly_reader_close(rows->reader);
	isa_close(rows->fresh);
	isa_close(rows->thumb);
	buf_free(&rows->bytes);
}

/* Describes a row without any cache; false: not an instruction. */
static bool
describe_fresh(const struct rows *rows, const struct poly_batch *batch, size_t row,
	struct isa_instruction *instruction)
{
	uint8_t room[8];
	const uint8_t *bytes = room;
	size_t n = batch->opcode_size[row];
	struct isa_decoder *decoder = rows->fresh;
	if (rows->thumb && *poly_trace_name(batch->info, batch->instruction_set[row]) == 'T')
		decoder = rows->thumb;
	if (n > sizeof room)
		bytes = (const uint8_t *)poly_batch_bytes(batch, POLY_COLUMN_payload, row, &n);
	for (size_t i = 0; bytes == room && i < n; i++)
		room[i] = (uint8_t)(batch->opcode[row] >> 8 * (n - 1 - i));
	return isa_describe(decoder, bytes, n, instruction) && instruction->length == n;
}

/* Checks an operation against the description of its row. */
static void
check_op(const struct rows *rows, const struct poly_batch *batch, size_t row,
	const struct static_op *op)
{
	struct isa_instruction instruction;
	struct static_op fresh = {.size = batch->opcode_size[row]};
	const char *mnemonic = NULL;
	if (describe_fresh(rows, batch, row, &instruction)) {
		static_op_from_isa(&fresh, &instruction);
		mnemonic = *instruction.mnemonic ? instruction.mnemonic : NULL;
	} else if (strcmp(rows->isa, "powerpc") == 0) {
		fresh.size = 4;
	}
	if ((mnemonic || op->mnemonic) &&
		(!mnemonic || !op->mnemonic || strcmp(mnemonic, op->mnemonic) != 0))
		fail_msg("%s, row %zu: '%s', expected '%s'", rows->isa, row,
			op->mnemonic ? op->mnemonic : "", mnemonic ? mnemonic : "");
	assert_int_equal(op->class, fresh.class);
	assert_int_equal(op->flow, fresh.flow);
	assert_int_equal(op->size, fresh.size);
	assert_int_equal(op->has_reach, fresh.has_reach);
	assert_int_equal(op->reach, fresh.reach);
	assert_int_equal(op->has_registers, fresh.has_registers);
	assert_memory_equal(&op->reads, &fresh.reads, sizeof fresh.reads);
	assert_memory_equal(&op->writes, &fresh.writes, sizeof fresh.writes);
}

/* Whether a row has an operation of its own; PowerPC opcodes have 4 bytes. */
static bool
is_checked(const struct rows *rows, const struct poly_batch *batch, size_t row)
{
	return strcmp(rows->isa, "powerpc") != 0 || batch->opcode_size[row] == 4;
}

/* Numbers the operations of a trace in a dictionary, and again in a copy that it is merged
 * into.
 */
static void
check_ops(struct rows *rows, struct static_ops *ops, struct static_ops *sum)
{
	static uint32_t op[POLY_BATCH_ROWS], site[POLY_BATCH_ROWS];
	const struct poly_batch *batch;
	struct poly_error error;
	enum poly_status status;
	static_ops_begin_trace(ops, poly_reader_info(rows->reader));
	while ((status = poly_reader_next(rows->reader, &batch, &error)) == POLY_OK) {
		assert_true(static_ops_number_rows(
			ops, batch, &(struct static_ops_rows){.op = op, .site = site}));
		uint32_t *ops_of = calloc(ops->count + 1, sizeof *ops_of);
		uint32_t *sites_of = calloc(ops->site_count + 1, sizeof *sites_of);
		assert_true(ops_of && sites_of);
		assert_true(static_ops_merge(sum, ops, ops_of, sites_of));
		for (size_t row = 0; row < batch->rows; row++) {
			if (!is_checked(rows, batch, row))
				continue;
			assert_true(op[row] < ops->count);
			check_op(rows, batch, row, static_op_at(ops, op[row]));
			check_op(rows, batch, row, static_op_at(sum, ops_of[op[row]]));
		}
		free(ops_of);
		free(sites_of);
	}
	assert_int_equal(status, POLY_END);
}

static void
operations_equal_fresh_descriptions(void **state)
{
	struct static_ops *ops = mem_new(1, sizeof *ops), *sum = mem_new(1, sizeof *sum);
	const char *isa;
	(void)state;
	for (size_t i = 0; (isa = poly_isa_at(i)) != NULL; i++) {
		struct rows rows;
		assert_true(i < 63); /* numbers of sets in keys */
		if (!sample_takes())
			continue;
		if (open_rows(isa, &rows))
			check_ops(&rows, ops, sum);
		close_rows(&rows);
	}
	assert_true(ops->count > ENCODINGS / 8 || !sample_is_complete());
	static_ops_fini(ops);
	static_ops_fini(sum);
	mem_free(ops);
	mem_free(sum);
}

static void
check_descriptions(struct rows *rows, struct row_isa *cached)
{
	const struct poly_batch *batch;
	struct poly_error error;
	bool failed = false;
	row_isa_begin(cached, poly_reader_info(rows->reader));
	while (poly_reader_next(rows->reader, &batch, &error) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++) {
			struct isa_instruction fresh, room;
			const struct isa_instruction *found =
				row_isa_describe(cached, batch, row, &room, &failed);
			assert_int_equal(
				found != NULL, describe_fresh(rows, batch, row, &fresh));
			if (found)
				assert_memory_equal(found, &fresh, sizeof fresh);
		}
	}
	assert_false(failed);
}

static void
cached_descriptions_equal_fresh_ones(void **state)
{
	struct row_isa cached = {0};
	const char *isa;
	(void)state;
	for (size_t i = 0; (isa = poly_isa_at(i)) != NULL; i++) {
		struct rows rows;
		if (!sample_takes())
			continue;
		if (open_rows(isa, &rows))
			check_descriptions(&rows, &cached);
		close_rows(&rows);
	}
	row_isa_fini(&cached);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operations_equal_fresh_descriptions),
		cmocka_unit_test(cached_descriptions_equal_fresh_ones),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
