/* SPDX-License-Identifier: MIT */
/* The course's pipelines on cases worked by hand. */
#include "test_help.h"

#include "course/ooo.h"
#include "course/superscalar.h"
#include "course/v2.h"

/* A micro-op of one macro-op; kind is 'L', 'S', 'T', 'N' (branches that read flags) or '-'. */
static struct course_uop
uop_of(uint64_t number, char kind, int32_t src1, int32_t src2, int32_t dest)
{
	const bool branch = kind == 'T' || kind == 'N', memory = kind == 'L' || kind == 'S';
	return (struct course_uop){.number = number,
		.pc = 0x400000 + 4 * number,
		.uop = 1,
		.src1 = src1,
		.src2 = src2,
		.dest = dest,
		.flags = branch ? 'R' : '-',
		.branch = branch ? kind : '-',
		.ldst = memory ? kind : '-',
		.address = memory ? 0x1000 : 0,
		.macro = "M",
		.micro = "U"};
}

static uint64_t
superscalar_total(const struct superscalar_config *config, const struct course_uop *uops,
	size_t n, struct buf *out)
{
	struct superscalar *core = superscalar_new(config, NULL);
	assert_non_null(core);
	for (size_t i = 0; i < n; i++)
		superscalar_add(core, &uops[i], out);
	uint64_t cycles = superscalar_cycles(core);
	superscalar_free(core);
	return cycles;
}

static void
a_use_of_a_load_waits_a_cycle(void **state)
{
	(void)state;
	const struct superscalar_config config = {SUPERSCALAR_PLAIN, 2, false, false, false};
	const struct course_uop uops[] = {
		uop_of(1, 'L', -1, 5, 2), uop_of(2, '-', 2, -1, 3), uop_of(3, '-', -1, -1, 4)};
	struct buf out = {0};
	assert_int_equal(superscalar_total(&config, uops, 3, &out), 3);
	assert_string_equal(buf_text(&out),
		"    0     1 -1 (Ready)     5 (Ready)     ->  2  L  "
		"--2----------------------------------------------- -\n"
		"    0     2  2 (NotReady) -1 (Ready)     ->  3  -  "
		"--2----------------------------------------------- -\n"
		"    1     2  2 (NotReady) -1 (Ready)     ->  3  -  "
		"--1----------------------------------------------- -\n"
		"    2     2  2 (Ready)    -1 (Ready)     ->  3  -  "
		"---1---------------------------------------------- -\n"
		"    2     3 -1 (Ready)    -1 (Ready)     ->  4  -  "
		"---11--------------------------------------------- -\n");
	buf_free(&out);
}

/* Cycle 0 issues the branch, 1 to 4 wait, 5 issues; the branch is taken, counters start at 0.
 */
static void
a_misprediction_costs_five_cycles(void **state)
{
	(void)state;
	const struct course_uop uops[] = {
		uop_of(1, 'T', -1, -1, -1), uop_of(2, '-', -1, -1, 1)};
	struct superscalar_config config = {SUPERSCALAR_BRANCHES, 4, false, false, false};
	assert_int_equal(superscalar_total(&config, uops, 2, NULL), 6);
	config.last_cycle = true;
	assert_int_equal(superscalar_total(&config, uops, 2, NULL), 5);
	config.experiment = SUPERSCALAR_PLAIN;
	assert_int_equal(superscalar_total(&config, uops, 2, NULL), 0);
	assert_int_equal(superscalar_total(&config, uops, 0, NULL), 0);
}

/* A miss is ready after 9 cycles, the second load of the block after 2. */
static void
a_miss_costs_seven_cycles(void **state)
{
	(void)state;
	const struct course_uop uops[] = {uop_of(1, 'L', -1, -1, 1), uop_of(2, '-', 1, -1, 2),
		uop_of(3, 'L', -1, -1, 3), uop_of(4, '-', 3, -1, 4)};
	struct superscalar_config config = {SUPERSCALAR_CACHE, 1, false, false, false};
	assert_int_equal(superscalar_total(&config, uops, 2, NULL), 10);
	assert_int_equal(superscalar_total(&config, uops, 4, NULL), 13);
	/* A store before the load brings the block only where stores use the cache. */
	const struct course_uop stored[] = {uop_of(1, 'S', -1, -1, -1),
		uop_of(2, 'L', -1, -1, 1), uop_of(3, '-', 1, -1, 2)};
	assert_int_equal(superscalar_total(&config, stored, 3, NULL), 11);
	config.cache_stores = true;
	assert_int_equal(superscalar_total(&config, stored, 3, NULL), 4);
}

