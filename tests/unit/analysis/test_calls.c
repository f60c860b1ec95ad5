/* SPDX-License-Identifier: MIT */
/* Tests calls with generated programs whose stacks are known. */
#include "test_help.h"

#include "analysis/queries/calls.h"
#include "isa/flow.h"

static const char *const by_calls[] = {"calls", NULL};
static const char *const as_profile[] = {"calls.style=profile", NULL};

/* Reports the calls of a trace given as text. */
static struct buf
count(const char *text, const char *format, const char *isa, const struct poly_symbols *symbols)
{
	struct poly_read_options reading = POLY_READ_OPTIONS_INIT;
	struct poly_stats_options options = POLY_STATS_OPTIONS_INIT;
	struct buf out = {0};
	const struct poly_sink sink = {collect, &out};
	struct poly_reader *reader;
	struct poly_stats *calls;
	const struct poly_batch *batch;
	struct poly_error error;
	reading.format = format;
	reading.isa = isa;
	/* Small batches, so that calls span batches. */
	reading.batch_rows = 5;
	options.analyses = by_calls;
	options.options = as_profile;
	options.symbols = symbols;
	if (poly_reader_open_memory(text, strlen(text), &reading, &reader, &error) != POLY_OK)
		fail_msg("%s", error.message);
	assert_int_equal(poly_stats_new(&options, &calls, &error), POLY_OK);
	if (poly_stats_begin(calls, poly_reader_info(reader), &error) != POLY_OK)
		fail_msg("%s", error.message);
	poly_reader_plan(reader,
		&(struct poly_read_plan){.size = sizeof(struct poly_read_plan),
			.columns = poly_stats_columns(calls)},
		NULL);
	while (poly_reader_next(reader, &batch, &error) == POLY_OK)
		assert_int_equal(poly_stats_update(calls, batch, &error), POLY_OK);
	assert_int_equal(poly_stats_finish(calls, &error), POLY_OK);
	assert_int_equal(poly_stats_write(calls, "calls", "folded", &sink, &error), POLY_OK);
	struct poly_report *report = poly_report_new();
	poly_stats_report(calls, "calls", report);
	assert_int_equal(poly_report_render(report, POLY_RENDER_CSV, &sink, &error), POLY_OK);
	poly_report_free(report);
	poly_stats_free(calls);
	poly_reader_close(reader);
	return out;
}

/* The value of a key of the section "totals". */
static unsigned long
total(struct buf *out, const char *key)
{
	char line[60];
	snprintf(line, sizeof line, "\ntotals,%s,", key);
	const char *found = strstr(buf_text(out), line);
	if (!found)
		fail_msg("no %s in %s", key, buf_text(out));
	return found ? strtoul(found + strlen(line), NULL, 10) : 0;
}

/* Instruction sets with encodings; delay: branches have a delay slot. */
static const struct machine {
	const char *isa, *call, *give_back, *plain;
	unsigned call_size, size; /* of a call; of all others */
	bool delay;
} machines[] = {
	{"powerpc", "48000101", "4e800020", "60000000", 4, 4, false},
	{"powerpc", "4e800421", "4d820020", "4e800420", 4, 4, false},
	{"aarch64", "94000010", "d65f03c0", "d503201f", 4, 4, false},
	{"aarch64", "d63f0100", "d65f03c0", "d61f0100", 4, 4, false},
	{"arm", "eb000010", "e12fff1e", "e1a00000", 4, 4, false},
	{"arm", "e12fff33", "e8bd8010", "e12fff13", 4, 4, false},
	{"thumb", "f000f810", "4770", "bf00", 4, 2, false},
	{"thumb", "4798", "bd10", "4718", 2, 2, false},
	{"mips32", "0c000400", "03e00008", "00000000", 4, 4, true},
	{"mips32", "0320f809", "03e00008", "00000000", 4, 4, true},
	{"sparc", "40000010", "81c7e008", "01000000", 4, 4, true},
	{"x86-64", "e800010000", "c3", "90", 5, 1, false},
	{"x86-64", "41ff542410", "f3c3", "6690", 5, 2, false},
};

#define MACHINES (sizeof machines / sizeof *machines)
#define FUNCTIONS 9
#define CONTEXTS 20000
#define DEEPEST 12

