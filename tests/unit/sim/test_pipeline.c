/* SPDX-License-Identifier: MIT */
/* Pipelines by time stamps against pipelines that are stepped through, and cases worked by
 * hand. */
#include "test_help.h"

#include "sim/pipeline/pipeline.h"
#include "sim/pipeline/pipeline_simd.h"

#include "course/ooo.h"
#include "course/superscalar.h"

#include "../models/pipeline_stepped.h"
#include "../models/uop_text.h"

enum { OPS = 600, TRIALS = 600 };

/* A stream of micro-ops and what an out-of-order pipeline needs besides. */
struct stream {
	struct pipeline_op ops[OPS];
	uint64_t addresses[OPS];
	uint32_t sites[OPS];
	size_t n;
};

static uint32_t
next_random(uint64_t *state, uint32_t below)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33) % below;
}

static uint8_t
random_register(uint64_t *state, uint32_t registers)
{
	uint32_t reg = next_random(state, registers + 2);
	return reg >= registers ? PIPELINE_NONE : (uint8_t)reg;
}

/* Few registers, addresses and sites, so that everything meets; few or many extra cycles. */
static void
make_stream(struct stream *stream, uint64_t *state)
{
	const uint32_t registers = 1 + next_random(state, 12),
		       addresses = 1 + next_random(state, 9);
	const uint32_t branches = 1 + next_random(state, 30),
		       extra = 1 + next_random(state, 40);
	stream->n = 1 + next_random(state, OPS);
	for (size_t i = 0; i < stream->n; i++) {
		struct pipeline_op *op = &stream->ops[i];
		for (size_t s = 0; s < 3; s++)
			op->sources[s] = random_register(state, registers);
		for (size_t d = 0; d < 2; d++)
			op->dests[d] = random_register(state, registers);
		op->flags = (uint8_t)next_random(state, PIPELINE_CLASSES);
		if (next_random(state, 4) == 0)
			op->flags |= PIPELINE_STORE;
		if (next_random(state, branches) == 0)
			op->flags |= PIPELINE_TAKEN;
		if (next_random(state, branches) == 0)
			op->flags |= PIPELINE_MISPREDICTED;
		op->extra = (uint16_t)(next_random(state, 5) ? 0 : next_random(state, extra));
		stream->addresses[i] = 8 * next_random(state, addresses);
		stream->sites[i] = next_random(state, 20);
	}
}

static void
random_latencies(unsigned *latency, uint64_t *state)
{
	for (size_t i = 0; i < PIPELINE_CLASSES; i++)
		latency[i] = 1 + next_random(state, i % 2 ? 12 : 3);
}

static struct pipeline_inorder_config
random_inorder(uint64_t *state)
{
	struct pipeline_inorder_config config = {.width = 1 + next_random(state, 6),
		.order = (enum pipeline_order)next_random(state, 3),
		.penalty = next_random(state, 9),
		.taken_ends = next_random(state, 2)};
	random_latencies(config.latency, state);
	return config;
}

static struct pipeline_ooo_config
random_ooo(uint64_t *state, enum pipeline_memory memory)
{
	struct pipeline_ooo_config config = {.width = 1 + next_random(state, 6),
		.size = 1 + next_random(state, 40),
		.registers = next_random(state, 2) ? 0 : 2 + next_random(state, 30),
		.extra_max = 40,
		.penalty = next_random(state, 9),
		.no_penalty = next_random(state, 4) == 0,
		.taken_ends = next_random(state, 2),
		.memory = memory,
		.site_bits = next_random(state, 6)};
	random_latencies(config.latency, state);
	return config;
}

static void
expect_result(const struct pipeline_result *found, const struct pipeline_result *expected)
{
	uint64_t sum = 0;
	assert_int_equal(found->ops, expected->ops);
	assert_int_equal(found->cycles, expected->cycles);
	for (size_t i = 0; i < PIPELINE_PARTS; i++) {
		assert_int_equal(found->parts[i], expected->parts[i]);
		sum += found->parts[i];
	}
	assert_int_equal(sum, found->cycles);
}

static void
expect_times(
	const struct pipeline_times *found, const struct pipeline_times *expected, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(found[i].fetched, expected[i].fetched);
		assert_int_equal(found[i].issued, expected[i].issued);
		assert_int_equal(found[i].done, expected[i].done);
		assert_int_equal(found[i].committed, expected[i].committed);
	}
}

