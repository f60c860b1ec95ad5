/* SPDX-License-Identifier: MIT */
/*
 * FULL traces against the listings of real executions: every register of every record, in every
 * layout and byte order.
 */
#include "full_help.h"

static void
assert_state(const struct poly_powerpc_state *state, const struct listed *s)
{
	assert_int_equal(state->pc, s->pc);
	assert_int_equal(state->msr, s->msr);
	assert_int_equal(state->cr, s->cr);
	assert_int_equal(state->xer, s->xer);
	assert_int_equal(state->lr, s->lr);
	assert_int_equal(state->ctr, s->ctr);
	assert_int_equal(state->mq, s->mq);
	assert_int_equal(state->vrsave, s->vrsave);
	assert_int_equal(state->fpscr, s->fpscr);
	assert_int_equal(state->vscr, s->vscr);
	assert_int_equal(state->vrvalid, s->vrvalid);
	for (unsigned i = 0; i < 32; i++) {
		assert_int_equal(state->gpr[i], s->r[i]);
		assert_int_equal(state->fpr[i], s->f[i]);
		for (unsigned b = 0; b < 16; b++)
			assert_int_equal(
				state->vr[i][b], s->vr[i][b / 4] >> (24 - 8 * (b % 4)) & 0xff);
	}
}

/* A row against the listing, i being its record from 0. */
static void
assert_row(const struct poly_batch *batch, size_t row, const struct listed *list, size_t i)
{
	struct poly_powerpc_state state;
	struct poly_error error;
	bool post = poly_present(batch, POLY_COLUMN_next_pc, row), known = !post || i > 0;
	assert_int_equal(batch->kind[row], POLY_KIND_INSTRUCTION);
	assert_int_equal(batch->opcode[row], list[i].op);
	assert_int_equal(poly_powerpc_state_decode(batch, row, &state, &error), POLY_OK);
	assert_state(&state, &list[i + post]);
	assert_int_equal(poly_present(batch, POLY_COLUMN_pc, row), known);
	assert_int_equal(
		poly_present(batch, POLY_COLUMN_address, row), known && list[i].has_ea);
	assert_int_equal(poly_present(batch, POLY_COLUMN_value, row), known && list[i].has_ext);
	if (known)
		assert_int_equal(batch->pc[row], list[i].pc);
	if (post)
		assert_int_equal(batch->next_pc[row], list[i + 1].pc);
	if (known && list[i].has_ea)
		assert_int_equal(batch->address[row], list[i].ea);
	if (known && list[i].has_ext)
		assert_int_equal(batch->value[row], list[i].ext);
	if (poly_present(batch, POLY_COLUMN_branch, row)) {
		uint64_t next = batch->branch[row] == POLY_BRANCH_TAKEN
					? batch->target[row]
					: batch->fallthrough[row];
		assert_true(i + 1 == RECORDS || next == list[i + 1].pc);
	}
}

/* Reads the whole of a trace and compares it with the listing. */
static void
assert_trace(struct poly_reader *reader, const struct listed *list, size_t count)
{
	const struct poly_batch *batch;
	struct poly_error error;
	size_t i = 0;
	while (poly_reader_next(reader, &batch, &error) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++, i++) {
			assert_true(i < count);
			assert_row(batch, row, list, i);
		}
	}
	assert_int_equal(i, count);
}

/* Reads the whole of a trace of states before the instruction; registers only. */
static void
assert_states(struct poly_reader *reader, const struct listed *list, size_t count)
{
	struct poly_powerpc_state state;
	const struct poly_batch *batch;
	size_t i = 0;
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++, i++) {
			assert_true(i < count);
			assert_int_equal(batch->opcode[row], list[i].op);
			assert_int_equal(
				poly_powerpc_state_decode(batch, row, &state, NULL), POLY_OK);
			assert_state(&state, &list[i]);
		}
	}
	assert_int_equal(i, count);
}