static uint64_t
ooo_total(const struct ooo_config *config, const struct course_uop *uops, size_t n,
	struct buf *out, uint64_t *violations)
{
	struct ooo *core = ooo_new(config, NULL);
	assert_non_null(core);
	if (out)
		ooo_begin(core, "t", out);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(ooo_add(core, &uops[i], out, NULL), POLY_OK);
	assert_int_equal(ooo_end(core, out, NULL), POLY_OK);
	uint64_t cycles = ooo_cycles(core);
	if (violations)
		*violations = ooo_violations(core);
	ooo_free(core);
	return cycles;
}

/*
 * Fetched in 0: the load issues in 1 and is done in 5; what needs it issues then, is done in 6
 * and commits in 6, when the free list begins with p52.
 */
static void
a_line_reports_each_stage_of_a_micro_op(void **state)
{
	(void)state;
	const struct course_uop uops[] = {
		uop_of(1, 'L', -1, 5, 2), uop_of(2, '-', 2, -1, 2), uop_of(3, 'N', -1, -1, -1)};
	const struct ooo_config config = {OOO_NONE, 3, 64, 8, 4, false};
	struct buf out = {0};
	assert_int_equal(ooo_total(&config, uops, 3, &out, NULL), 7);
	const char *lines = strchr(strstr(buf_text(&out), "#: F I D C"), '\n') + 1;
	assert_string_equal(lines, "1: 0 1 5 5, r5 -> p5, r2 -> p50 [p2] | M U \n"
				   "2: 0 5 6 6, r2 -> p50, r2 -> p51 [p50] | M U \n"
				   "3: 0 1 2 6, r49 -> p49 | M U \n"
				   "Completed Trace @ cycle 7. Ending Simulation...\n"
				   "Processed 3 trace lines.\n"
				   "Instructions:\n"
				   "  N Fetched =    \t\t3\n"
				   "  N Committed =  \t\t3\n"
				   "Stalls:\n"
				   "  Fetch stalled (ROB full) =    0\n"
				   "IPC: \t\t\t\t0.429\n");
	buf_free(&out);
}

/*
 * A load, done in 5, feeds a store that is done in 6 and a chain (2, 3) that keeps it from
 * committing before 10. A load of the store's address (5) feeds another (6). Without a rule 5
 * issues in 1, 6 in 5. With one 5 issues in 6, is done in 10; 6 is done in 14. Naively 5 issues
 * in 1, is squashed in 6 and fetched again in 7, issues in 8, is done in 12; 6 is done in 16.
 */
static void
loads_wait_for_stores_as_the_rule_states(void **state)
{
	(void)state;
	const struct {
		enum ooo_memory memory;
		uint64_t cycles, violations;
	} cases[] = {{OOO_NONE, 11, 0}, {OOO_CONSERVATIVE, 15, 0}, {OOO_PERFECT, 15, 0},
		{OOO_NAIVE, 17, 1}, {OOO_STORE_SETS, 17, 1}, {OOO_STORE_SETS_1, 17, 1}};
	struct course_uop uops[] = {uop_of(1, 'L', -1, -1, 2), uop_of(2, '-', 2, -1, 5),
		uop_of(3, 'L', 5, -1, 6), uop_of(4, 'S', 2, -1, -1), uop_of(5, 'L', -1, -1, 7),
		uop_of(6, 'L', 7, -1, 8)};
	uops[5].address = 0x2000;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct ooo_config config = {cases[i].memory, 8, 64, 8, 4, false};
		uint64_t violations;
		assert_int_equal(
			ooo_total(&config, uops, 6, NULL, &violations), cases[i].cycles);
		assert_int_equal(violations, cases[i].violations);
	}
	/* The perfect rule ignores stores to another address. */
	uops[4].address += 8;
	const struct ooo_config perfect = {OOO_PERFECT, 8, 64, 8, 4, false};
	assert_int_equal(ooo_total(&perfect, uops, 6, NULL, NULL), 11);
}

