/* SPDX-License-Identifier: MIT */
/*
 * Reading of TT6 and TT6E: known counts (Apple amber traces 7.2), and rule by rule on the
 * smallest inputs.
 */
#include "tt6_help.h"

/* One reading of Apple amber traces 7.2. */
struct reading_case {
	const char *name, *format;
	uint64_t instructions, wrong, conflicts, synthetic;
	uint64_t compute, memory, flow, extended; /* all 0: not stated */
};

static void
assert_reading(const struct reading_case *expected)
{
	struct buf bytes = {0};
	struct outcome outcome;
	load(expected->name, &bytes);
	struct poly_read_options options = options_for(expected->format);
	read_all(&bytes, &options, &outcome);
	assert_int_equal(outcome.instructions, expected->instructions);
	assert_int_equal(outcome.found[TT6_A05] + outcome.found[TT6_A06], expected->wrong);
	assert_int_equal(outcome.found[TT6_A08], expected->conflicts);
	assert_int_equal(outcome.synthetic, expected->synthetic);
	if (expected->flow) {
		assert_int_equal(outcome.by_record[TT6_IS_COMPUTE], expected->compute);
		assert_int_equal(outcome.by_record[TT6_IS_MEMORY], expected->memory);
		assert_int_equal(outcome.by_record[TT6_IS_FLOW], expected->flow);
		assert_int_equal(outcome.by_record[TT6_IS_EXTENDED], expected->extended);
	}
	buf_free(&bytes);
}

