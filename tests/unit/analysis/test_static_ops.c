/* SPDX-License-Identifier: MIT */
/* Tests operations and sites with hand-written instructions. */
#include "trace_help.h"

#include "analysis/core/analysis.h"
#include "analysis/facts/static_ops_facts.h"
#include "model/batch_internal.h"

/* The bits of a flow as letters: jumps, conditional, indirect, calls, returns, delayed,
 * annuls. */
static const char *
flow_text(unsigned flow, char text[8])
{
	size_t n = 0;
	for (unsigned i = 0; i < 7; i++) {
		if (flow >> i & 1)
			text[n++] = "jcilrda"[i];
	}
	text[n] = 0;
	return text;
}

static void
text_is_parsed(void **state)
{
	static const struct {
		const char *text;
		uint64_t encoding;
		unsigned size;
		const char *expected;
	} cases[] = {
		{"mov.w fp, #0", 0xf04f0b00, 4, "mov integer "},
		{"cmp r3, #1", 0x2b01, 2, "cmp integer "},
		{"strne r3, [r1]", 0x15813000, 4, "str store "},
		{"ldrhhs r3, [r1], #2", 0, 4, "ldrh load "},
		{"mls r0, r1, r2, r3", 0, 4, "mls integer "},
		{"teq r0, r1", 0, 4, "teq integer "},
		{"bics r0, r1", 0, 2, "bics integer "},
		{"lsls r0, r1, #2", 0, 2, "lsls integer "},
		{"bne.w #0x8010", 0, 4, "bne branch jc"},
		{"bls #0x8010", 0, 2, "bls branch jc"},
		{"bl #0x8040", 0, 4, "bl branch jl"},
		{"blx #0x8040", 0, 4, "blx branch jl"},
		{"blx r3", 0, 2, "blx branch jil"},
		{"bx lr", 0x4770, 2, "bx branch jir"},
		{"bxeq lr", 0x4770, 2, "bxeq branch jcir"},
		{"cbz r3, #0x8030", 0, 2, "cbz branch jc"},
		{"tbb [pc, r3]", 0, 4, "tbb branch ji"},
		{"pop {r4, pc}", 0xbd10, 2, "pop load jir"},
		{"popeq {r4, pc}", 0, 4, "pop load jcir"},
		{"pop {r4, r5}", 0xbc30, 2, "pop load "},
		{"ldr pc, [r3, r2, lsl #2]", 0, 4, "ldr load ji"},
		{"ldr r0, [pc, #8]", 0, 4, "ldr load "},
		{"str pc, [r3]", 0, 4, "str store "},
		{"mov pc, lr", 0, 4, "mov branch jir"},
		{"cmp pc, r1", 0, 4, "cmp integer "},
		{"svc #0", 0, 2, "svc system "},
		{"pld [r1]", 0, 4, "pld cache "},
		{"vld1.8 {d0}, [r1]", 0, 4, "vld1.8 load "},
		{"vadd.f64 d0, d1, d2", 0, 4, "vadd.f64 float "},
		{"vadd.i32 q0, q1, q2", 0, 4, "vadd.i32 vector "},
		{"B.NE 0x8010", 0, 4, "b.ne branch jc"},
		{"RET", 0xd65f03c0, 4, "ret branch jir"},
		{"STR x30,[sp,#-16]!", 0, 4, "str store "},
		{"FADD d0,d1,d2", 0, 4, "fadd float "},
		{"ADD v0.4s,v1.4s,v2.4s", 0, 4, "add vector "},
		{"BLR x3", 0, 4, "blr branch jil"},
		{"beq $v0, $v1, 0x400", 0x10430004, 4, "beq branch jcd"},
		{"beql $v0, $v1, 0x400", 0x50430004, 4, "beql branch jcda"},
		{"bnezl $v0, 0x400", 0x54400004, 4, "bnezl branch jcda"},
		{"bgezl $v0, 0x400", 0x04430004, 4, "bgezl branch jcda"},
		{"beql $v0, $v1, 0x400", 0x10430004, 4, "beql branch jc"},
		{"beq #0x400", 0x0a000003, 4, "beq branch jc"},
		{"b 0x400", 0x10000003, 4, "b branch jd"},
		{"b #0x400", 0xea000003, 4, "b branch j"},
		{"jr $ra", 0x03e00008, 4, "jr branch jird"},
		{"jalr $t9", 0x0320f809, 4, "jalr branch jild"},
		{"bal 0x400", 0x04110003, 4, "bal branch jld"},
		{"add.s $f0, $f1, $f2", 0, 4, "add.s float "},
		{"lw $v0, 3($v1)", 0, 4, "lw load "},
		{"sc $v0, 3($v1)", 0, 4, "sc store "},
		{"syscall", 0xc, 4, "syscall system "},
		{"jne 0x401000", 0, 2, "jne branch jc"},
		{"jmp rax", 0, 2, "jmp branch ji"},
		{"call 0x401000", 0, 5, "call branch jl"},
		{"ret", 0xc3, 1, "ret branch jir"},
		{"UNKNOWN", 0, 4, "unknown unknown "},
		{"", 0, 4, " unknown "},
		{".long 0x1", 1, 4, ".long unknown "},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct static_op op = {.size = (uint8_t)cases[i].size};
		char word[MNEMONIC_SIZE], flow[8], found[80];
		static_op_from_text(
			&op, cases[i].text, strlen(cases[i].text), cases[i].encoding, word);
		snprintf(found, sizeof found, "%s %s %s", word,
			op_class_name((enum op_class)op.class), flow_text(op.flow, flow));
		if (strcmp(found, cases[i].expected) != 0)
			fail_msg("%s: found '%s', expected '%s'", cases[i].text, found,
				cases[i].expected);
	}
}