static void
a_quiet_core_prints_no_micro_ops(void **state)
{
	(void)state;
	const struct course_uop uops[] = {uop_of(1, 'L', -1, 5, 2), uop_of(2, '-', 2, -1, 2)};
	const struct ooo_config config = {OOO_NONE, 3, 64, 8, 4, true};
	struct buf out = {0};
	ooo_total(&config, uops, 2, &out, NULL);
	assert_string_equal(buf_text(&out),
		"Trace name  \t\t\t\tt\nInstruction Limit\t\t\tnone\n"
		"Processor Configuration:\n  Machine Width \t\t\t3\n"
		"  Number of Logical Registers \t\t50\n"
		"  Number of Physical Registers \t\t64\n  ROB Size \t\t\t\t8\n"
		"  NOT modeling memory dependences\n"
		"Completed Trace @ cycle 7. Ending Simulation...\nProcessed 2 trace lines.\n"
		"Instructions:\n  N Fetched =    \t\t2\n  N Committed =  \t\t2\nStalls:\n"
		"  Fetch stalled (ROB full) =    0\nIPC: \t\t\t\t0.286\n");
	buf_free(&out);
}

static void
renaming_alone_frees_at_once(void **state)
{
	(void)state;
	const struct course_uop uops[] = {uop_of(1, '-', -1, -1, 2), uop_of(2, '-', 2, -1, 2),
		uop_of(3, '-', 2, -1, 2), uop_of(4, '-', -1, -1, -1)};
	const struct ooo_config config = {OOO_RENAME_ONLY, 1, 52, 64, 4, false};
	struct buf out = {0};
	assert_int_equal(ooo_total(&config, uops, 4, &out, NULL), 4);
	assert_string_equal(strstr(buf_text(&out), "uop# "),
		"uop# \t Reg Mappings [freeMe] | Mop Uop\n"
		"1, r2 -> p50 [p2] | M U \n"
		"2, r2 -> p50, r2 -> p51 [p50] | M U \n"
		"3, r2 -> p51, r2 -> p2 [p51] | M U \n"
		"4 | M U \n"
		"Processed 4 trace lines.\n"
		"Instructions:\n"
		"  N Fetched =    \t\t4\n"
		"  N Committed =  \t\t4\n"
		"Stalls:\n"
		"  Fetch stalled (ROB full) =    0\n"
		"  Rename stalled (no PRegs) =   0\n"
		"IPC: \t\t\t\t1.000\n");
	buf_free(&out);
}

static void
expect_v2(const struct v2_config *config, const struct v2_insn *insns, size_t n,
	const char *expected)
{
	struct v2_pipeline *pipeline = v2_new(config, NULL);
	struct buf out = {0};
	assert_non_null(pipeline);
	for (size_t i = 0; i < n; i++)
		v2_add(pipeline, &insns[i], &out);
	assert_string_equal(buf_text(&out), expected);
	v2_free(pipeline);
	buf_free(&out);
}

static struct v2_insn
insn_of(uint64_t pc, char access, int8_t dest, int8_t src1, const char *text)
{
	return (struct v2_insn){.pc = pc,
		.size = 4,
		.is_load = access == 'L',
		.is_store = access == 'S',
		.address = 0x100,
		.dest = dest,
		.src1 = src1,
		.src2 = V2_NONE,
		.text = text};
}

/* A load enters W in 5 (memory 1 more); by WX its user enters X then, by WM a store is not
 * held.
 */
static void
bypasses_bring_values_earlier(void **state)
{
	(void)state;
	const struct v2_insn used[] = {
		insn_of(0, 'L', 1, V2_NONE, "load"), insn_of(4, '-', 2, 1, "use")};
	const struct v2_insn stored[] = {
		insn_of(0, 'L', 1, V2_NONE, "load"), insn_of(4, 'S', V2_NONE, 1, "store")};
	const struct v2_insn computed[] = {
		insn_of(0, '-', 1, V2_NONE, "add"), insn_of(4, '-', 2, 1, "use")};
	struct v2_config config = {.mx = true, .wx = true, .wm = true, .memory = 1};
	expect_v2(&config, used, 2, "0 1 2 3 5 load {}\n1 2 5 6 7 use {load-use}\n");
	expect_v2(&config, stored, 2, "0 1 2 3 5 load {}\n1 2 3 5 7 store {}\n");
	expect_v2(&config, computed, 2, "0 1 2 3 4 add {}\n1 2 3 4 5 use {}\n");
	config.wm = false;
	expect_v2(&config, stored, 2, "0 1 2 3 5 load {}\n1 2 5 6 8 store {}\n");
	config.mx = false;
	expect_v2(&config, computed, 2, "0 1 2 3 4 add {}\n1 2 4 5 6 use {}\n");
	config.wx = false;
	expect_v2(&config, used, 2, "0 1 2 3 5 load {}\n1 2 6 7 8 use {load-use}\n");
	expect_v2(&config, computed, 2, "0 1 2 3 4 add {}\n1 2 5 6 7 use {}\n");
}