/* A generated execution and its stacks. */
struct execution {
	const struct machine *machine;
	struct buf trace;
	uint64_t time, seed;
	char path[DEEPEST * 10 + 20];
	char *paths[CONTEXTS];
	unsigned counts[CONTEXTS];
	size_t context_count;
	unsigned long calls;
};

static uint64_t
chance(struct execution *play, uint64_t of)
{
	play->seed = play->seed * 6364136223846793005 + 1442695040888963407;
	return (play->seed >> 33) % of;
}

static size_t
context_of(struct execution *play)
{
	for (size_t i = 0; i < play->context_count; i++) {
		if (strcmp(play->paths[i], play->path) == 0)
			return i;
	}
	assert_true(play->context_count < CONTEXTS);
	play->paths[play->context_count] = strdup(play->path);
	play->counts[play->context_count] = 0;
	return play->context_count++;
}

/* Executes an instruction in the current function. */
static void
execute(struct execution *play, uint64_t pc, const char *opcode)
{
	const unsigned long long time = ++play->time;
	play->counts[context_of(play)]++;
	buf_printf(&play->trace, "%llu clk IT (%llu) %08llx %s A svc :\n", time, time,
		(unsigned long long)pc, opcode);
}

static void
run(struct execution *play, unsigned function, unsigned depth)
{
	const struct machine *machine = play->machine;
	uint64_t pc = 0x10000 * (1 + (uint64_t)function);
	const size_t length = strlen(play->path);
	sprintf(play->path + length, "%s0x%llx", length ? ";" : "", (unsigned long long)pc);
	for (uint64_t left = 1 + chance(play, 5); left > 0; left--) {
		execute(play, pc, machine->plain);
		pc += machine->size;
		if (depth + 1 == DEEPEST || play->time > 6000 || !chance(play, 3))
			continue;
		execute(play, pc, machine->call);
		pc += machine->call_size;
		if (machine->delay) {
			execute(play, pc, machine->plain);
			pc += machine->size;
		}
		/* A call that is not taken falls through. */
		if (chance(play, 4)) {
			play->calls++;
			run(play, (unsigned)chance(play, FUNCTIONS), depth + 1);
		}
	}
	/* An address without a call. */
	execute(play, pc, machine->plain);
	pc += 0x1000;
	execute(play, pc, machine->give_back);
	if (machine->delay)
		execute(play, pc + machine->size, machine->plain);
	play->path[length] = 0;
}

static void
assert_played(struct execution *play)
{
	struct buf expected = {0};
	for (size_t i = 0; i < play->context_count; i++)
		buf_printf(&expected, "%s %u\n", play->paths[i], play->counts[i]);
	struct buf out = count(buf_text(&play->trace), "tarmac", play->machine->isa, NULL);
	assert_true(out.size > expected.size);
	size_t same = 0;
	while (same < expected.size && out.data[same] == expected.data[same])
		same++;
	if (same != expected.size)
		fail_msg("%s %s:\n%.300s\nexpected\n%.300s", play->machine->isa,
			play->machine->call, buf_text(&out) + same, buf_text(&expected) + same);
	/* The first function counts as a call. */
	assert_int_equal(total(&out, "calls"), play->calls + 1);
	assert_int_equal(total(&out, "returned_calls"), play->calls);
	assert_int_equal(total(&out, "instructions"), play->time);
	assert_int_equal(total(&out, "frames_unwound_without_return"), 0);
	assert_int_equal(total(&out, "unmatched_returns"), 0);
	buf_free(&out);
	buf_free(&expected);
}

static void
generated_programs_have_their_stacks(void **state)
{
	static struct execution play;
	unsigned long calls = 0;
	(void)state;
	need_library("capstone");
	for (size_t i = 0; i < 3 * MACHINES; i++) {
		memset(&play, 0, sizeof play);
		play.machine = &machines[i % MACHINES];
		play.seed = i;
		run(&play, 0, 0);
		assert_played(&play);
		calls += play.calls;
		for (size_t k = 0; k < play.context_count; k++)
			free(play.paths[k]);
		buf_free(&play.trace);
	}
	assert_true(calls > 1000);
}

/* Folds the stacks of lines "thread pc text". */
static struct buf
assert_folded(const char *text, const struct poly_symbols *symbols, const char *expected)
{
	struct buf out = count(text, "text:thread,pc:hex,opcode_size,text", NULL, symbols);
	if (strncmp(buf_text(&out), expected, strlen(expected)) != 0)
		fail_msg("%s\nexpected\n%s", buf_text(&out), expected);
	return out;
}