static void
traces_have_the_known_counts(void **state)
{
	/* Of the right reading of thread_001.tt6e the synthetic branch is exempt. */
	static const struct reading_case cases[] = {
		{"amber/thread_001.tt6", "tt6", 90, 0, 0, 0, 44, 30, 13, 3},
		{"amber/thread_001.tt6e", "tt6e", 92, 0, 0, 2, 39, 35, 15, 3},
		{"amber/thread_001.tt6", "tt6e", 87, 1, 0, 0, 0, 0, 0, 0},
		{"amber/thread_001.tt6e", "tt6", 97, 0, 6, 0, 0, 0, 0, 0},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_reading(&cases[i]);
}

static void
long_traces_have_the_known_counts(void **state)
{
	static const struct reading_case cases[] = {
		{"amber/memset_thread_001.tt6", "tt6", 30233, 0, 0, 0, 16536, 6357, 7340, 0},
		{"amber/memset_thread_001.tt6e", "tt6e", 30233, 0, 0, 0, 15003, 7890, 7340, 0},
		{"amber/memset_thread_001.tt6", "tt6e", 29273, 387, 6, 0, 0, 0, 0, 0},
		{"amber/memset_thread_001.tt6e", "tt6", 31766, 387, 1554, 0, 0, 0, 0, 0},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_reading(&cases[i]);
}

/* The smallest input that breaks a rule: words, how many, the rule and how often. */
struct rule_case {
	enum tt6_rule rule;
	const char *format, *option;
	uint32_t words[10];
	size_t count;
	uint64_t times;
};

static const struct rule_case rule_cases[] = {
	{TT6_A03, "tt6", NULL, {0x1002, NOP}, 2, 1},
	{TT6_A04, "tt6", NULL, {0x1000, BLR, 0x2002}, 3, 1},
	{TT6_A05, "tt6", NULL, {0x1000, 0x48000010, 0x1014}, 3, 1},
	{TT6_A05, "tt6", NULL, {0x1000, 0x48000010, 0x1010}, 3, 0},
	{TT6_A05, "tt6", NULL, {0x1000, 0x48000102, 0x100}, 3, 0},
	{TT6_A05, "tt6", NULL, {0x1000, TT6_SPLICE, 0x9000, NOP}, 4, 0},
	{TT6_A05, "tt6", "amber.splice=0", {0x1000, TT6_SPLICE, 0x9000, NOP}, 4, 1},
	{TT6_A06, "tt6", NULL, {0x1000, 0x41820010, 0x1008}, 3, 1},
	{TT6_A06, "tt6", NULL, {0x1000, 0x41820010, 0x1010}, 3, 0},
	{TT6_A06, "tt6", NULL, {0x1000, 0x41820010, 0x1004}, 3, 0},
	{TT6_A07, "tt6", NULL, {0x1000, SC, 0x100c}, 3, 1},
	{TT6_A07, "tt6", NULL, {0x1000, SC, 0x1008}, 3, 0},
	{TT6_A08, "tt6", NULL, {0x1000, NOP, 0x4bfffffc, 0x1000, 0x38000000}, 5, 1},
	{TT6_A08, "tt6", NULL, {0x1000, NOP, 0x4bfffffc, 0x1000, NOP}, 5, 0},
	{TT6_A09, "tt6", NULL, {0x1000, 0x00060001, 7, NOP}, 4, 1},
	{TT6_A09, "tt6", NULL, {0x1000, 0x00400000, NOP}, 3, 1},
	{TT6_A10, "tt6", NULL, {0x1000, 0x00200001, 7, NOP}, 4, 1},
	{TT6_A11, "tt6", NULL, {0x1000, 0x003f0001, 7, NOP}, 4, 1},
	{TT6_A12, "tt6", NULL, {0x1000, 0, NOP}, 3, 1},
	{TT6_A12, "tt6", "amber.zero=opcode", {0x1000, 0, NOP}, 3, 0},
	{TT6_A13, "tt6", NULL, {0x1000, NOP, 0x00010001, 0x2000}, 4, 1},
	{TT6_A13, "tt6", NULL, {0x1000, 0x00040001, 8, 0x00040001, 8, NOP}, 6, 1},
	{TT6_A13, "tt6", NULL, {0x1000, 0x00040001, 8, 0x00050001, 8, NOP}, 6, 0},
	{TT6_A14, "tt6", NULL, {0x1000, 0x00010001, 0x2004, LWZ, 0x2000}, 5, 1},
	{TT6_A14, "tt6", NULL, {0x1000, 0x00010001, 0x2000, LWZ, 0x2000}, 5, 0},
	{TT6_A15, "tt6", NULL, {0x1000, LXVD2X, LXVD2X}, 3, 1},
	{TT6_A16, "tt6e", NULL, {0x1000, TWI, NOP}, 3, 1},
	{TT6_A16, "tt6e", NULL, {0x1000, TWI}, 2, 1},
	{TT6_A16, "tt6e", NULL, {0x1000, NOP, 0x48000702, 0x700, TT6_RFI, 0x1004}, 6, 1},
	{TT6_A16, "tt6e", NULL, {0x1000, TWI, 0x48000702, 0x700, TT6_RFI, 0x1004}, 6, 0},
	{TT6_A16, "tt6", NULL, {0x1000, TWI, NOP}, 3, 0},
	{TT6_A20, "tt6e", NULL, {0x1000, TWI, 0x48000702, 0x700, TT6_RFI, 0x2004}, 6, 1},
	{TT6_A20, "tt6e", NULL, {0x1000, TWI, 0x48000702, 0x700, TT6_RFI, 0x1004}, 6, 0},
	{TT6_A17, "tt6", NULL, {0x1000, 0xe8000003, 0x2000}, 3, 1},
	{TT6_A17, "tt6", NULL, {0x1000, 0xf8000003, 0x2000}, 3, 1},
	{TT6_A17, "tt6", NULL, {0x1000, 0xe8000002, 0x2000}, 3, 0},
	{TT6_A18, "tt6", NULL, {0x1000, LSWX, 0x2000, 0x80000007}, 4, 1},
	{TT6_A18, "tt6", NULL, {0x1000, LSWX, 0x2000, 127}, 4, 0},
	{TT6_A19, "tt6", NULL, {0x1000, 0x200002, 64, 1, 0x210002, 64, 1}, 7, 1},
	{TT6_A19, "tt6", NULL, {0x1000, 0x200002, 64, 2, 0x200002, 64, 1}, 7, 1},
	{TT6_A19, "tt6", NULL, {0x1000, 0x200002, 64, 2, 0x300002, 64, 1}, 7, 1},
	{TT6_A19, "tt6", NULL, {0x1000, 0x200002, 64, 1, 0x200002, 68, 1}, 7, 0},
	{TT6_A24, "tt6e", NULL, {0x1000, NOP}, 2, 1},
	{TT6_A24, "tt6e", NULL, {0x1000, DCBZ, 0x2000}, 3, 0},
};

/* Findings that a case may have beside its own. */
static bool
may_be_found(const struct rule_case *rule_case, enum tt6_rule rule)
{
	return rule == rule_case->rule || rule == TT6_A24 ||
	       (rule_case->rule == TT6_A24 && rule == TT6_A16);
}

static void
every_rule_has_a_smallest_input(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rule_cases / sizeof *rule_cases; i++) {
		const struct rule_case *rule_case = &rule_cases[i];
		const char *words[] = {"amber.endian=be", rule_case->option, NULL};
		struct buf bytes = {0};
		struct outcome outcome;
		put_words(&bytes, rule_case->words, rule_case->count);
		struct poly_read_options options = options_for(rule_case->format);
		options.options = words;
		read_all(&bytes, &options, &outcome);
		if (outcome.found[rule_case->rule] != rule_case->times)
			fail_msg("case %zu: found %llu times", i,
				(unsigned long long)outcome.found[rule_case->rule]);
		for (unsigned rule = 0; rule <= TT6_A24; rule++) {
			if (outcome.found[rule] && !may_be_found(rule_case, rule))
				fail_msg("case %zu: rule %u is broken too: %s", i, rule,
					outcome.message[rule]);
		}
		buf_free(&bytes);
	}
}

static void
a_context_escape_of_65_words_is_too_long(void **state)
{
	(void)state;
	uint32_t words[70] = {0x1000, 0x00000041};
	struct buf bytes = {0};
	struct outcome outcome;
	struct poly_read_options options = options_for("tt6");
	put_words(&bytes, words, 2 + 65);
	read_all(&bytes, &options, &outcome);
	assert_int_equal(outcome.found[TT6_A10], 1);
	assert_int_equal(outcome.by_record[TT6_IS_SEGMENT], 1);
	buf_free(&bytes);
}

static void
truncated_files_preserve_their_tail(void **state)
{
	static const struct {
		size_t size, records, a01, a02;
	} cases[] = {{0, 0, 0, 0}, {3, 1, 1, 0}, {4, 1, 0, 0}, {5, 2, 1, 0}, {8, 2, 0, 1},
		{10, 2, 1, 1}, {12, 2, 0, 0}, {16, 3, 0, 1}, {20, 3, 0, 1}, {24, 3, 0, 0}};
	static const uint32_t words[] = {0x1000, LWZ, 0x2000, LSWX, 0x2000, 7};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf bytes = {0};
		struct outcome outcome;
		put_words(&bytes, words, 6);
		bytes.size = cases[i].size;
		struct conversion conversion = {.read = options_for("tt6"), .to = "tt6"};
		read_all(&bytes, &conversion.read, &outcome);
		assert_int_equal(outcome.status,
			cases[i].a01 || cases[i].a02 ? POLY_ERR_TRUNCATED : POLY_END);
		assert_int_equal(outcome.records, cases[i].records);
		assert_int_equal(outcome.found[TT6_A01], cases[i].a01);
		assert_int_equal(outcome.found[TT6_A02], cases[i].a02);
		assert_int_equal(run_conversion(&conversion, &bytes), POLY_OK);
		assert_bytes(&conversion.out, bytes.data, bytes.size);
		buf_free(&conversion.out);
		buf_free(&bytes);
	}
}