static void
direct_branches_have_a_displacement(void **state)
{
	static const struct {
		const char *text;
		bool has_reach;
		int64_t reach;
	} cases[] = {
		{"bne #0x1ff0", true, -16},
		{"CBZ x0,0x2010", true, 16},
		{"B.EQ {pc}-0x10 ; 0x1ff0", true, -16},
		{"b {pc}+0x8", true, 8},
		{"bne 2010", false, 0},
		{"bx lr", false, 0},
		{"b 0x2010 <loop>", true, 16},
		{"bne 2010 <loop>", true, 16},
		{"bne $v0,$v1,1ff0 <f(int, char)+0x10>", true, -16},
		{"b.any 2010 <loop> // b.none", true, 16},
		{"b loop <loop>", false, 0},
		{"jmp *0x10(%rip) # 2010 <loop>", false, 0},
		{"b", false, 0},
		{"", false, 0},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int64_t reach = 0;
		const bool has_reach = static_op_reach_of_text(
			cases[i].text, strlen(cases[i].text), 0x2000, &reach);
		if (has_reach != cases[i].has_reach || reach != cases[i].reach)
			fail_msg("'%s': %d, %lld bytes", cases[i].text, has_reach,
				(long long)reach);
	}
}

static void
powerpc_is_decoded(void **state)
{
	static const struct {
		uint32_t opcode;
		const char *expected;
	} cases[] = {
		{0x38600001, "addi integer "},
		{0x80630000, "lwz load "},
		{0x90630000, "stw store "},
		{0xfc01102a, "fadd float "},
		{0x48000001, "b branch jl"},
		{0x48000000, "b branch j"},
		{0x41820008, "bc branch jc"},
		{0x4200fff8, "bc branch jc"},
		{0x4e800020, "bclr branch jir"},
		{0x4d820020, "bclr branch jcir"},
		{0x4e800421, "bcctr branch jil"},
		{0x429f0005, "bc branch j"},
		{0x44000002, "sc branch "},
		{0x7c0018ac, "dcbf cache "},
		{0x00000000, "- unknown "},
	};
	struct isa_decoder *decoder;
	(void)state;
	assert_int_equal(isa_open("powerpc", &decoder, NULL), POLY_OK);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct static_op op = {0};
		struct isa_instruction instruction;
		char flow[8], found[80];
		isa_describe_opcode(decoder, cases[i].opcode, 4, &instruction);
		static_op_from_isa(&op, &instruction);
		snprintf(found, sizeof found, "%s %s %s",
			*instruction.mnemonic ? instruction.mnemonic : "-",
			op_class_name((enum op_class)op.class), flow_text(op.flow, flow));
		if (strcmp(found, cases[i].expected) != 0)
			fail_msg("%08x: found '%s', expected '%s'", cases[i].opcode, found,
				cases[i].expected);
	}
	isa_close(decoder);
}