static void
every_register_equals_the_listing(void **unused)
{
	(void)unused;
	static const char *const names[] = {"altivec", "isamix", "sort"};
	const struct shape shape = {1004, false, false};
	for (size_t n = 0; n < 3; n++) {
		char path[40];
		snprintf(path, sizeof path, "%s.full.gz", names[n]);
		struct listed *list = load_states(names[n]);
		struct buf file = slurp(path), packed = pack(&shape, list, RECORDS);
		assert_int_equal(file.size, packed.size);
		assert_memory_equal(file.data, packed.data, file.size);
		struct poly_reader *reader = open_trace(&file, NULL, false, false);
		assert_fact(reader, "amber.record", "1004");
		assert_int_equal(poly_reader_info(reader)->first_pc, list[0].pc);
		assert_states(reader, list, RECORDS);
		poly_reader_close(reader);
		buf_free(&file);
		buf_free(&packed);
		free(list);
	}
}

static void
try_shape(const struct shape *shape, const struct listed *list)
{
	char size[8];
	size_t count = RECORDS - 1;
	struct buf bytes = pack(shape, list, count);
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.batch_rows = 100;
	struct poly_reader *reader = open_memory(&bytes, &options);
	snprintf(size, sizeof size, "%u", shape->size);
	assert_string_equal(poly_reader_format(reader)->name, "full");
	assert_fact(reader, "amber.record", size);
	assert_fact(reader, "amber.endian", shape->little ? "le" : "be");
	assert_fact(reader, "amber.state", shape->post ? "post" : "pre");
	assert_trace(reader, list, count);
	poly_reader_close(reader);
	assert_rewritten(&bytes, NULL, false);
	buf_free(&bytes);
}

static void
every_layout_order_and_state_is_detected_and_read(void **unused)
{
	(void)unused;
	static const char *const names[] = {"altivec", "isamix", "sort"};
	for (size_t n = 0; n < 3; n++) {
		struct listed *list = load_states(names[n]);
		load_addresses(names[n], list);
		for (unsigned i = 0; i < 20; i++) {
			struct shape shape = {sizes[i % 5], i / 5 % 2, i / 10};
			try_shape(&shape, list);
		}
		free(list);
	}
}

static void
a_single_record_is_known_by_its_length(void **unused)
{
	(void)unused;
	struct listed *list = load_states("sort");
	for (unsigned i = 0; i < 5; i++) {
		struct shape shape = {sizes[i], false, false};
		char size[8];
		struct buf bytes = pack(&shape, list, 1);
		struct poly_reader *reader = open_trace(&bytes, NULL, false, false);
		snprintf(size, sizeof size, "%u", sizes[i]);
		assert_fact(reader, "amber.record", size);
		assert_trace(reader, list, 1);
		poly_reader_close(reader);
		buf_free(&bytes);
	}
	free(list);
}

/*
 * Whole records first, then the bytes of the cut one. What is little more than one record may
 * be of several layouts: there the size is named.
 */
static void
try_cut(const struct buf *bytes, const struct shape *shape, const struct listed *list)
{
	const struct poly_batch *batch;
	size_t rows = 0, whole = bytes->size < 4 ? 0 : (bytes->size - 4) / shape->size;
	size_t tail = bytes->size < 4 ? bytes->size : (bytes->size - 4) % shape->size;
	char option[40];
	snprintf(option, sizeof option, "amber.record=%u", shape->size);
	const char *given = bytes->size < 1164 ? option : NULL;
	struct poly_reader *reader = open_trace(bytes, given, false, false);
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++, rows++) {
			bool cut = rows == whole;
			assert_int_equal(poly_present(batch, POLY_COLUMN_raw, row), cut);
			if (cut)
				assert_int_equal(batch->raw[row].length, tail);
			else
				assert_int_equal(batch->opcode[row], list[rows].op);
		}
	}
	assert_int_equal(rows, whole + (tail != 0));
	assert_int_equal(findings_of(reader, "F22"), tail != 0);
	poly_reader_close(reader);
	assert_rewritten(bytes, given, false);
}