/* Expects the bytes of the file from a record on, without the rest of a synthetic pair whose
 * twi precedes, and with the initial PC that they need. */
static void
assert_cut(const struct buf *bytes, const char *format, size_t skipped)
{
	struct poly_read_options options = options_for(format);
	struct conversion conversion = {
		.read = options_for(format), .to = format, .skip = skipped};
	struct poly_reader *reader = open_memory(bytes, &options);
	const struct poly_batch *batch;
	assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
	assert_true(skipped < batch->rows);
	while (skipped + 1 < batch->rows && poly_present(batch, POLY_COLUMN_synthetic, skipped))
		skipped++;
	size_t origin = (size_t)batch->origin[skipped], first = skipped;
	while (first < batch->rows && batch->kind[first] != POLY_KIND_INSTRUCTION)
		first++;
	uint32_t pc = first < batch->rows ? (uint32_t)batch->pc[first] : 0;
	poly_reader_close(reader);
	assert_int_equal(run_conversion(&conversion, bytes), POLY_OK);
	assert_int_equal(conversion.out.size, 4 + bytes->size - origin);
	assert_int_equal(load_be32(conversion.out.data), pc);
	assert_memory_equal(
		conversion.out.data + 4, bytes->data + origin, bytes->size - origin);
	buf_free(&conversion.out);
}