static void
in_order_time_stamps_are_those_of_stepping(void **state)
{
	static struct stream stream;
	static struct pipeline_times found[OPS], expected[OPS];
	uint64_t seed = 1;
	(void)state;
	for (size_t trial = 0; trial < TRIALS; trial++) {
		const struct pipeline_inorder_config config = random_inorder(&seed);
		struct pipeline_result result, stepped;
		make_stream(&stream, &seed);
		const size_t half = next_random(&seed, (uint32_t)stream.n);
		struct pipeline_inorder *pipeline = pipeline_inorder_new(&config, NULL);
		assert_non_null(pipeline);
		pipeline_inorder_run(pipeline, stream.ops, half, found);
		pipeline_inorder_run(
			pipeline, stream.ops + half, stream.n - half, found + half);
		pipeline_inorder_result(pipeline, &result);
		pipeline_inorder_free(pipeline);
		stepped_inorder(&config, stream.ops, stream.n, &stepped, expected);
		expect_times(found, expected, stream.n);
		expect_result(&result, &stepped);
	}
}

static void
cycles_alone_are_those_of_stepping(void **state)
{
	static struct stream stream;
	static struct pipeline_times times[OPS];
	uint64_t seed = 8;
	(void)state;
	for (size_t trial = 0; trial < TRIALS; trial++) {
		struct pipeline_inorder_config config = random_inorder(&seed);
		struct pipeline_result result, stepped;
		config.cycles_only = true;
		make_stream(&stream, &seed);
		struct pipeline_inorder *pipeline = pipeline_inorder_new(&config, NULL);
		assert_non_null(pipeline);
		pipeline_inorder_run(pipeline, stream.ops, stream.n / 2, NULL);
		pipeline_inorder_run(
			pipeline, stream.ops + stream.n / 2, stream.n - stream.n / 2, NULL);
		pipeline_inorder_result(pipeline, &result);
		pipeline_inorder_free(pipeline);
		stepped_inorder(&config, stream.ops, stream.n, &stepped, times);
		assert_int_equal(result.cycles, stepped.cycles);
		assert_int_equal(result.parts[PIPELINE_BUSY], 0);
	}
}

/* Without waiting all cycles are full, at every width. */
static void
full_cycles_add_up_whatever_the_width(void **state)
{
	enum { MANY = 50000 };
	static struct pipeline_op ops[MANY];
	(void)state;
	for (size_t i = 0; i < MANY; i++)
		ops[i] = (struct pipeline_op){{PIPELINE_NONE, PIPELINE_NONE, PIPELINE_NONE},
			{PIPELINE_NONE, PIPELINE_NONE}, 0, 0};
	for (unsigned width = 1; width <= PIPELINE_WIDTH_MAX; width++) {
		const struct pipeline_inorder_config config = {.width = width,
			.latency = {1, 1, 1, 1, 1, 1, 1, 1},
			.cycles_only = true};
		struct pipeline_result result;
		struct pipeline_inorder *pipeline = pipeline_inorder_new(&config, NULL);
		assert_non_null(pipeline);
		pipeline_inorder_run(pipeline, ops, MANY, NULL);
		pipeline_inorder_result(pipeline, &result);
		pipeline_inorder_free(pipeline);
		assert_int_equal(result.cycles, (MANY + width - 1) / width);
	}
}

static void
compare_ooo(enum pipeline_memory memory, uint64_t seed)
{
	static struct stream stream;
	static struct pipeline_times found[OPS], expected[OPS];
	for (size_t trial = 0; trial < TRIALS; trial++) {
		const struct pipeline_ooo_config config = random_ooo(&seed, memory);
		struct pipeline_result result, stepped;
		make_stream(&stream, &seed);
		const size_t half = next_random(&seed, (uint32_t)stream.n);
		const struct pipeline_ops all = {
			stream.ops, stream.addresses, stream.sites, stream.n};
		const struct pipeline_ops a = {
			stream.ops, stream.addresses, stream.sites, half};
		const struct pipeline_ops b = {stream.ops + half, stream.addresses + half,
			stream.sites + half, stream.n - half};
		struct pipeline_ooo *pipeline = pipeline_ooo_new(&config, NULL);
		assert_non_null(pipeline);
		pipeline_ooo_run(pipeline, &a, found);
		pipeline_ooo_run(pipeline, &b, found + half);
		pipeline_ooo_result(pipeline, &result);
		pipeline_ooo_free(pipeline);
		stepped_ooo(&config, &all, &stepped, expected);
		expect_times(found, expected, stream.n);
		expect_result(&result, &stepped);
	}
}

