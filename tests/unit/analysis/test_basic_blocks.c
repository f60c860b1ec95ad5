/* SPDX-License-Identifier: MIT */
/* Tests where basic blocks begin. */
#include "trace_help.h"

#include "analysis/facts/basic_blocks.h"
#include "model/batch_internal.h"
#include "model/chain_graph.h"

/* One character per instruction: b begins a block, i does not. */
struct listing {
	char text[4096];
	size_t length;
};

static bool
list_fragment(void *user, const struct block_fragment *fragment, bool begins)
{
	struct listing *listing = user;
	assert_true(listing->length + fragment->count < sizeof listing->text);
	for (uint32_t i = 0; i < fragment->count; i++)
		listing->text[listing->length++] = begins && i == 0 ? 'b' : 'i';
	return true;
}

/* Lists the blocks of a trace in JSON Lines. thread: the column thread numbers the contexts. */
static void
expect_marks(const char *lines, bool thread, const char *expected)
{
	struct buf bytes = bytes_of("{\"polytrace\":\"trace\",\"version\":1,\"columns\":["
				    "\"kind\",\"thread\",\"pc\",\"opcode_size\",\"branch\","
				    "\"uop_index\",\"synthetic\"]}\n");
	static struct basic_blocks blocks;
	struct listing found = {0};
	const struct poly_batch *batch;
	struct poly_error error;
	uint16_t context[16] = {0};
	buf_string(&bytes, lines);
	struct poly_reader *reader = open_bytes(&bytes, "jsonl", NULL, false);
	assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_OK);
	assert_true(batch->rows < 17);
	for (size_t row = 0; thread && row < batch->rows; row++)
		context[row] = (uint16_t)batch->thread[row];
	const struct analysis_rows rows = {
		.batch = batch, .counts = true, .context = thread ? context : NULL};
	basic_blocks_begin(&blocks);
	assert_true(basic_blocks_update(&blocks, &rows, list_fragment, &found));
	assert_string_equal(found.text, expected);
	poly_reader_close(reader);
	buf_free(&bytes);
}

#define AT(pc, size, more) \
	"{\"kind\":\"instruction\",\"pc\":\"" pc "\",\"opcode_size\":" size more "}\n"

static void
a_block_ends_at_a_branch_even_if_it_is_not_taken(void **state)
{
	(void)state;
	expect_marks(AT("0x10", "4", "") AT("0x14", "4", ",\"branch\":\"not_taken\"")
			     AT("0x18", "4", "") AT("0x1c", "4", ",\"branch\":\"taken\"")
				     AT("0x10", "4", ""),
		false, "bibib");
}

static void
a_block_ends_before_a_discontinuity(void **state)
{
	(void)state;
	expect_marks(AT("0x10", "2", "") AT("0x12", "4", "") AT("0x16", "2", "")
			     AT("0x1a", "2", "") AT("0x1a", "2", ""),
		false, "biibb");
}

static void
without_sizes_up_to_sixteen_bytes_are_sequential(void **state)
{
	(void)state;
#define AT_PC(pc) "{\"kind\":\"instruction\",\"pc\":\"" pc "\"}\n"
	expect_marks(
		AT_PC("0x100") AT_PC("0x110") AT_PC("0x121") AT_PC("0x120"), false, "bibb");
}

static void
each_thread_has_its_own_blocks(void **state)
{
	(void)state;
	expect_marks(AT("0x10", "4", ",\"thread\":0") AT("0x80", "4", ",\"thread\":1")
			     AT("0x14", "4", ",\"thread\":0") AT("0x84", "4", ",\"thread\":1"),
		true, "bbii");
}

static void
micro_operations_and_synthetic_rows_do_not_count(void **state)
{
	(void)state;
	expect_marks(AT("0x10", "4", ",\"uop_index\":1") AT("0x10", "4",
			     ",\"uop_index\":2,\"branch\":\"not_taken\"") AT("0x14", "4",
			     ",\"uop_index\":1") "{\"kind\":\"access\"}\n" AT("0x700", "4",
			     ",\"synthetic\":true") AT("0x18", "4", ",\"uop_index\":1"),
		false, "bbi");
}

