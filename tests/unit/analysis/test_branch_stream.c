/* SPDX-License-Identifier: MIT */
/* Tests branches and their outcomes with hand-written programs. */
#include "trace_help.h"

#include "analysis/facts/branch_stream.h"

#define HEADER                                                                \
	"{\"polytrace\":\"trace\",\"version\":1,\"format\":\"hand\","         \
	"\"columns\":[\"kind\",\"thread\",\"pc\",\"opcode\",\"opcode_size\"," \
	"\"executed\",\"text\"]}\n"

/* A line of JSON Lines: an instruction of four bytes. */
#define LINE(thread, pc, opcode, text, fields)                         \
	"{\"kind\":\"instruction\",\"thread\":" thread ",\"pc\":\"" pc \
	"\",\"opcode\":\"" opcode "\",\"opcode_size\":4" fields ",\"text\":\"" text "\"}\n"

struct fixture {
	struct static_ops ops;
	struct contexts contexts;
	struct branch_stream stream;
	struct buf found;
};

static struct fixture *
fixture_new(void)
{
	struct fixture *fixture = mem_new(1, sizeof *fixture);
	assert_true(branch_stream_init(&fixture->stream));
	return fixture;
}

static void
fixture_free(struct fixture *fixture)
{
	branch_stream_fini(&fixture->stream);
	contexts_fini(&fixture->contexts);
	static_ops_fini(&fixture->ops);
	buf_free(&fixture->found);
	mem_free(fixture);
}

/* "pc>target" of branches that were taken, "pc-" of others; P: of the second context. */
static void
list_branches(struct fixture *fixture)
{
	for (size_t i = 0; i < fixture->stream.count; i++) {
		const struct executed_branch *branch = &fixture->stream.list[i];
		buf_printf(&fixture->found, "%s%llx", branch->context ? "P" : "",
			(unsigned long long)branch->pc);
		if (branch->taken)
			buf_printf(
				&fixture->found, ">%llx", (unsigned long long)branch->target);
		buf_string(&fixture->found, branch->taken ? " " : "- ");
	}
}

static void
find(struct fixture *fixture, const char *text)
{
	uint32_t op[POLY_BATCH_ROWS], site[POLY_BATCH_ROWS];
	uint16_t context[POLY_BATCH_ROWS], sole_context = 0;
	bool mixed;
	struct buf bytes = bytes_of(text);
	struct poly_reader *reader = open_bytes(&bytes, "jsonl", NULL, false);
	const struct poly_batch *batch;
	struct poly_error error;
	static_ops_begin_trace(&fixture->ops, poly_reader_info(reader));
	contexts_begin_trace(&fixture->contexts, poly_reader_info(reader));
	branch_stream_begin_trace(&fixture->stream, poly_reader_info(reader));
	while (poly_reader_next(reader, &batch, &error) == POLY_OK) {
		assert_true(contexts_number_rows(
			&fixture->contexts, batch, context, &sole_context, &mixed));
		assert_true(static_ops_number_rows(&fixture->ops, batch,
			&(struct static_ops_rows){
				op, site, mixed ? context : NULL, sole_context}));
		branch_stream_update(
			&fixture->stream, &(struct analysis_rows){.batch = batch,
						  .counts = true,
						  .op = op,
						  .site = site,
						  .context = mixed ? context : NULL,
						  .sole_context = sole_context,
						  .ops = &fixture->ops});
		list_branches(fixture);
	}
	poly_reader_close(reader);
	buf_free(&bytes);
}

static void
expect(const char *text, const char *expected)
{
	struct fixture *fixture = fixture_new();
	find(fixture, text);
	assert_string_equal(buf_text(&fixture->found), expected);
	fixture_free(fixture);
}

static void
a_branch_is_resolved_by_its_contexts_next_instruction(void **state)
{
	(void)state;
	expect(HEADER LINE("1", "0x100", "0x0a000010", "beq #0x200", "")
			LINE("2", "0x900", "0x0a000010", "beq #0x940", "")
				LINE("1", "0x104", "0xea000010", "b #0x200", "")
					LINE("2", "0x940", "0xe1a00000", "nop", "")
						LINE("1", "0x200", "0xe1a00000", "nop", ""),
		"100- P900>940 104>200 ");
}