static void
each_thread_has_its_own_stack(void **state)
{
	(void)state;
	struct buf out = assert_folded("1 100 4 bl\n"
				       "2 100 4 bl\n"
				       "1 200 4 nop\n"
				       "2 200 4 bl\n"
				       "1 204 4 blr\n"
				       "2 300 4 blr\n"
				       "1 104 4 nop\n"
				       "2 204 4 nop\n",
		NULL, "0x100 3\n0x100;0x200 4\n0x100;0x200;0x300 1\n");
	assert_int_equal(total(&out, "calls"), 5);
	assert_int_equal(total(&out, "returned_calls"), 2);
	buf_free(&out);
}

static void
a_long_jump_unwinds_all_frames_in_between(void **state)
{
	(void)state;
	/* setjmp at 0x900 returns to 0x104 twice: the second time from two frames further in.
	 */
	struct buf out = assert_folded("1 100 4 bl\n"
				       "1 900 4 ret\n"
				       "1 104 4 bl\n"
				       "1 200 4 bl\n"
				       "1 300 4 bl\n"
				       "1 400 4 ret\n"
				       "1 104 4 nop\n"
				       "1 108 4 bl\n"
				       "1 300 4 ret\n"
				       "1 10c 4 nop\n",
		NULL,
		"0x100 5\n0x100;0x900 1\n0x100;0x200 1\n0x100;0x200;0x300 1\n"
		"0x100;0x200;0x300;0x400 1\n0x100;0x300 1\n");
	assert_int_equal(total(&out, "frames_unwound_without_return"), 3);
	assert_int_equal(total(&out, "unmatched_returns"), 0);
	buf_free(&out);
}

static void
a_return_to_an_outer_caller_unwinds(void **state)
{
	(void)state;
	struct buf out = assert_folded("1 100 4 bl\n1 200 4 bl\n1 300 4 bl\n"
				       "1 400 4 ret\n1 104 4 nop\n",
		NULL, "0x100 2\n0x100;0x200 1\n0x100;0x200;0x300 1\n");
	assert_int_equal(total(&out, "frames_unwound_without_return"), 2);
	assert_int_equal(total(&out, "returned_calls"), 1);
	buf_free(&out);
}

static void
a_trace_can_begin_inside_calls(void **state)
{
	(void)state;
	struct buf out = assert_folded("1 300 4 nop\n1 304 4 ret\n"
				       "1 204 4 bl\n1 300 4 ret\n1 208 4 ret\n"
				       "1 104 4 nop\n",
		NULL, "0x300 2\n0x204 2\n0x204;0x300 1\n0x104 1\n");
	assert_int_equal(total(&out, "returns_from_first_function"), 2);
	buf_free(&out);
}

static void
an_unmatched_return_is_a_jump(void **state)
{
	(void)state;
	struct buf out = assert_folded("1 100 4 bl\n1 200 4 ret\n1 280 4 nop\n"
				       "1 284 4 ret\n1 104 4 nop\n",
		NULL, "0x100 2\n0x100;0x200 3\n");
	assert_int_equal(total(&out, "unmatched_returns"), 1);
	assert_int_equal(total(&out, "returned_calls"), 1);
	buf_free(&out);
}

static void
symbols_identify_tail_calls_and_unwinding(void **state)
{
	struct poly_symbols *symbols;
	const char *list = "100 40 T main\n200 40 T f\n300 40 T g\n400 40 T h\n500 40 T irq\n";
	(void)state;
	assert_int_equal(poly_symbols_open_memory(list, strlen(list), &symbols, NULL), POLY_OK);
	/* f jumps to g, g jumps to h, and h returns to main; irq interrupts in between. */
	struct buf out = assert_folded("1 100 4 bl\n1 200 4 b\n1 300 4 b\n"
				       "1 400 4 nop\n1 500 4 eret\n1 404 4 ret\n"
				       "1 104 4 nop\n",
		symbols, "main 2\nmain;f 1\nmain;f;g 1\nmain;f;g;h 2\nmain;f;g;h;irq 1\n");
	/* The interrupt counts as a tail call, and its end not as a return. */
	assert_int_equal(total(&out, "tail_calls"), 3);
	buf_free(&out);
	/* A local jump is not a tail call. */
	out = assert_folded("1 110 4 b\n1 100 4 bl\n1 208 4 b\n1 200 4 ret\n"
			    "1 104 4 nop\n",
		symbols, "main 3\nmain;f 2\n");
	assert_int_equal(total(&out, "tail_calls"), 0);
	buf_free(&out);
	poly_symbols_free(symbols);
}