/* Every place near the end of a record; elsewhere all of them, by all shapes together. */
static bool
is_cut(size_t n, size_t record, unsigned turn)
{
	size_t within = (n + record - 4) % record;
	return within < 8 || within >= record - 8 || n % 20 == turn;
}

static void
truncation_is_survived(void **unused)
{
	(void)unused;
	static const char *const names[] = {"altivec", "isamix", "sort"};
	for (unsigned i = 0; i < 20; i++) {
		struct listed *list = load_states(names[i % 3]);
		struct shape shape = {sizes[i % 5], i / 5 % 2, i / 10 % 2};
		struct buf bytes = pack(&shape, list + 11 * i, 3);
		for (size_t n = 0; n <= bytes.size; n++) {
			if (!is_cut(n, shape.size, i))
				continue;
			struct buf cut = {.data = malloc(n ? n : 1), .size = n};
			memcpy(cut.data, bytes.data, n);
			try_cut(&cut, &shape, list + 11 * i);
			free(cut.data);
		}
		buf_free(&bytes);
		free(list);
	}
}

/* Offsets in a record from the opcode word (Apple amber traces 4.7), by layout. */
static const unsigned float_at[] = {164, 168, 308, 312, 320},
		      vector_at[] = {428, 432, 572, 576, 584};

static void
corrupted_pads_are_found(void **unused)
{
	(void)unused;
	struct listed *list = load_states("sort");
	for (unsigned i = 0; i < 5; i++) {
		const unsigned pads[] = {156, float_at[i] + 256, float_at[i] + 259,
			vector_at[i] + 528, vector_at[i] + 543, vector_at[i] + 548,
			vector_at[i] + 575};
		for (unsigned pad = i < 2 ? 0 : 1; pad < 7; pad++) {
			struct shape shape = {sizes[i], pad % 2, false};
			struct buf bytes = pack(&shape, list, 20);
			bytes.data[4 + 5 * shape.size + pads[pad]] ^= 0x40;
			struct poly_reader *reader = open_trace(&bytes, NULL, true, false);
			assert_int_equal(findings_of(reader, "F21"), 1);
			assert_int_equal(findings_of(reader, "F23"), shape.little);
			poly_reader_close(reader);
			assert_rewritten(&bytes, NULL, false);
			buf_free(&bytes);
		}
	}
	free(list);
}

/* The magic precedes all records, whatever the batches are. */
static void
a_swapped_magic_is_an_error_before_the_first_record(void **unused)
{
	(void)unused;
	struct listed *list = load_states("sort");
	const struct shape shape = {1004, true, false};
	struct buf bytes = pack(&shape, list, 20);
	bytes.data[4 + 5 * shape.size + 156] ^= 0x40; /* a pad of record 6, in the first batch */
	for (size_t rows = 1; rows <= 20; rows += 19) {
		struct poly_read_options options = POLY_READ_OPTIONS_INIT;
		const struct poly_batch *batch;
		struct poly_reader *reader;
		struct poly_error error;
		options.strict = options.check = true;
		options.batch_rows = rows;
		assert_int_equal(poly_reader_open_memory(
					 bytes.data, bytes.size, &options, &reader, &error),
			POLY_OK);
		assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_ERR_FORMAT);
		assert_int_equal(error.record, 1);
		poly_reader_close(reader);
	}
	buf_free(&bytes);
	free(list);
}