/* Lists "mnemonic/micro class flow @site" of the rows of a text, read as a format. */
static void
list_ops(struct static_ops *ops, const char *text, const char *format, struct buf *out)
{
	uint32_t op[POLY_BATCH_ROWS], site[POLY_BATCH_ROWS];
	struct buf bytes = bytes_of(text);
	struct poly_reader *reader = open_bytes(&bytes, format, NULL, false);
	const struct poly_batch *batch;
	struct poly_error error;
	static_ops_begin_trace(ops, poly_reader_info(reader));
	poly_reader_plan(reader,
		&(struct poly_read_plan){.size = sizeof(struct poly_read_plan),
			.columns = static_ops_columns(poly_reader_info(reader), SHARES_SITES)},
		NULL);
	while (poly_reader_next(reader, &batch, &error) == POLY_OK) {
		const struct static_ops_rows rows = {.op = op, .site = site};
		assert_true(static_ops_number_rows(ops, batch, &rows));
		for (size_t row = 0; row < batch->rows; row++) {
			const struct static_op *static_op = static_op_at(ops, op[row]);
			char flow[8];
			buf_printf(out, "%d %s/%s %s %s @%d\n", (int)op[row],
				static_op->mnemonic ? static_op->mnemonic : "",
				static_op->micro_op ? static_op->micro_op : "",
				op_class_name((enum op_class)static_op->class),
				flow_text(static_op->flow, flow), (int)site[row]);
		}
	}
	poly_reader_close(reader);
	buf_free(&bytes);
}

#define MICRO_OPS                                                \
	"1 401000 -1  4  5 - - L 0 1000 401001 0 POP LOAD\n"     \
	"2 401000  4 -1  4 - - - 8 0 401001 0 POP ADD_IMM\n"     \
	"1 401001  5  5 44 W - - 0 0 401003 0 TEST AND\n"        \
	"1 401003 -1 -1 -1 R T - -5 0 401005 401000 J JMP_IMM\n" \
	"1 401000 -1  4  5 - - L 0 1008 401001 0 POP LOAD\n"     \
	"1 401005 -1 -1 -1 R N - -5 0 401007 401000 J JMP_IMM\n" \
	"1 401007 44 -1 -1 - T - 0 0 401009 401000 RET JMP_REG\n"

static void
names_registers_and_flags_distinguish_micro_operations(void **state)
{
	struct static_ops *ops = mem_new(1, sizeof *ops);
	struct buf out = {0};
	(void)state;
	list_ops(ops, MICRO_OPS, "cis501", &out);
	assert_string_equal(buf_text(&out), "0 POP/LOAD load  @0\n"
					    "1 POP/ADD_IMM integer  @0\n"
					    "2 TEST/AND integer  @1\n"
					    "3 J/JMP_IMM branch jc @2\n"
					    "0 POP/LOAD load  @0\n"
					    "3 J/JMP_IMM branch jc @3\n"
					    "4 RET/JMP_REG branch jir @4\n");
	assert_true(ops->list[2].has_registers);
	assert_int_equal(ops->list[2].reads.bits[0], 1 << 5);
	assert_int_equal(ops->list[2].writes.bits[0],
		(uint64_t)1 << 44 | (uint64_t)1 << OP_FLAGS_REGISTER);
	assert_int_equal(ops->list[3].reads.bits[0], (uint64_t)1 << OP_FLAGS_REGISTER);
	buf_free(&out);
	static_ops_fini(ops);
	mem_free(ops);
}

static void
accesses_and_registers_belong_to_the_last_instruction(void **state)
{
	struct static_ops *ops = mem_new(1, sizeof *ops);
	struct buf out = {0};
	(void)state;
	list_ops(ops,
		"{\"polytrace\":\"trace\",\"version\":1,\"format\":\"x\"}\n"
		"{\"kind\":\"access\",\"address\":\"0x10\"}\n"
		"{\"kind\":\"instruction\",\"pc\":\"0x10\",\"opcode\":\"0xbc02\","
		"\"opcode_size\":2,\"text\":\"pop {r1}\"}\n"
		"{\"kind\":\"access\",\"address\":\"0x10\"}\n"
		"{\"kind\":\"register\",\"value\":\"0x10\"}\n"
		"{\"kind\":\"other\"}\n"
		"{\"kind\":\"instruction\",\"opcode\":\"0xbc02\",\"opcode_size\":2}\n"
		"{\"kind\":\"access\",\"address\":\"0x10\"}\n",
		"jsonl", &out);
	/* The first one belongs to an instruction before these rows. */
	assert_string_equal(buf_text(&out), "-1 / unknown  @-2\n"
					    "0 pop/ load  @0\n"
					    "-1 / unknown  @0\n"
					    "-1 / unknown  @0\n"
					    "-1 / unknown  @-1\n"
					    "0 pop/ load  @-1\n"
					    "-1 / unknown  @-1\n");
	buf_free(&out);
	static_ops_fini(ops);
	mem_free(ops);
}