static void
out_of_order_time_stamps_are_those_of_stepping(void **state)
{
	(void)state;
	compare_ooo(PIPELINE_MEMORY_NONE, 2);
}

static void
conservative_loads_wait_as_in_stepping(void **state)
{
	(void)state;
	compare_ooo(PIPELINE_MEMORY_CONSERVATIVE, 3);
}

static void
loads_that_know_their_stores_wait_as_in_stepping(void **state)
{
	(void)state;
	compare_ooo(PIPELINE_MEMORY_PERFECT, 4);
}

static void
naive_loads_are_squashed_as_in_stepping(void **state)
{
	(void)state;
	compare_ooo(PIPELINE_MEMORY_NAIVE, 5);
}

static void
store_sets_are_learned_as_in_stepping(void **state)
{
	(void)state;
	compare_ooo(PIPELINE_MEMORY_STORE_SETS, 6);
}

static void
lanes_equal_separate_pipelines(void **state)
{
	static struct stream stream;
	uint64_t seed = 7;
	(void)state;
	for (size_t trial = 0; trial < TRIALS; trial++) {
		const enum pipeline_way way = (enum pipeline_way)(trial % 5);
		const size_t count = 1 + next_random(&seed, PIPELINE_LANES);
		struct pipeline_inorder_config configs[PIPELINE_LANES];
		struct poly_error error;
		for (size_t i = 0; i < count; i++)
			configs[i] = random_inorder(&seed);
		make_stream(&stream, &seed);
		struct pipeline_simd *lanes = pipeline_simd_new(configs, count, way, &error);
		if (!lanes) {
			assert_int_equal(error.status, POLY_ERR_UNSUPPORTED);
			continue;
		}
		pipeline_simd_run(lanes, stream.ops, stream.n / 3);
		pipeline_simd_run(lanes, stream.ops + stream.n / 3, stream.n - stream.n / 3);
		for (size_t i = 0; i < count; i++) {
			struct pipeline_times times[OPS];
			struct pipeline_result stepped;
			stepped_inorder(&configs[i], stream.ops, stream.n, &stepped, times);
			assert_int_equal(pipeline_simd_cycles(lanes, i), stepped.cycles);
		}
		pipeline_simd_free(lanes);
	}
}

enum { UOPS_MAX = 1000 };

/* A trace of the course, and what its micro-ops are to pipelines. */
struct trace {
	struct course_uop uops[UOPS_MAX];
	struct pipeline_op ops[UOPS_MAX];
	uint64_t addresses[UOPS_MAX];
	size_t n;
};

static uint8_t
register_of(int32_t number)
{
	return number < 0 ? PIPELINE_NONE : (uint8_t)number;
}

static struct pipeline_op
op_of_uop(const struct course_uop *uop, bool flags)
{
	const int32_t reads = flags && uop->flags == 'R' ? COURSE_FLAGS : COURSE_NONE;
	const int32_t writes = flags && uop->flags == 'W' ? COURSE_FLAGS : COURSE_NONE;
	unsigned bits = uop->ldst == 'L'   ? PIPELINE_LOADS
			: uop->ldst == 'S' ? PIPELINE_STORE
					   : 0;
	bits |= uop->branch == 'T' ? PIPELINE_TAKEN : 0;
	return (struct pipeline_op){
		{register_of(uop->src1), register_of(uop->src2), register_of(reads)},
		{register_of(uop->dest), register_of(writes)}, (uint8_t)bits, 0};
}