static void
recursion_counts_once_in_total_instructions(void **state)
{
	(void)state;
	struct buf out =
		assert_folded("1 100 4 bl\n1 200 4 bl\n1 200 4 bl\n"
			      "1 200 4 b\n1 220 4 ret\n1 204 4 ret\n1 204 4 ret\n1 104 4 nop\n",
			NULL, "0x100 2\n0x100;0x200 2\n");
	/* total, self, calls, total with recursion: 6 + 4 + 2. */
	assert_non_null(strstr(buf_text(&out), "\nfunctions,6,6,3,12,0x200,0x200\n"));
	assert_non_null(strstr(buf_text(&out), "\nfunctions,8,2,1,8,0x100,0x100\n"));
	buf_free(&out);
}

static void
deep_recursion_is_counted(void **state)
{
	struct buf text = {0};
	(void)state;
	for (int i = 0; i < 5000; i++)
		buf_string(&text, "1 100 4 nop\n1 104 4 bl\n");
	buf_string(&text, "1 100 4 ret\n");
	for (int i = 0; i < 5000; i++)
		buf_string(&text, "1 108 4 ret\n");
	struct buf out =
		count(buf_text(&text), "text:thread,pc:hex,opcode_size,text", NULL, NULL);
	assert_int_equal(total(&out, "calls"), 5001);
	assert_int_equal(total(&out, "returned_calls"), 5000);
	assert_int_equal(total(&out, "frames_beyond_the_depth_limit"), 5001 - CALLS_DEPTH);
	buf_free(&out);
	buf_free(&text);
}

static void
text_of_disassemblers_is_parsed(void **state)
{
	static const struct {
		enum flow flow;
		const char *text;
	} cases[] = {{FLOW_CALL, "bl 0x1000"}, {FLOW_CALL, "BL       {pc}+0x18 ; 0x8038"},
		{FLOW_CALL, "BLX r3"}, {FLOW_CALL, "blr x8"}, {FLOW_CALL, "bl.w 0x10"},
		{FLOW_CALL, "bleq 0x10"}, {FLOW_CALL, "bctrl"}, {FLOW_CALL, "jal 0x400"},
		{FLOW_CALL, "jalr $t9"}, {FLOW_CALL, "call 0x10"}, {FLOW_CALL, "CALL"},
		{FLOW_CALL, "callq *%rax"}, {FLOW_CALL, "jal ra, 0x10"}, {FLOW_RETURN, "blr"},
		{FLOW_RETURN, "beqlr"}, {FLOW_RETURN, "bnelr cr7"}, {FLOW_RETURN, "RET      "},
		{FLOW_RETURN, "ret x30"}, {FLOW_RETURN, "bx lr"}, {FLOW_RETURN, "BXNE lr"},
		{FLOW_RETURN, "pop {r4, r5, pc}"}, {FLOW_RETURN, "POP.W {r4-r8,pc}"},
		{FLOW_RETURN, "LDMIA sp!,{r4,pc}"}, {FLOW_RETURN, "mov pc, lr"},
		{FLOW_RETURN, "jr $ra"}, {FLOW_RETURN, "jr ra"}, {FLOW_RETURN, "retq"},
		{FLOW_RETURN, "ret 8"}, {FLOW_RETURN, "jalr zero, 0(ra)"},
		{FLOW_OTHER, "b 0x10"}, {FLOW_OTHER, "ble 0x10"}, {FLOW_OTHER, "blt cr1, 0x10"},
		{FLOW_OTHER, "bls 0x10"}, {FLOW_OTHER, "bx r3"}, {FLOW_OTHER, "bctr"},
		{FLOW_OTHER, "br x8"}, {FLOW_OTHER, "jr t0"}, {FLOW_OTHER, "jmp rax"},
		{FLOW_OTHER, "pop {r4, r5}"}, {FLOW_OTHER, "mov r0, lr"},
		{FLOW_OTHER, "jal zero, 0x10"}, {FLOW_OTHER, "blo 0x10"}, {FLOW_OTHER, ""},
		{FLOW_OTHER, "b.ls 0x10"}, {FLOW_OTHER, "lr"}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *text = cases[i].text;
		if (flow_of_text(text, strlen(text)) != cases[i].flow)
			fail_msg("'%s'", text);
	}
}