static void
a_trace_can_be_split_before_any_record(void **state)
{
	static const char *const cases[][2] = {{"tt6/isamix.tt6", "tt6"},
		{"tt6/isamix.tt6e", "tt6e"}, {"amber/thread_001.tt6e", "tt6e"},
		{"amber/sync.tt6", "tt6"}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf bytes = {0};
		struct outcome outcome;
		load(cases[i][0], &bytes);
		struct poly_read_options options = options_for(cases[i][1]);
		read_all(&bytes, &options, &outcome);
		for (size_t skipped = 1; skipped < outcome.records; skipped += 1 + skipped / 40)
			assert_cut(&bytes, cases[i][1], skipped);
		buf_free(&bytes);
	}
}

static void
escapes_are_written_as_they_were(void **state)
{
	/* Every code with 0 to 3 words, a high word of 0 included; a null escape; a large one.
	 */
	(void)state;
	struct buf bytes = {0};
	uint32_t words[] = {0x1000, 0x00000000, 0x00070003, 0, 0, 5, NOP};
	put_words(&bytes, words, 7);
	for (uint32_t code = 0; code < 0x42; code++) {
		for (uint32_t count = 0; count < 4; count++) {
			uint32_t escape[] = {code << 16 | count, code % 2 ? 0 : 9, code, 3};
			put_words(&bytes, escape, 1 + count);
		}
	}
	put_words(&bytes, words + 6, 1);
	for (size_t little = 0; little < 2; little++) {
		const char *order[] = {little ? "amber.endian=le" : "amber.endian=be", NULL};
		struct conversion conversion = {.read = options_for("tt6e"), .to = "tt6e"};
		conversion.read.options = order;
		for (size_t i = 0; little && i < bytes.size; i += 4)
			store_le32(bytes.data + i, load_be32(bytes.data + i));
		assert_int_equal(run_conversion(&conversion, &bytes), POLY_OK);
		assert_bytes(&conversion.out, bytes.data, bytes.size);
		buf_free(&conversion.out);
	}
	buf_free(&bytes);
}

static void
address_escapes_describe_the_next_instruction(void **state)
{
	static const uint32_t words[] = {0x1000, 0x00010001, 0x2000, 0x00050002, 1, 0x5000,
		0x00030001, 0x6000, 0x00200002, 64, 1, DCBZ, NOP};
	(void)state;
	for (size_t rows = 1; rows < 8; rows++) {
		struct buf bytes = {0};
		const struct poly_batch *batch;
		put_words(&bytes, words, 13);
		struct poly_read_options options = options_for("tt6");
		options.batch_rows = rows;
		struct poly_reader *reader = open_memory(&bytes, &options);
		while (poly_reader_next(reader, &batch, NULL) == POLY_OK &&
			batch->first + batch->rows <= 5)
			;
		size_t row = (size_t)(5 - batch->first);
		assert_int_equal(batch->opcode[row], DCBZ);
		assert_true(poly_present(batch, POLY_COLUMN_address, row));
		assert_int_equal(batch->address[row], 0x2000);
		assert_int_equal(batch->access[row], POLY_ACCESS_WRITE);
		assert_true(poly_present(batch, POLY_COLUMN_access, row));
		assert_int_equal(batch->real_pc[row], 0x100005000);
		assert_true(poly_present(batch, POLY_COLUMN_real_target, row));
		assert_int_equal(batch->real_target[row], 0x6000);
		assert_false(poly_present(batch, POLY_COLUMN_real_address, row));
		if (row + 1 < batch->rows || poly_reader_next(reader, &batch, NULL) == POLY_OK)
			row = (size_t)(6 - batch->first);
		assert_int_equal(batch->opcode[row], NOP);
		assert_false(poly_present(batch, POLY_COLUMN_address, row));
		assert_false(poly_present(batch, POLY_COLUMN_real_pc, row));
		poly_reader_close(reader);
		buf_free(&bytes);
	}
}