/* Opens a file below the directory of the project; skips the test if it does not exist. */
static void
read_trace(const char *name, bool flags, struct trace *trace)
{
	static struct uop_text text;
	char path[4096];
	const char *root = getenv("POLYTRACE_ROOT");
	snprintf(path, sizeof path, "%s/%s", root ? root : ".", name);
	FILE *file = fopen(path, "r");
	if (!file)
		skip();
	struct course_uop uop = {0};
	for (trace->n = 0; trace->n < UOPS_MAX && next_uop(file, &uop, &text); trace->n++) {
		trace->uops[trace->n] = uop;
		trace->uops[trace->n].macro = trace->uops[trace->n].micro = "";
		trace->ops[trace->n] = op_of_uop(&uop, flags);
		trace->addresses[trace->n] = uop.address;
	}
	fclose(file);
	assert_int_equal(trace->n, UOPS_MAX);
}

static uint64_t
inorder_cycles(const struct pipeline_inorder_config *config, const struct trace *trace)
{
	struct pipeline_result result;
	struct pipeline_inorder *pipeline = pipeline_inorder_new(config, NULL);
	assert_non_null(pipeline);
	pipeline_inorder_run(pipeline, trace->ops, trace->n, NULL);
	pipeline_inorder_result(pipeline, &result);
	pipeline_inorder_free(pipeline);
	return result.cycles;
}

static uint64_t
ooo_cycles_of(const struct pipeline_ooo_config *config, const struct trace *trace)
{
	const struct pipeline_ops ops = {trace->ops, trace->addresses, NULL, trace->n};
	struct pipeline_result result;
	struct pipeline_ooo *pipeline = pipeline_ooo_new(config, NULL);
	assert_non_null(pipeline);
	pipeline_ooo_run(pipeline, &ops, NULL);
	pipeline_ooo_result(pipeline, &result);
	pipeline_ooo_free(pipeline);
	return result.cycles;
}

/* Reference cis501 7.2: load latencies 1 to 15, with and without order of writes. */
static void
the_scoreboard_equals_the_reference(void **state)
{
	static const uint64_t expected[] = {1000, 1134, 1294, 1459, 1627, 1796, 1966, 2136,
		2308, 2480, 2652, 2824, 2996, 3168, 3340};
	static struct trace trace;
	(void)state;
	read_trace("../shared/data/public/cis501/gcc-1K.trace", false, &trace);
	for (unsigned latency = 1; latency <= 15; latency++) {
		struct pipeline_inorder_config config = {
			.width = 1, .latency = {1, latency, 1, 1, 1, 1, 1, 1}};
		assert_int_equal(inorder_cycles(&config, &trace), expected[latency - 1]);
		config.order = PIPELINE_ORDER_LATENCY;
		assert_int_equal(inorder_cycles(&config, &trace), expected[latency - 1]);
	}
}

static void
a_plain_core_of_the_course_has_the_same_cycles(void **state)
{
	static struct trace trace;
	(void)state;
	read_trace("tests/data/cis501/sort_1k.trace", true, &trace);
	for (unsigned width = 1; width <= 8; width++) {
		const struct superscalar_config course = {
			SUPERSCALAR_PLAIN, width, false, false, false};
		const struct pipeline_inorder_config config = {.width = width,
			.latency = {1, 2, 1, 1, 1, 1, 1, 1},
			.order = PIPELINE_ORDER_ALL};
		struct superscalar *core = superscalar_new(&course, NULL);
		assert_non_null(core);
		for (size_t i = 0; i < trace.n; i++)
			superscalar_add(core, &trace.uops[i], NULL);
		assert_int_equal(inorder_cycles(&config, &trace), superscalar_cycles(core));
		superscalar_free(core);
	}
}

static void
an_out_of_order_core_of_the_course_has_the_same_cycles(void **state)
{
	static const enum pipeline_memory rules[] = {[OOO_NONE] = PIPELINE_MEMORY_NONE,
		[OOO_CONSERVATIVE] = PIPELINE_MEMORY_CONSERVATIVE,
		[OOO_PERFECT] = PIPELINE_MEMORY_PERFECT};
	static struct trace trace;
	(void)state;
	read_trace("tests/data/cis501/sort_1k.trace", true, &trace);
	for (unsigned trial = 0; trial < 60; trial++) {
		const enum ooo_memory memory = (enum ooo_memory)(OOO_NONE + trial % 3);
		const struct ooo_config course = {memory, 1 + trial % 8, 52 + trial * trial,
			4 + 3 * trial, 3 + trial % 2, false};
		const struct pipeline_ooo_config config = {.width = course.width,
			.size = course.size,
			.registers = course.registers - COURSE_REGISTERS,
			.latency = {1, course.load_latency, 1, 1, 1, 1, 1, 1},
			.memory = rules[memory]};
		struct ooo *core = ooo_new(&course, NULL);
		assert_non_null(core);
		for (size_t i = 0; i < trace.n; i++)
			assert_int_equal(ooo_add(core, &trace.uops[i], NULL, NULL), POLY_OK);
		assert_int_equal(ooo_end(core, NULL, NULL), POLY_OK);
		assert_int_equal(ooo_cycles_of(&config, &trace), ooo_cycles(core));
		ooo_free(core);
	}
}