/* Draws encodings, with an increased share of branches. */
static uint64_t
encoding(struct execution *play, const char *isa)
{
	static const uint32_t seeds[] = {0x94000000, 0xd63f0000, 0xd65f0000, 0xeb000000,
		0xe12fff30, 0xe12fff1e, 0xe8bd8000, 0x48000001, 0x4e800020, 0x4e800421,
		0x0c000000, 0x03e00008, 0x0320f809, 0x04110000, 0x4c000000, 0x40000001};
	uint64_t opcode = chance(play, 1ULL << 32);
	if (chance(play, 4))
		opcode = seeds[chance(play, 16)] ^
			 (chance(play, 2) ? 1ULL << chance(play, 32) : 0);
	if (strcmp(isa, "powerpc") == 0 && chance(play, 2))
		opcode = (16 + 2 * chance(play, 2)) << 26 | (opcode & 0x3ffffff);
	return opcode;
}

static enum flow
described_flow(struct isa_decoder *decoder, uint64_t opcode)
{
	struct isa_instruction instruction;
	if (!isa_describe_opcode(decoder, opcode, 4, &instruction))
		return FLOW_OTHER;
	return instruction.flow & ISA_CALLS	? FLOW_CALL
	       : instruction.flow & ISA_RETURNS ? FLOW_RETURN
						: FLOW_OTHER;
}

static void
opcodes_and_their_texts_agree(void **state)
{
	static const char *const names[] = {"powerpc", "aarch64", "arm", "mips32"};
	static struct execution play;
	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct isa_decoder *decoder;
		struct poly_disasm *disasm;
		unsigned long seen[3] = {0};
		if (isa_open(names[i], &decoder, NULL) == POLY_ERR_UNSUPPORTED)
			skip();
		assert_int_equal(poly_disasm_open(names[i], &disasm, NULL), POLY_OK);
		for (int k = 0; k < 60000; k++) {
			const uint64_t opcode = encoding(&play, names[i]);
			const char *text = poly_disasm_text(disasm, 0x1000, opcode, 4);
			/* PowerPC's bc with link has the same text as MIPS branches. */
			const bool is_bc = i == 0 && opcode >> 26 == 16;
			if (text[0] == '.' || is_bc)
				continue;
			const enum flow flow = described_flow(decoder, opcode);
			if (flow != flow_of_text(text, strlen(text)))
				fail_msg("%s %08llx '%s' is %d", names[i],
					(unsigned long long)opcode, text, (int)flow);
			seen[flow]++;
		}
		assert_true(seen[FLOW_CALL] > 100 && seen[FLOW_RETURN] > 100);
		poly_disasm_close(disasm);
		isa_close(decoder);
	}
}

static void
a_trace_without_identifiable_calls_is_refused(void **state)
{
	struct poly_stats_options options = POLY_STATS_OPTIONS_INIT;
	struct poly_read_options reading = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	struct poly_stats *calls;
	struct poly_error error;
	(void)state;
	reading.format = "text:pc:hex,address:hex";
	assert_int_equal(
		poly_reader_open_memory("1 2\n", 4, &reading, &reader, &error), POLY_OK);
	options.analyses = by_calls;
	assert_int_equal(poly_stats_new(&options, &calls, &error), POLY_OK);
	assert_int_equal(
		poly_stats_begin(calls, poly_reader_info(reader), &error), POLY_ERR_USAGE);
	poly_stats_free(calls);
	poly_reader_close(reader);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(generated_programs_have_their_stacks),
		cmocka_unit_test(each_thread_has_its_own_stack),
		cmocka_unit_test(a_long_jump_unwinds_all_frames_in_between),
		cmocka_unit_test(a_return_to_an_outer_caller_unwinds),
		cmocka_unit_test(a_trace_can_begin_inside_calls),
		cmocka_unit_test(an_unmatched_return_is_a_jump),
		cmocka_unit_test(symbols_identify_tail_calls_and_unwinding),
		cmocka_unit_test(recursion_counts_once_in_total_instructions),
		cmocka_unit_test(deep_recursion_is_counted),
		cmocka_unit_test(text_of_disassemblers_is_parsed),
		cmocka_unit_test(opcodes_and_their_texts_agree),
		cmocka_unit_test(a_trace_without_identifiable_calls_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