/* PowerPC needs only opcodes; other columns that are present change nothing. */
static void
columns_that_are_not_requested_are_ignored(void **state)
{
	struct buf bytes =
		bytes_of("{\"polytrace\":\"trace\",\"version\":1,\"isa\":\"powerpc\"}\n"
			 "{\"kind\":\"instruction\",\"pc\":\"0x10\",\"opcode_size\":4}\n"
			 "{\"kind\":\"instruction\",\"pc\":\"0x14\",\"opcode_size\":4,"
			 "\"branch\":\"taken\"}\n"
			 "{\"kind\":\"instruction\",\"pc\":\"0x18\",\"opcode_size\":4,"
			 "\"mnemonic\":\"blr\",\"text\":\"blr\"}\n");
	(void)state;
	for (int all = 0; all < 2; all++) {
		struct static_ops *ops = mem_new(1, sizeof *ops);
		struct poly_reader *reader = open_bytes(&bytes, "jsonl", NULL, false);
		const struct poly_trace_info *info = poly_reader_info(reader);
		const struct poly_batch *batch;
		uint32_t op[POLY_BATCH_ROWS];
		static_ops_begin_trace(ops, info);
		poly_reader_plan(reader,
			&(struct poly_read_plan){.size = sizeof(struct poly_read_plan),
				.columns = all ? POLY_ALL_COLUMNS
					       : static_ops_columns(info, SHARES_OPS)},
			NULL);
		assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
		assert_true(static_ops_number_rows(
			ops, batch, &(struct static_ops_rows){.op = op}));
		assert_int_equal(ops->count, 1);
		assert_int_equal(ops->list[0].size, 4);
		assert_int_equal(ops->list[0].flow, 0);
		poly_reader_close(reader);
		static_ops_fini(ops);
		mem_free(ops);
	}
	buf_free(&bytes);
}

/* Weighted rows are not in the order of their records. */
static void
weighted_accesses_do_not_have_a_site(void **state)
{
	static const uint64_t weights[64] = {2, 2, 2};
	struct static_ops *ops = mem_new(1, sizeof *ops);
	struct buf bytes = bytes_of("{\"polytrace\":\"trace\",\"version\":1}\n"
				    "{\"kind\":\"access\",\"address\":\"0x10\"}\n"
				    "{\"kind\":\"instruction\",\"pc\":\"0x10\"}\n"
				    "{\"kind\":\"access\",\"address\":\"0x10\"}\n");
	struct poly_reader *reader = open_bytes(&bytes, "jsonl", NULL, false);
	const struct poly_batch *batch;
	struct poly_batch counted;
	uint32_t site[POLY_BATCH_ROWS];
	const struct static_ops_rows rows = {.site = site};
	(void)state;
	static_ops_begin_trace(ops, poly_reader_info(reader));
	poly_reader_plan(reader,
		&(struct poly_read_plan){.size = sizeof(struct poly_read_plan),
			.columns = static_ops_columns(poly_reader_info(reader), SHARES_SITES)},
		NULL);
	assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
	counted = *batch;
	const struct poly_batch_internal internal = {.weight = weights};
	counted.internal = &internal;
	assert_true(static_ops_number_rows(ops, batch, &rows));
	assert_int_equal(site[2], 0);
	assert_true(static_ops_number_rows(ops, &counted, &rows));
	assert_int_equal(site[0], OP_NONE);
	assert_int_equal(site[1], 0);
	assert_int_equal(site[2], OP_NONE);
	assert_true(static_ops_number_rows(ops, batch, &rows));
	assert_int_equal(site[0], OP_NONE);
	assert_int_equal(site[2], 0);
	assert_true(static_ops_number_rows(ops, batch, &rows));
	assert_int_equal(site[0], 0);
	poly_reader_close(reader);
	buf_free(&bytes);
	static_ops_fini(ops);
	mem_free(ops);
}

static void
powerpc_traces_can_lack_opcodes(void **state)
{
	struct static_ops *ops = mem_new(1, sizeof *ops);
	struct buf out = {0};
	(void)state;
	list_ops(ops,
		"{\"polytrace\":\"trace\",\"version\":1,\"format\":\"x\",\"isa\":\"powerpc\","
		"\"columns\":[\"kind\",\"address\",\"sync\"]}\n"
		"{\"kind\":\"sync\",\"address\":\"0x10\",\"sync\":\"wait\"}\n",
		"jsonl", &out);
	assert_string_equal(buf_text(&out), "-1 / unknown  @-1\n");
	buf_free(&out);
	static_ops_fini(ops);
	mem_free(ops);
}