/* The second branch to the same place is predicted never to be taken, and known after two. */
static void
mispredicted_branches_are_labelled(void **state)
{
	(void)state;
	struct v2_insn branch = insn_of(8, '-', V2_NONE, V2_NONE, "b");
	branch.is_branch = branch.is_taken = true;
	branch.target = 8;
	const struct v2_insn insns[] = {branch, branch, branch};
	const struct v2_config bimodal = {
		.mx = true, .direction = V2_BIMODAL, .index_bits = 4, .btb_bits = 4};
	expect_v2(&bimodal, insns, 3,
		"1 2 3 4 5 b {bmispred}\n4 5 6 7 8 b {bmispred}\n7 8 9 10 11 b {}\n");
	const struct v2_config never = {.mx = true, .direction = V2_NEVER};
	expect_v2(&never, insns, 2, "1 2 3 4 5 b {bmispred}\n4 5 6 7 8 b {bmispred}\n");
}

static void
impossible_configurations_are_rejected(void **state)
{
	(void)state;
	struct poly_error error;
	const struct superscalar_config fifth = {
		(enum superscalar_experiment)5, 1, false, false, false};
	assert_null(superscalar_new(&fifth, &error));
	assert_string_equal(error.message, "no such experiment 5, expected 1 to 4");
	const struct superscalar_config narrow = {SUPERSCALAR_PLAIN, 0, false, false, false};
	assert_int_equal(superscalar_check(&narrow, NULL), POLY_ERR_USAGE);
	const struct ooo_config few = {OOO_NONE, 1, 51, 8, 4, false};
	assert_null(ooo_new(&few, &error));
	assert_string_equal(
		error.message, "number of physical registers: found 51, expected 52 to 65536");
	const struct v2_config wide = {.cache = {.ways = 17}};
	assert_null(v2_new(&wide, &error));
	assert_string_equal(error.message, "number of ways: found 17, expected at most 16");
}

/* Runs an out-of-order core with store sets, which is the one that allocates as it goes. */
static enum poly_status
run_once(void *context)
{
	(void)context;
	const struct ooo_config config = {OOO_STORE_SETS, 4, 64, 8, 4, false};
	const struct course_uop uops[] = {uop_of(1, 'L', -1, -1, 2), uop_of(2, '-', 2, -1, 5),
		uop_of(3, 'L', 5, -1, 6), uop_of(4, 'S', 2, -1, -1), uop_of(5, 'L', -1, -1, 7)};
	struct poly_error error;
	struct ooo *core = ooo_new(&config, &error);
	enum poly_status status = core ? POLY_OK : error.status;
	for (size_t i = 0; i < 5 && status == POLY_OK; i++)
		status = ooo_add(core, &uops[i], NULL, &error);
	if (status == POLY_OK)
		status = ooo_end(core, NULL, &error);
	ooo_free(core);
	return status;
}

static enum poly_status
build_in_order(void *context)
{
	const struct v2_config config = {.cache = {.index_bits = 1, .ways = 1}};
	struct poly_error error;
	struct v2_pipeline *core = v2_new(&config, &error);
	const enum poly_status status = core ? POLY_OK : error.status;
	(void)context;
	v2_free(core);
	return status;
}

static enum poly_status
build_superscalar(void *context)
{
	const struct superscalar_config plain = {SUPERSCALAR_PLAIN, 1, false, false, false};
	struct poly_error error;
	struct superscalar *core = superscalar_new(&plain, &error);
	const enum poly_status status = core ? POLY_OK : error.status;
	(void)context;
	superscalar_free(core);
	return status;
}

static void
failing_allocations_are_reported(void **state)
{
	(void)state;
	law_memory(run_once, NULL);
	assert_true(law_memory(build_in_order, NULL) >= 5);
	law_memory(build_superscalar, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_use_of_a_load_waits_a_cycle),
		cmocka_unit_test(a_misprediction_costs_five_cycles),
		cmocka_unit_test(a_miss_costs_seven_cycles),
		cmocka_unit_test(a_line_reports_each_stage_of_a_micro_op),
		cmocka_unit_test(loads_wait_for_stores_as_the_rule_states),
		cmocka_unit_test(a_quiet_core_prints_no_micro_ops),
		cmocka_unit_test(renaming_alone_frees_at_once),
		cmocka_unit_test(bypasses_bring_values_earlier),
		cmocka_unit_test(mispredicted_branches_are_labelled),
		cmocka_unit_test(impossible_configurations_are_rejected),
		cmocka_unit_test(failing_allocations_are_reported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