static void
an_instruction_without_an_address_is_outside_of_blocks(void **state)
{
	(void)state;
	expect_marks(AT("0x10", "4", "") "{\"kind\":\"instruction\"}\n" AT("0x14", "4", ""),
		false, "bib");
}

/* Random rows: a few addresses, sizes and contexts, and rows that are not instructions. */
struct random_row {
	uint8_t kind, branch, uop, synthetic, size;
	uint64_t pc;
	uint16_t context;
	bool has_pc, has_branch, has_uop, has_size;
};

enum { DISTINCT = 60, CHAINS = 12, EXECUTED = 80, CHAIN_MAX = 40 };

static uint32_t
random_below(uint32_t n)
{
	static uint64_t state = 7;
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % n;
}

static struct random_row
make_row(void)
{
	struct random_row row = {
		.kind = random_below(8) ? POLY_KIND_INSTRUCTION : POLY_KIND_ACCESS,
		.uop = (uint8_t)(1 + random_below(2)),
		.synthetic = !random_below(10),
		.size = 4,
		.pc = 0x1000 + 4 * (uint64_t)random_below(6),
		.context = (uint16_t)(random_below(6) ? 0 : 1 + random_below(2))};
	row.has_pc = random_below(15);
	row.has_branch = !random_below(5);
	row.has_uop = random_below(2);
	row.has_size = random_below(3);
	return row;
}

/* A batch and its rows. */
struct made_batch {
	uint8_t kind[POLY_BATCH_ROWS], branch[POLY_BATCH_ROWS], uop[POLY_BATCH_ROWS],
		synthetic[POLY_BATCH_ROWS], size[POLY_BATCH_ROWS];
	uint64_t pc[POLY_BATCH_ROWS], weight[POLY_BATCH_ROWS];
	uint16_t context[POLY_BATCH_ROWS];
	uint64_t all[POLY_BATCH_ROWS / 64], some[4][POLY_BATCH_ROWS / 64];
	struct poly_batch batch;
	struct analysis_rows rows;
};

static void
make_batch(struct made_batch *made, const struct random_row *rows, size_t n)
{
	memset(made, 0, sizeof *made);
	memset(made->all, 255, sizeof made->all);
	for (size_t i = 0; i < n; i++) {
		const bool has[4] = {
			rows[i].has_pc, rows[i].has_branch, rows[i].has_uop, rows[i].has_size};
		made->kind[i] = rows[i].kind;
		made->uop[i] = rows[i].uop;
		made->synthetic[i] = rows[i].synthetic;
		made->size[i] = rows[i].size;
		made->pc[i] = rows[i].pc;
		made->context[i] = rows[i].context;
		for (size_t k = 0; k < 4; k++)
			made->some[k][i / 64] |= (uint64_t)has[k] << i % 64;
	}
	made->batch.rows = n;
	made->batch.kind = made->kind;
	made->batch.branch = made->branch;
	made->batch.uop_index = made->uop;
	made->batch.synthetic = made->synthetic;
	made->batch.opcode_size = made->size;
	made->batch.pc = made->pc;
	made->batch.present[POLY_COLUMN_kind] = made->batch.present[POLY_COLUMN_synthetic] =
		made->all;
	made->batch.present[POLY_COLUMN_pc] = made->some[0];
	made->batch.present[POLY_COLUMN_branch] = made->some[1];
	made->batch.present[POLY_COLUMN_uop_index] = made->some[2];
	made->batch.present[POLY_COLUMN_opcode_size] = made->some[3];
	made->rows = (struct analysis_rows){
		.batch = &made->batch, .counts = true, .context = made->context};
}

/* The state of a context by the definition, row by row. */
struct known {
	bool open;
	uint64_t pc, size;
};

static void
list_row(struct listing *listing, struct known *known, const struct random_row *row)
{
	const bool part = row->has_uop && row->uop > 1;
	if (row->kind != POLY_KIND_INSTRUCTION || part || row->synthetic) {
		if (row->has_uop && row->has_branch)
			known->open = false;
		return;
	}
	const uint64_t gap = row->pc - known->pc;
	const bool same = known->open && (known->size ? gap == known->size : gap <= 16);
	listing->text[listing->length++] = row->has_pc && !same ? 'b' : 'i';
	*known = (struct known){
		row->has_pc && !row->has_branch, row->pc, row->has_size ? row->size : 0};
}