static void
an_undecided_size_is_an_error(void **unused)
{
	(void)unused;
	struct listed *list = load_states("sort");
	const struct shape shape = {1008, false, false};
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	struct poly_error error;
	struct buf bytes = pack(&shape, list, 20);
	for (unsigned i = 0; i < 20; i++)
		bytes.data[4 + i * 1008 + 156] = 1; /* mq */
	assert_int_equal(
		poly_reader_open_memory(bytes.data, bytes.size, &options, &reader, &error),
		POLY_ERR_FORMAT);
	assert_non_null(strstr(error.message, "F20"));
	assert_non_null(strstr(error.message, "amber.record=1004"));
	reader = open_trace(&bytes, "amber.record=1008", true, false);
	assert_int_equal(findings_of(reader, "F21"), 20);
	poly_reader_close(reader);
	buf_free(&bytes);
	free(list);
}

static void
the_byte_order_can_be_set(void **unused)
{
	(void)unused;
	struct listed *list = load_states("altivec");
	const struct shape shape = {1152, true, false};
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	struct buf bytes = pack(&shape, list, 20);
	store_be32(bytes.data, 0xa1118e17);
	reader = open_trace(&bytes, "amber.endian=le", false, false);
	assert_states(reader, list, 20);
	poly_reader_close(reader);
	assert_rewritten(&bytes, "amber.endian=le", false);
	store_be32(bytes.data, 0xa1118e18);
	options.format = "full";
	assert_int_equal(
		poly_reader_open_memory(bytes.data, bytes.size, &options, &reader, NULL),
		POLY_ERR_FORMAT);
	buf_free(&bytes);
	free(list);
}

/* ---- corrupt data ---- */

static void
reading_resumes_after_corrupt_data(void **unused)
{
	(void)unused;
	struct listed *list = load_states("altivec");
	for (unsigned i = 0; i < 10; i++) {
		struct shape shape = {sizes[i % 5], i / 5, false};
		struct buf head = pack(&shape, list, 30), tail = pack(&shape, list + 30, 40);
		for (unsigned n = 0; n < 57 + i * 400; n++)
			buf_byte(&head, (uint8_t)(n * 37 + 3));
		buf_append(&head, tail.data + 4, tail.size - 4);
		const struct poly_batch *batch;
		struct poly_error error;
		struct poly_reader *reader = open_trace(&head, NULL, false, false);
		assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_OK);
		assert_int_equal(batch->rows, 30);
		assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_ERR_FORMAT);
		assert_int_equal(error.offset, 4 + 30 * shape.size);
		poly_reader_close(reader);
		reader = open_trace(&head, NULL, false, true);
		struct poly_reader_counts counts;
		while (poly_reader_next(reader, &batch, &error) == POLY_OK)
			;
		poly_reader_count(reader, &counts);
		assert_int_equal(counts.skipped_places, 1);
		assert_int_equal(counts.skipped_bytes, 57 + i * 400);
		assert_int_equal(counts.records, 71);
		poly_reader_close(reader);
		assert_rewritten(&head, NULL, true);
		buf_free(&head);
		buf_free(&tail);
	}
	free(list);
}

/* ---- derived from the state ---- */

/* One record of a layout with one instruction, read back; the batch is the reader's. */
static struct poly_reader *
read_one(struct buf *bytes, const struct listed *s, const struct poly_batch **batch)
{
	const struct shape shape = {1004, false, false};
	*bytes = pack(&shape, s, 1);
	struct poly_reader *reader = open_trace(bytes, NULL, false, false);
	assert_int_equal(poly_reader_next(reader, batch, NULL), POLY_OK);
	assert_int_equal((*batch)->rows, 1);
	return reader;
}