static void
a_second_trace_finds_the_operations_of_the_first(void **state)
{
	struct static_ops *ops = mem_new(1, sizeof *ops);
	struct buf first = {0}, second = {0};
	(void)state;
	list_ops(ops, MICRO_OPS, "cis501", &first);
	list_ops(ops, "1 401003 -1 -1 -1 R T - -5 0 401005 401000 J JMP_IMM\n", "cis501",
		&second);
	assert_string_equal(buf_text(&second), "3 J/JMP_IMM branch jc @2\n");
	buf_free(&first);
	buf_free(&second);
	static_ops_fini(ops);
	mem_free(ops);
}

static void
dictionaries_are_merged(void **state)
{
	struct static_ops *into = mem_new(1, sizeof *into), *from = mem_new(1, sizeof *from);
	uint32_t op[8], site[8];
	struct buf out = {0};
	(void)state;
	list_ops(into, MICRO_OPS, "cis501", &out);
	list_ops(from,
		"1 401007 44 -1 -1 - T - 0 0 401009 401000 RET JMP_REG\n"
		"1 401017  1  2  3 - - - 0 0 401019 0 OR OR\n",
		"cis501", &out);
	assert_true(static_ops_merge(into, from, op, site));
	assert_int_equal(op[0], 4);
	assert_int_equal(op[1], 5);
	assert_int_equal(site[0], 4);
	assert_int_equal(site[1], 5);
	static_ops_fini(from);
	assert_string_equal(static_op_at(into, 5)->mnemonic, "OR");
	assert_int_equal(into->sites[5].pc, 0x401017);
	assert_int_equal(into->sites[5].op, 5);
	buf_free(&out);
	static_ops_fini(into);
	mem_free(into);
	mem_free(from);
}

/* The branch types of a real trace agree with its text. */
static void
text_and_record_agree_on_branches(void **state)
{
	struct poly_read_options reading = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	const struct poly_batch *batch;
	struct poly_error error;
	char path[4096];
	const char *root = getenv("POLYTRACE_ROOT");
	(void)state;
	snprintf(path, sizeof path,
		"%s/../shared/data/public/cis501/penn-cis501-v2-arm/"
		"streamcluster-10M-v2-first5000.trace.gz",
		root ? root : ".");
	if (poly_reader_open(path, &reading, &reader, &error) != POLY_OK)
		skip();
	struct static_ops *ops = mem_new(1, sizeof *ops);
	uint32_t op[POLY_BATCH_ROWS];
	size_t counts[4] = {0};
	static_ops_begin_trace(ops, poly_reader_info(reader));
	while (poly_reader_next(reader, &batch, &error) == POLY_OK) {
		assert_true(static_ops_number_rows(
			ops, batch, &(struct static_ops_rows){.op = op}));
		for (size_t row = 0; row < batch->rows; row++) {
			char flow[8];
			const char *name = batch->info->records[batch->record[row]];
			flow_text(static_op_at(ops, op[row])->flow & 7, flow);
			const char *expected =
				strcmp(name, "conditional_direct") == 0	      ? "jc"
				: strcmp(name, "conditional_indirect") == 0   ? "jci"
				: strcmp(name, "unconditional_direct") == 0   ? "j"
				: strcmp(name, "unconditional_indirect") == 0 ? "ji"
									      : "";
			if (strcmp(flow, expected) != 0)
				fail_msg("record %zu: found %s, expected %s",
					(size_t)batch->first + row, flow, expected);
			counts[0] += strcmp(flow, "jc") == 0;
			counts[1] += strcmp(flow, "j") == 0;
			counts[2] += strcmp(flow, "ji") == 0;
			counts[3] += strcmp(flow, "jci") == 0;
		}
	}
	/* The Penn CIS 501 instruction trace format, 7.3 */
	assert_int_equal(counts[0], 645);
	assert_int_equal(counts[1], 66);
	assert_int_equal(counts[2], 41);
	assert_int_equal(counts[3], 7);
	poly_reader_close(reader);
	static_ops_fini(ops);
	mem_free(ops);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_parsed),
		cmocka_unit_test(direct_branches_have_a_displacement),
		cmocka_unit_test(powerpc_is_decoded),
		cmocka_unit_test(names_registers_and_flags_distinguish_micro_operations),
		cmocka_unit_test(accesses_and_registers_belong_to_the_last_instruction),
		cmocka_unit_test(columns_that_are_not_requested_are_ignored),
		cmocka_unit_test(weighted_accesses_do_not_have_a_site),
		cmocka_unit_test(powerpc_traces_can_lack_opcodes),
		cmocka_unit_test(a_second_trace_finds_the_operations_of_the_first),
		cmocka_unit_test(dictionaries_are_merged),
		cmocka_unit_test(text_and_record_agree_on_branches),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