/* A micro-op with one source and one destination. */
static struct pipeline_op
op_of(unsigned flags, uint8_t source, uint8_t dest, uint16_t extra)
{
	return (struct pipeline_op){{source, PIPELINE_NONE, PIPELINE_NONE},
		{dest, PIPELINE_NONE}, (uint8_t)flags, extra};
}

/*
 * Two a cycle, loads take 3: the load and a free micro-op issue in 0; the load's user in 3 + 2
 * extra, 4 cycles wasted: 2 on the load, the last 2 on the miss. It is a mispredicted branch
 * with a penalty of 4: the next issues in 9, 3 cycles wasted.
 */
static void
the_cpi_stack_adds_up_in_order(void **state)
{
	(void)state;
	const struct pipeline_op ops[] = {op_of(PIPELINE_LOADS, PIPELINE_NONE, 1, 2),
		op_of(0, PIPELINE_NONE, 2, 0),
		op_of(PIPELINE_MISPREDICTED, 1, PIPELINE_NONE, 0),
		op_of(0, PIPELINE_NONE, 3, 0)};
	const struct pipeline_inorder_config config = {
		.width = 2, .latency = {1, 3, 1, 1, 1, 1, 1, 1}, .penalty = 4};
	struct pipeline_times times[4];
	struct pipeline_result result;
	struct pipeline_inorder *pipeline = pipeline_inorder_new(&config, NULL);
	assert_non_null(pipeline);
	pipeline_inorder_run(pipeline, ops, 4, times);
	pipeline_inorder_result(pipeline, &result);
	pipeline_inorder_free(pipeline);
	const uint64_t issued[] = {0, 0, 5, 9};
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(times[i].issued, issued[i]);
	assert_int_equal(result.cycles, 10);
	assert_int_equal(result.parts[PIPELINE_BUSY], 3);
	assert_int_equal(result.parts[PIPELINE_LOAD], 2);
	assert_int_equal(result.parts[PIPELINE_MISS], 2);
	assert_int_equal(result.parts[PIPELINE_BRANCH], 3);
}

/*
 * A load of 3 cycles and the next micro-op are fetched in 0 and issue in 1; the load is done
 * in 4, in which both commit; the branch that needs it issues in 4, is done and commits in 5.
 * Fetching resumes in 5 + 2: issued in 8, done and committed in 9. Idle: 0 (fetch), 1 to 3
 * (load), 6 and 7 (branch), 8 (execute).
 */
static void
the_cpi_stack_adds_up_out_of_order(void **state)
{
	(void)state;
	const struct pipeline_op ops[] = {op_of(PIPELINE_LOADS, PIPELINE_NONE, 1, 0),
		op_of(0, PIPELINE_NONE, 2, 0),
		op_of(PIPELINE_MISPREDICTED, 1, PIPELINE_NONE, 0),
		op_of(0, PIPELINE_NONE, 3, 0)};
	const struct pipeline_ooo_config config = {
		.width = 4, .size = 8, .latency = {1, 3, 1, 1, 1, 1, 1, 1}, .penalty = 2};
	struct pipeline_times times[4];
	struct pipeline_result result;
	struct pipeline_ooo *pipeline = pipeline_ooo_new(&config, NULL);
	assert_non_null(pipeline);
	pipeline_ooo_run(pipeline, &(struct pipeline_ops){ops, NULL, NULL, 4}, times);
	pipeline_ooo_result(pipeline, &result);
	pipeline_ooo_free(pipeline);
	const struct pipeline_times expected[] = {
		{0, 1, 4, 4}, {0, 1, 2, 4}, {0, 4, 5, 5}, {7, 8, 9, 9}};
	expect_times(times, expected, 4);
	assert_int_equal(result.cycles, 10);
	assert_int_equal(result.parts[PIPELINE_BUSY], 3);
	assert_int_equal(result.parts[PIPELINE_FETCH], 1);
	assert_int_equal(result.parts[PIPELINE_LOAD], 3);
	assert_int_equal(result.parts[PIPELINE_BRANCH], 2);
	assert_int_equal(result.parts[PIPELINE_EXECUTE], 1);
}