static void
branches_are_decided_by_the_registers(void **unused)
{
	(void)unused;
	static const struct {
		uint32_t op, cr, ctr;
		bool taken, conditional;
		uint32_t target;
	} cases[] = {
		{0x48000010, 0, 0, true, false, 0x1010},	  /* b */
		{0x4bfffff1, 0, 0, true, false, 0x0ff0},	  /* bl backwards */
		{0x48000402, 0, 0, true, false, 0x0400},	  /* ba */
		{0x4200fff8, 0, 1, false, true, 0x0ff8},	  /* bdnz, last time */
		{0x4200fff8, 0, 2, true, true, 0x0ff8},		  /* bdnz */
		{0x4200fff8, 0, 0, true, true, 0x0ff8},		  /* bdnz wraps */
		{0x42400008, 0, 1, true, true, 0x1008},		  /* bdz */
		{0x42400008, 0, 2, false, true, 0x1008},	  /* bdz */
		{0x41820010, 0x20000000, 9, true, true, 0x1010},  /* beq */
		{0x41820010, 0xd0000000, 9, false, true, 0x1010}, /* beq */
		{0x40820010, 0x20000000, 9, false, true, 0x1010}, /* bne */
		{0x419d0010, 0x00000400, 9, false, true, 0x1010}, /* bgt cr7, cr5 is not it */
		{0x419d0010, 0x00000004, 9, true, true, 0x1010},  /* bgt cr7 */
		{0x4e800020, 0, 0, true, false, 0x5008},	  /* blr */
		{0x4d820020, 0, 0, false, true, 0x5008},	  /* beqlr */
		{0x4e000020, 0, 3, true, true, 0x5008},		  /* bdnzlr */
		{0x4e800420, 0, 0x6007, true, false, 0x6004},	  /* bctr */
		{0x4c820421, 0, 0x6007, true, true, 0x6004},	  /* bnectrl */
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct listed s = {.op = cases[i].op,
			.pc = 0x1000,
			.msr = 0x4000,
			.lr = 0x500b,
			.cr = cases[i].cr,
			.ctr = cases[i].ctr};
		const struct poly_batch *batch;
		struct buf bytes;
		struct poly_reader *reader = read_one(&bytes, &s, &batch);
		assert_int_equal(batch->branch[0],
			cases[i].taken ? POLY_BRANCH_TAKEN : POLY_BRANCH_NOT_TAKEN);
		assert_int_equal(batch->target[0], cases[i].target);
		assert_int_equal(
			poly_present(batch, POLY_COLUMN_fallthrough, 0), cases[i].conditional);
		if (cases[i].conditional)
			assert_int_equal(batch->fallthrough[0], 0x1004);
		poly_reader_close(reader);
		buf_free(&bytes);
	}
}

static void
addresses_are_wide_in_64_bit_mode(void **unused)
{
	(void)unused;
	struct listed s = {.op = 0x80640008, .pc = 0x1000, .msr = 0x4000};
	const struct shape shape = {1148, false, false};
	for (unsigned wide = 0; wide < 2; wide++) {
		const struct poly_batch *batch;
		struct buf bytes = pack(&shape, &s, 1);
		store_be32(bytes.data + 8 + 8, wide << 31);		 /* MSR, SF */
		store_be32(bytes.data + 8 + 16 + 8 * 4, 5);		 /* r4, upper half */
		store_be32(bytes.data + 8 + 16 + 8 * 4 + 4, 0xfffffffc); /* lower half */
		struct poly_reader *reader = open_trace(&bytes, NULL, false, false);
		assert_int_equal(poly_reader_info(reader)->address_bits, wide ? 64 : 32);
		assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
		assert_int_equal(batch->address[0], wide ? 0x600000004 : 4);
		assert_int_equal(batch->size[0], 4);
		assert_int_equal(batch->access[0], POLY_ACCESS_READ);
		poly_reader_close(reader);
		buf_free(&bytes);
	}
}