static void
a_branch_that_is_not_executed_is_not_taken(void **state)
{
	(void)state;
	expect(HEADER LINE("1", "0x100", "0x012fff1e", "bxeq lr", ",\"executed\":false")
			LINE("1", "0x104", "0x012fff1e", "bxeq lr", ",\"executed\":true")
				LINE("1", "0x108", "0xe1a00000", "nop", ""),
		"100- 104- ");
}

static void
an_unconditional_branch_to_the_next_instruction_is_taken(void **state)
{
	(void)state;
	expect(HEADER LINE("1", "0x100", "0xeaffffff", "b #0x104", "")
			LINE("1", "0x104", "0xe1a00000", "nop", ""),
		"100>104 ");
}

#define DELAYED                                                     \
	LINE("1", "0x100", "0x10430004", "beq $v0, $v1, 0x114", "") \
	LINE("1", "0x104", "0x00000000", "nop", "")                 \
	LINE("1", "0x114", "0x10430004", "beq $v0, $v1, 0x128", "") \
	LINE("1", "0x118", "0x00000000", "nop", "")                 \
	LINE("1", "0x11c", "0x03e00008", "jr $ra", "")              \
	LINE("1", "0x120", "0x00000000", "nop", "")

static void
a_delay_slot_precedes_the_destination(void **state)
{
	(void)state;
	expect(HEADER DELAYED LINE("1", "0x500", "0x00000000", "nop", ""),
		"100>114 114- 11c>500 ");
}

static void
a_likely_branch_that_falls_through_annuls_its_slot(void **state)
{
	(void)state;
	expect(HEADER LINE("1", "0x100", "0x50430004", "beql $v0, $v1, 0x114", "")
			LINE("1", "0x104", "0x00000000", "nop", "")
				LINE("1", "0x114", "0x50430004", "beql $v0, $v1, 0x128", "")
					LINE("1", "0x11c", "0x03e00008", "jr $ra", "") LINE(
						"1", "0x120", "0x00000000", "nop", "")
						LINE("1", "0x500", "0x00000000", "nop", ""),
		"100>114 114- 11c>500 ");
	/* The trace can have the slot all the same. */
	expect(HEADER LINE("1", "0x100", "0x50430004", "beql $v0, $v1, 0x114", "")
			LINE("1", "0x104", "0x00000000", "nop", ",\"executed\":false")
				LINE("1", "0x108", "0x00000000", "nop", ""),
		"100- ");
}

static void
a_pending_branch_is_resolved_in_the_next_part(void **state)
{
	const uint32_t ops[] = {0, 1, 2, 3}, sites[] = {0, 1, 2, 3, 4, 5, 6, 7};
	const uint16_t contexts[] = {0, 1};
	const struct analysis_numbers numbers = {
		.ops = ops, .sites = sites, .contexts = contexts, .continues = true};
	struct fixture *first = fixture_new(), *second = fixture_new();
	(void)state;
	find(first, HEADER LINE("1", "0x100", "0x10430004", "beq $v0, $v1, 0x114", ""));
	assert_string_equal(buf_text(&first->found), "");
	find(second, HEADER LINE("1", "0x104", "0x00000000", "nop", "")
			     LINE("1", "0x114", "0x00000000", "nop", ""));
	branch_stream_append(&first->stream, &second->stream, &numbers);
	list_branches(first);
	assert_string_equal(buf_text(&first->found), "100>114 ");
	fixture_free(first);
	fixture_free(second);
	first = fixture_new();
	second = fixture_new();
	find(first, HEADER LINE("1", "0x100", "0x50430004", "beql $v0, $v1, 0x114", ""));
	find(second, HEADER LINE("1", "0x108", "0x00000000", "nop", ""));
	branch_stream_append(&first->stream, &second->stream, &numbers);
	list_branches(first);
	assert_string_equal(buf_text(&first->found), "100- ");
	fixture_free(first);
	fixture_free(second);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_branch_is_resolved_by_its_contexts_next_instruction),
		cmocka_unit_test(a_branch_that_is_not_executed_is_not_taken),
		cmocka_unit_test(an_unconditional_branch_to_the_next_instruction_is_taken),
		cmocka_unit_test(a_delay_slot_precedes_the_destination),
		cmocka_unit_test(a_likely_branch_that_falls_through_annuls_its_slot),
		cmocka_unit_test(a_pending_branch_is_resolved_in_the_next_part),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