static void
impossible_pipelines_are_rejected(void **state)
{
	(void)state;
	struct poly_error error;
	struct pipeline_inorder_config config = {
		.width = 1, .latency = {1, 1, 1, 1, 0, 1, 1, 1}};
	assert_null(pipeline_inorder_new(&config, &error));
	assert_string_equal(error.message, "a latency in cycles is 0, expected 1 to 4095");
	config.latency[4] = 1;
	assert_null(pipeline_simd_new(&config, 17, PIPELINE_BEST, &error));
	assert_string_equal(error.message, "17 pipelines at once, expected 1 to 16");
	struct pipeline_ooo_config ooo = {
		.width = 1, .size = 8, .registers = 1, .latency = {1, 1, 1, 1, 1, 1, 1, 1}};
	assert_null(pipeline_ooo_new(&ooo, &error));
	assert_string_equal(
		error.message, "the number of registers for results is 1, expected 2 to 65536");
}

static enum poly_status
build_out_of_order(void *context)
{
	const struct pipeline_ooo_config config = {.width = 1,
		.size = 8,
		.registers = 8,
		.latency = {1, 1, 1, 1, 1, 1, 1, 1},
		.memory = PIPELINE_MEMORY_STORE_SETS};
	struct poly_error error;
	struct pipeline_ooo *pipeline = pipeline_ooo_new(&config, &error);
	const enum poly_status status = pipeline ? POLY_OK : error.status;
	(void)context;
	pipeline_ooo_free(pipeline);
	return status;
}

static const struct pipeline_inorder_config one_wide = {
	.width = 1, .latency = {1, 1, 1, 1, 1, 1, 1, 1}};

static enum poly_status
build_lanes(void *context)
{
	struct poly_error error;
	struct pipeline_simd *lanes = pipeline_simd_new(&one_wide, 1, PIPELINE_BEST, &error);
	const enum poly_status status = lanes ? POLY_OK : error.status;
	(void)context;
	pipeline_simd_free(lanes);
	return status;
}

static enum poly_status
build_in_order(void *context)
{
	struct poly_error error;
	struct pipeline_inorder *pipeline = pipeline_inorder_new(&one_wide, &error);
	const enum poly_status status = pipeline ? POLY_OK : error.status;
	(void)context;
	pipeline_inorder_free(pipeline);
	return status;
}

static void
lack_of_memory_is_reported(void **state)
{
	(void)state;
	law_memory(build_out_of_order, NULL);
	law_memory(build_lanes, NULL);
	law_memory(build_in_order, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_order_time_stamps_are_those_of_stepping),
		cmocka_unit_test(cycles_alone_are_those_of_stepping),
		cmocka_unit_test(full_cycles_add_up_whatever_the_width),
		cmocka_unit_test(out_of_order_time_stamps_are_those_of_stepping),
		cmocka_unit_test(conservative_loads_wait_as_in_stepping),
		cmocka_unit_test(loads_that_know_their_stores_wait_as_in_stepping),
		cmocka_unit_test(naive_loads_are_squashed_as_in_stepping),
		cmocka_unit_test(store_sets_are_learned_as_in_stepping),
		cmocka_unit_test(lanes_equal_separate_pipelines),
		cmocka_unit_test(the_scoreboard_equals_the_reference),
		cmocka_unit_test(a_plain_core_of_the_course_has_the_same_cycles),
		cmocka_unit_test(an_out_of_order_core_of_the_course_has_the_same_cycles),
		cmocka_unit_test(the_cpi_stack_adds_up_in_order),
		cmocka_unit_test(the_cpi_stack_adds_up_out_of_order),
		cmocka_unit_test(impossible_pipelines_are_rejected),
		cmocka_unit_test(lack_of_memory_is_reported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