static void
branches_are_derived(void **state)
{
	static const uint32_t words[] = {0x1000, 0x41820010, 0x1010, 0x41820010, 0x1014,
		0x48000000, 0x1014, 0x4d820020, 0x1018, 0x4d820020, 0x3000, BLR, 0x4000, SC,
		0x4004, 0x41820004, 0x4008};
	/* branch taken (1), not (0), not known (2); target, 0: none; fallthrough, 0: none */
	static const uint32_t expected[][3] = {{1, 0x1010, 0x1004}, {0, 0x1020, 0x1014},
		{1, 0x1014, 0}, {0, 0, 0x1018}, {1, 0x3000, 0x101c}, {1, 0x4000, 0}, {2, 0, 0},
		{2, 0x4008, 0x4008}};
	(void)state;
	struct buf bytes = {0};
	const struct poly_batch *batch;
	put_words(&bytes, words, sizeof words / sizeof *words);
	struct poly_read_options options = options_for("tt6");
	struct poly_reader *reader = open_memory(&bytes, &options);
	assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
	assert_int_equal(batch->rows, 9);
	for (size_t i = 0; i < 8; i++) {
		size_t row = i + 1;
		assert_int_equal(
			poly_present(batch, POLY_COLUMN_branch, row), expected[i][0] != 2);
		if (expected[i][0] != 2)
			assert_int_equal(batch->branch[row], expected[i][0]);
		assert_int_equal(
			poly_present(batch, POLY_COLUMN_target, row), expected[i][1] != 0);
		if (expected[i][1])
			assert_int_equal(batch->target[row], expected[i][1]);
		assert_int_equal(
			poly_present(batch, POLY_COLUMN_fallthrough, row), expected[i][2] != 0);
		if (expected[i][2])
			assert_int_equal(batch->fallthrough[row], expected[i][2]);
	}
	poly_reader_close(reader);
	buf_free(&bytes);
}

static void
a_plain_count_is_the_size_if_the_option_is_set(void **state)
{
	static const uint32_t words[] = {0x1000, LSWX, 0x2000, 0x183};
	static const char *const plain[] = {"amber.third=count", NULL};
	(void)state;
	struct buf bytes = {0};
	const struct poly_batch *batch;
	put_words(&bytes, words, 4);
	for (size_t i = 0; i < 2; i++) {
		struct poly_read_options options = options_for("tt6");
		options.options = i ? plain : NULL;
		struct poly_reader *reader = open_memory(&bytes, &options);
		assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
		assert_int_equal(batch->size[1], i ? 0x183 : 3);
		poly_reader_close(reader);
	}
	buf_free(&bytes);
}

static void
strict_reading_stops_after_the_first_warning(void **state)
{
	static const uint32_t words[] = {0x1000, NOP, 0x48000010, 0x1018, NOP, NOP};
	struct buf bytes = {0};
	const struct poly_batch *batch;
	struct poly_error error;
	(void)state;
	put_words(&bytes, words, 6);
	struct poly_read_options options = options_for("tt6");
	options.strict = true;
	struct poly_reader *reader = open_memory(&bytes, &options);
	assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_OK);
	assert_int_equal(batch->rows, 3);
	assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_ERR_FORMAT);
	assert_int_equal(error.record, 3);
	assert_int_equal(error.offset, 8);
	assert_non_null(strstr(error.message, "A05"));
	poly_reader_close(reader);
	buf_free(&bytes);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(traces_have_the_known_counts),
		cmocka_unit_test(long_traces_have_the_known_counts),
		cmocka_unit_test(every_rule_has_a_smallest_input),
		cmocka_unit_test(a_context_escape_of_65_words_is_too_long),
		cmocka_unit_test(truncated_files_preserve_their_tail),
		cmocka_unit_test(a_trace_can_be_split_before_any_record),
		cmocka_unit_test(escapes_are_written_as_they_were),
		cmocka_unit_test(address_escapes_describe_the_next_instruction),
		cmocka_unit_test(branches_are_derived),
		cmocka_unit_test(a_plain_count_is_the_size_if_the_option_is_set),
		cmocka_unit_test(strict_reading_stops_after_the_first_warning),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