/* Chains of rows and their execution order. */
struct made_order {
	uint32_t next[DISTINCT], first[CHAINS], length[CHAINS], executed[EXECUTED];
	struct poly_chain_graph order;
};

static void
make_order(struct made_order *made)
{
	for (uint32_t i = 0; i < DISTINCT; i++)
		made->next[i] = random_below(5) ? random_below(DISTINCT) : CHAIN_NONE;
	made->order = (struct poly_chain_graph){.rows = DISTINCT,
		.next = made->next,
		.chains = CHAINS,
		.first = made->first,
		.length = made->length,
		.executed = made->executed};
	for (uint32_t i = 0; i < CHAINS; i++) {
		made->first[i] = random_below(DISTINCT);
		made->length[i] = 0;
		for (uint32_t row = made->first[i]; row != CHAIN_NONE; row = made->next[row]) {
			if (made->length[i]++ == CHAIN_MAX)
				break;
		}
	}
	for (uint32_t i = 0; i < EXECUTED; i++) {
		made->executed[i] = random_below(CHAINS);
		made->order.records += made->length[made->executed[i]];
	}
	/* The last one is truncated. */
	made->order.records -= random_below(made->length[made->executed[EXECUTED - 1]]);
}

/* Lists the records of an order, and returns their number. */
static size_t
expand(const struct made_order *made, const struct random_row *rows, struct random_row *to)
{
	struct chain_walk walk = {&made->order, 0, made->order.records};
	uint32_t chain, records;
	size_t n = 0;
	while (chain_next(&walk, &chain, &records)) {
		uint32_t row = made->order.first[chain];
		for (; records; records--, row = made->order.next[row])
			to[n++] = rows[row];
	}
	return n;
}

static void
weighted_rows_have_the_blocks_of_single_records(void **state)
{
	static struct random_row rows[DISTINCT], records[EXECUTED * (CHAIN_MAX + 1)];
	static struct made_batch batch;
	static struct made_order order;
	static struct basic_blocks plain, counted;
	(void)state;
	for (unsigned round = 0; round < 200; round++) {
		struct known known[3] = {{0}};
		basic_blocks_begin(&plain);
		basic_blocks_begin(&counted);
		/* The beginning of the second interval depends on the first. */
		for (unsigned interval = 0; interval < 2; interval++) {
			struct listing expected = {{0}, 0}, found = {{0}, 0}, other = {{0}, 0};
			for (size_t i = 0; i < DISTINCT; i++)
				rows[i] = make_row();
			make_order(&order);
			const size_t n = expand(&order, rows, records);
			for (size_t i = 0; i < n; i++)
				list_row(&expected, &known[records[i].context], &records[i]);
			make_batch(&batch, records, n);
			assert_true(basic_blocks_update(
				&plain, &batch.rows, list_fragment, &other));
			make_batch(&batch, rows, DISTINCT / 3);
			assert_true(basic_blocks_update_weighted(
				&counted, &batch.rows, list_fragment, &found));
			assert_int_equal(found.length, 0);
			make_batch(&batch, rows + DISTINCT / 3, DISTINCT - DISTINCT / 3);
			const struct poly_batch_internal internal = {.order = &order.order};
			batch.batch.internal = &internal;
			assert_true(basic_blocks_update_weighted(
				&counted, &batch.rows, list_fragment, &found));
			assert_string_equal(other.text, expected.text);
			assert_string_equal(found.text, expected.text);
		}
	}
	basic_blocks_fini(&plain);
	basic_blocks_fini(&counted);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_block_ends_at_a_branch_even_if_it_is_not_taken),
		cmocka_unit_test(a_block_ends_before_a_discontinuity),
		cmocka_unit_test(without_sizes_up_to_sixteen_bytes_are_sequential),
		cmocka_unit_test(each_thread_has_its_own_blocks),
		cmocka_unit_test(micro_operations_and_synthetic_rows_do_not_count),
		cmocka_unit_test(an_instruction_without_an_address_is_outside_of_blocks),
		cmocka_unit_test(weighted_rows_have_the_blocks_of_single_records),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