static void
rules_of_the_flow_are_checked(void **unused)
{
	(void)unused;
	static const struct {
		const char *code;
		uint32_t op, next; /* of the second record of three, and the pc of the third */
		unsigned count;
	} cases[] = {
		{"F04", 0x4e800020, 0x2002, 1},
		{"F04", 0x4e800020, 0x2000, 0},
		{"F05", 0x48000010, 0x1018, 1},
		{"F05", 0x48000010, 0x1014, 0},
		{"F06", 0x41820010, 0x1018, 1},
		{"F06", 0x41820010, 0x1008, 0},
		{"F06", 0x41820010, 0x1014, 0},
		{"F07", 0x44000002, 0x1010, 1},
		{"F07", 0x44000002, 0x100c, 0},
		{"F08", 0x60000000, 0x1004, 1},
		{"F08", 0x60000000, 0x1008, 0},
		{"F17", 0xe8640003, 0x1008, 1},
		{"F17", 0xe8640002, 0x1008, 0},
		{"F15", 0x7c6428ae, 0x1008, 0},
		{"F15", 0x7c0004ac, 0x1008, 0},
		{"F15", 0x7c642a18, 0x1008, 1},
		{"F15", 0x7c642e98, 0x1008, 1},
	};
	const struct shape shape = {1004, false, false};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct listed list[3] = {{.op = 0x7c0802a6, .pc = 0x1000, .msr = 0x4000},
			{.op = cases[i].op, .pc = 0x1004, .msr = 0x4000},
			{.op = 0x7c0802a6, .pc = cases[i].next, .msr = 0x4000}};
		struct buf bytes = pack(&shape, list, 3);
		struct poly_reader *reader =
			open_trace(&bytes, "amber.record=1004", true, false);
		if (findings_of(reader, cases[i].code) != cases[i].count)
			fail_msg("%s of %08x", cases[i].code, cases[i].op);
		poly_reader_close(reader);
		buf_free(&bytes);
	}
	struct listed odd = {.op = 0x60000000, .pc = 0x1002, .msr = 0x4000};
	struct buf bytes = pack(&shape, &odd, 1);
	struct poly_reader *reader = open_trace(&bytes, NULL, true, false);
	assert_int_equal(findings_of(reader, "F03"), 1);
	poly_reader_close(reader);
	buf_free(&bytes);
}

static void
every_opcode_that_differs_from_the_first_of_its_pc_is_counted(void **unused)
{
	(void)unused;
	const struct shape shape = {1004, false, false};
	struct listed list[8];
	for (size_t i = 0; i < 8; i++) /* branches to themselves; the last three are others */
		list[i] = (struct listed){
			.op = i > 4 ? 0x48000001 : 0x48000000, .pc = 0x1000, .msr = 0x4000};
	struct buf bytes = pack(&shape, list, 8);
	struct poly_reader *reader = open_trace(&bytes, "amber.record=1004", true, false);
	assert_int_equal(findings_of(reader, "F08"), 3);
	poly_reader_close(reader);
	buf_free(&bytes);
}

static void
files_shorter_than_the_magic_are_invalid(void **unused)
{
	(void)unused;
	struct buf bytes = {0};
	for (size_t n = 0; n <= 4; n++) {
		struct poly_reader *reader = open_trace(&bytes, NULL, true, false);
		assert_int_equal(findings_of(reader, "F01"), n < 4);
		poly_reader_close(reader);
		buf_byte(&bytes, (uint8_t)(0xa1118e17 >> (24 - 8 * n % 32)));
	}
	buf_free(&bytes);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_register_equals_the_listing),
		cmocka_unit_test(every_layout_order_and_state_is_detected_and_read),
		cmocka_unit_test(a_single_record_is_known_by_its_length),
		cmocka_unit_test(truncation_is_survived),
		cmocka_unit_test(corrupted_pads_are_found),
		cmocka_unit_test(a_swapped_magic_is_an_error_before_the_first_record),
		cmocka_unit_test(an_undecided_size_is_an_error),
		cmocka_unit_test(the_byte_order_can_be_set),
		cmocka_unit_test(reading_resumes_after_corrupt_data),
		cmocka_unit_test(branches_are_decided_by_the_registers),
		cmocka_unit_test(addresses_are_wide_in_64_bit_mode),
		cmocka_unit_test(rules_of_the_flow_are_checked),
		cmocka_unit_test(every_opcode_that_differs_from_the_first_of_its_pc_is_counted),
		cmocka_unit_test(files_shorter_than_the_magic_are_invalid),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
