/* SPDX-License-Identifier: MIT */
/*
 * The courses' simulators: lines worked by hand, whole outputs that instructors published, and
 * the results that are known of a real trace (published results of CIS 501). The published
 * files and the trace are beside the project or the tests about them are skipped.
 */
#include "test_help.h"

#include "course/cache.h"
#include "course/mix.h"
#include "course/predictors.h"
#include "course/scoreboard.h"
#include "course/sfsu.h"

#include "course_help.h"

static struct course_trace *
real_trace(void)
{
	FILE *file = course_public("gcc-1K.trace");
	if (!file)
		skip();
	struct course_trace *trace = course_read(file);
	assert_int_equal(trace->count, 1000);
	return trace;
}

/* What a predictor prints of a trace. */
static void
predict(const struct course_predictor_config *config, const struct course_uop *uops, size_t n,
	struct buf *to)
{
	struct course_predictor predictor;
	assert_int_equal(course_predictor_init(&predictor, config, NULL), POLY_OK);
	course_predictor_begin(&predictor, "a.trace", to);
	for (size_t i = 0; i < n; i++)
		course_predictor_uop(&predictor, &uops[i], to);
	course_predictor_end(&predictor, to);
	course_predictor_fini(&predictor);
}

static const struct {
	const char *file;
	struct course_predictor_config config;
} published[] = {
	{"penn-hw3-2012/bimodal3.output", {.kind = COURSE_BIMODAL, .bimodal_log2 = 3}},
	{"penn-hw3-2012/gshare4-3.output",
		{.kind = COURSE_GSHARE, .gshare_log2 = 4, .history = 3}},
	{"penn-hw3-2012/tournament3-bimodal3-gshare4-4.output", {.kind = COURSE_TOURNAMENT,
									.bimodal_log2 = 3,
									.gshare_log2 = 4,
									.chooser_log2 = 3,
									.history = 4}},
};

static void
predictors_print_the_published_output(void **state)
{
	(void)state;
	struct course_trace *trace = real_trace();
	for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
		static char expected[100000];
		struct buf to = {0};
		FILE *file = course_public(published[i].file);
		assert_non_null(file);
		size_t size = fread(expected, 1, sizeof expected - 1, file);
		fclose(file);
		expected[size] = 0;
		assert_true(size > 1000);
		predict(&published[i].config, trace->uops, trace->count, &to);
		assert_string_equal(buf_text(&to), expected);
		buf_free(&to);
	}
	free(trace);
}

/* Three branches: at 5 taken twice, at 6 not; and records that are none. */
static const struct course_uop few[] = {
	{.number = 1, .pc = 5, .flags = 'R', .branch = 'T', .ldst = '-', .uop = 1},
	{.number = 2, .pc = 7, .flags = '-', .branch = 'T', .ldst = '-', .uop = 1},
	{.number = 3, .pc = 5, .flags = 'R', .branch = 'T', .ldst = '-', .uop = 1},
	{.number = 4, .pc = 6, .flags = 'R', .branch = '-', .ldst = '-', .uop = 2},
	{.number = 5, .pc = 0x5d, .flags = 'R', .branch = 'N', .ldst = '-', .uop = 1},
};

static void
assert_predictor(const struct course_predictor_config *config, const char *expected)
{
	struct buf to = {0};
	predict(config, few, 5, &to);
	assert_string_equal(buf_text(&to), expected);
	buf_free(&to);
}

#define WUSTL_END(what)                                                       \
	"Processed 5 trace lines.\nNum Uops (micro-ops): \t\t\t5\n"           \
	"** " what " ** \nPrediction Accuracy: 33.33% (Mis-prediction rate: " \
	"66.67%)\n"

static void
predictors_print_washingtons_layouts(void **state)
{
	(void)state;
	struct course_predictor_config config = {
		.layout = COURSE_WUSTL, .kind = COURSE_NOT_TAKEN};
	assert_predictor(&config,
		"debug mode on\nTrace name  \t\t\t\ta.trace\n"
		"Branch Predictor: \t\t\tstatic -- not-taken\nInstruction Limit\t\t\tnone\n"
		"PC\tPred\tOutcome\t  Result\tnIncorrect\n"
		"5\tN\tT\tincorrect\t1\n5\tN\tT\tincorrect\t2\n5d\tN\tN\t  "
		"correct\t2\n" WUSTL_END("static predictor, predicting not-taken"));
	/* 5 and 0x5d share a counter, which goes from N to t and is wrong each time. */
	config.kind = COURSE_BIMODAL;
	config.bimodal_log2 = 2;
	assert_predictor(&config,
		"debug mode on\nTrace name  \t\t\t\ta.trace\n"
		"Branch Predictor: \t\t\tbimodal -- 2^2entries, each has 2-bit sat ctrs\n"
		"Instruction Limit\t\t\tnone\n"
		"PC\tTableState\tPred\tOutcome\t  Result\tnIncorrect\n"
		"5\tNNNN\tN\tT\tincorrect\t1\n5\tNnNN\tN\tT\tincorrect\t2\n"
		"5d\tNtNN\tT\tN\tincorrect\t3\n"
		"Processed 5 trace lines.\nNum Uops (micro-ops): \t\t\t5\n"
		"** bimodal predictor, predicting 2^2entries, each has 2-bit sat ctrs ** \n"
		"Prediction Accuracy: 0.00% (Mis-prediction rate: 100.00%)\n");
	/* The index is 5, then 5 xor 1, then 0x5d xor 3, all mod 4. */
	config.kind = COURSE_GSHARE;
	config.gshare_log2 = 2;
	config.history = 3;
	assert_predictor(&config,
		"debug mode on\nTrace name  \t\t\t\ta.trace\n"
		"Branch Predictor: \t\t\tgshare -- 2^2entries, each has 2-bit sat ctrs, Plus "
		"BHR of length 3 bits\nInstruction Limit\t\t\tnone\n"
		"PC\tTableState\t\tHist\tPred\tOutcome\t  Result\tnIncorrect\n"
		"5\tNNNN\tNNN\tN\tT\tincorrect\t1\n5\tNnNN\tNNT\tN\tT\tincorrect\t2\n"
		"5d\tnnNN\tNTT\tN\tN\t  correct\t2\n" WUSTL_END(
			"gshare predictor, predicting 2^2entries, each has 2-bit sat ctrs, "
			"Plus BHR of length 3 bits"));
}

static void
the_tournament_prints_all_of_its_tables(void **state)
{
	(void)state;
	/* The third branch: bimodal is t, gshare N, and the chooser (B) follows bimodal. */
	const struct course_predictor_config config = {.layout = COURSE_WUSTL,
		.kind = COURSE_TOURNAMENT,
		.bimodal_log2 = 2,
		.gshare_log2 = 1,
		.chooser_log2 = 0,
		.history = 1};
	assert_predictor(&config,
		"debug mode on\nTrace name  \t\t\t\ta.trace\n"
		"Branch Predictor: \t\t\ttour -- Bimodal: 2^2entries, each has 2-bit sat ctrs\n"
		"GSHARE: 2^1entries, each has 2-bit sat ctrs, Plus BHR of length 1 bits\n"
		"Chooser Table: 2^0entries, each has 2-bit sat ctrs\n"
		"Instruction Limit\t\t\tnone\n"
		"PC\tBimodTable\tGshareTable\t\tHist\tChooseTable\tPred\tOutcome\tResult\t\t"
		"nIncorrect\n"
		"5\tNNNN\tNN\tN\tB\tN\tT\tincorrect\t1\n"
		"5\tNnNN\tNn\tT\tB\tN\tT\tincorrect\t2\n"
		"5d\tNtNN\tnn\tT\tB\tT\tN\tincorrect\t3\n"
		"Processed 5 trace lines.\nNum Uops (micro-ops): \t\t\t5\n"
		"** tour predictor, predicting Bimodal: 2^2entries, each has 2-bit sat ctrs\n"
		"GSHARE: 2^1entries, each has 2-bit sat ctrs, Plus BHR of length 1 bits\n"
		"Chooser Table: 2^0entries, each has 2-bit sat ctrs ** \n"
		"Prediction Accuracy: 0.00% (Mis-prediction rate: 100.00%)\n");
}

static void
a_quiet_predictor_prints_no_branches(void **state)
{
	(void)state;
	const struct course_predictor_config config = {
		.layout = COURSE_WUSTL, .kind = COURSE_NOT_TAKEN, .is_quiet = true};
	assert_predictor(&config,
		"Trace name  \t\t\t\ta.trace\nBranch Predictor: \t\t\tstatic -- not-taken\n"
		"Instruction Limit\t\t\tnone\n" WUSTL_END(
			"static predictor, predicting not-taken"));
}

/* What a scoreboard prints of a trace; returns the cycles. */
static uint64_t
issue(unsigned latency, bool is_relaxed, const struct course_uop *uops, size_t n,
	struct buf *to)
{
	struct course_scoreboard board;
	assert_int_equal(course_scoreboard_init(&board, latency, is_relaxed, NULL), POLY_OK);
	board.is_quiet = n == 1000;
	course_scoreboard_begin(&board, "a.trace", to);
	for (size_t i = 0; i < n; i++)
		course_scoreboard_uop(&board, &uops[i], to);
	course_scoreboard_end(&board, to);
	return board.cycle;
}

static void
a_scoreboard_waits_for_sources_and_for_older_writes(void **state)
{
	(void)state;
	/* A load of r2 takes 3 cycles; what writes r2 in one cycle, and reads r1, may come
	 * ahead of it only where the order of writes is relaxed. */
	const struct course_uop uops[] = {
		{.number = 1, .src1 = -1, .src2 = 1, .dest = 2, .ldst = 'L', .uop = 1},
		{.number = 2, .src1 = 1, .src2 = -1, .dest = 2, .ldst = '-', .uop = 2},
		{.number = 3, .src1 = 2, .src2 = 1, .dest = -1, .ldst = 'S', .uop = 1},
	};
	const char rest[] = "-----------------------------------------------\n";
	char expected[2000];
	struct buf to = {0};
	assert_int_equal(sizeof rest, 47 + 2);
	snprintf(expected, sizeof expected,
		"Trace name  \t\t\t\ta.trace\nLoad Latency (cycles) \t\t\t3\n"
		"cycle\tuop  Src1 (ready?)\tSrc2 (ready?)\tDestReg\tLdSt\t"
		"contents-of-the-scoreboard\n"
		"    0    1\t-1 (Ready)\t 1 (Ready)\t-->  2\tL\t--3%s"
		"    1    2\t 1 (Ready)\t-1 (Ready)\t-->  2\t-\t--2%s"
		"    2    2\t 1 (Ready)\t-1 (Ready)\t-->  2\t-\t--1%s"
		"    3    2\t 1 (Ready)\t-1 (Ready)\t-->  2\t-\t--1%s"
		"    4    3\t 2 (Ready)\t 1 (Ready)\t--> -1\tS\t---%s"
		"Processed 3 trace lines.\nNum Uops (micro-ops): \t\t\t3\n"
		"Num Mops (macro-ops): \t\t\t2\nTotal Execution Time (in cycles): \t5\n"
		"CPI (per uop): \t\t\t\t1.667\nIPC (per uop): \t\t\t\t0.600\n",
		rest, rest, rest, rest, rest);
	assert_int_equal(issue(3, false, uops, 3, &to), 5);
	assert_string_equal(buf_text(&to), expected);
	buf_clear(&to);
	assert_int_equal(issue(3, true, uops, 3, &to), 3);
	buf_free(&to);
}

static void
the_scoreboard_has_the_known_cycles_at_every_latency(void **state)
{
	(void)state;
	static const unsigned cycles[] = {1000, 1134, 1294, 1459, 1627, 1796, 1966, 2136, 2308,
		2480, 2652, 2824, 2996, 3168, 3340};
	struct course_trace *trace = real_trace();
	struct buf to = {0};
	for (unsigned latency = 1; latency <= 15; latency++) {
		assert_int_equal(
			issue(latency, false, trace->uops, 1000, &to), cycles[latency - 1]);
		assert_int_equal(
			issue(latency, true, trace->uops, 1000, &to), cycles[latency - 1]);
	}
	assert_non_null(strstr(buf_text(&to), "Num Mops (macro-ops): \t\t\t754\n"));
	buf_free(&to);
	free(trace);
}

/* Runs a trace through a cache, which is the caller's then; to: where it prints. */
static struct course_cache
run_cache(struct course_cache_config config, const struct course_trace *trace)
{
	struct course_cache cache;
	assert_int_equal(course_cache_init(&cache, &config, NULL), POLY_OK);
	for (size_t i = 0; i < trace->count; i++)
		course_cache_uop(&cache, &trace->uops[i], NULL);
	return cache;
}

static void
addresses_are_split_like_in_the_grader(void **state)
{
	(void)state;
	struct course_cache cache;
	assert_int_equal(
		course_cache_init(&cache,
			&(struct course_cache_config){.capacity = 512, .block = 32, .ways = 1},
			NULL),
		POLY_OK);
	struct course_access found = course_cache_find(&cache, 3921);
	assert_int_equal(found.tag, 7);
	assert_int_equal(found.set, 10);
	assert_int_equal(found.block, 3904);
	course_cache_fini(&cache);
	assert_int_equal(
		course_cache_init(&cache,
			&(struct course_cache_config){.capacity = 2048, .block = 64, .ways = 4},
			NULL),
		POLY_OK);
	found = course_cache_find(&cache, 314159265);
	assert_int_equal(found.tag, 613592);
	assert_int_equal(found.set, 2);
	assert_int_equal(found.block, 314159232);
	course_cache_fini(&cache);
}

static void
a_cache_prints_its_state_before_each_access(void **state)
{
	(void)state;
	const struct course_uop uops[] = {
		{.address = 0x105, .ldst = 'S', .branch = '-', .flags = '-'},
		{.address = 0x208, .ldst = 'L', .branch = '-', .flags = '-'},
		{.ldst = '-', .branch = '-', .flags = '-'},
		{.address = 0x104, .ldst = 'L', .branch = '-', .flags = '-'},
		{.address = 0x300, .ldst = 'L', .branch = '-', .flags = '-'},
		{.address = 0x400, .ldst = 'L', .branch = '-', .flags = '-'},
	};
	struct course_cache cache;
	struct buf to = {0};
	/* Two sets of two ways; blocks of 16 bytes, so 0x105 has the tag 0x105 / 32 = 8. */
	assert_int_equal(
		course_cache_init(&cache,
			&(struct course_cache_config){.capacity = 64, .block = 16, .ways = 2},
			NULL),
		POLY_OK);
	course_cache_begin(&cache, "a.trace", false, &to);
	for (size_t i = 0; i < 6; i++)
		course_cache_uop(&cache, &uops[i], &to);
	course_cache_end(&cache, 6, &to);
	assert_string_equal(buf_text(&to),
		"debug mode on\nTrace name  \t\t\t\ta.trace\n"
		"Cache size  = 64B. Each block = 16B.\n2-way set associative cache.\n"
		"Tag = 27 bits, Index = 1 bits, Offset = 4 bits\n"
		"There are 2 sets total in the cache.\n"
		"At this associativity, that means a total of 4 cache lines.\n"
		"(Assuming a 32-bit address.)\nInstruction Limit\t\t\tnone\n"
		"[SetNum: {WayNum: Tag,cl/dirty} LRU=WayNum]\t| "
		"Block-Addr\tType\tH/M\tEvicState\n"
		"[S0: {W0: 0, C} {W1: 0, C} LRU=0] [S1: {W0: 0, C} {W1: 0, C} LRU=0] \t| "
		"100\tS\tmiss\tclean\n"
		"[S0: {W0: 8, D} {W1: 0, C} LRU=1] [S1: {W0: 0, C} {W1: 0, C} LRU=0] \t| "
		"200\tL\tmiss\tclean\n"
		"[S0: {W0: 8, D} {W1: 10, C} LRU=0] [S1: {W0: 0, C} {W1: 0, C} LRU=0] \t| "
		"100\tL\thit\t--\n"
		"[S0: {W0: 8, D} {W1: 10, C} LRU=1] [S1: {W0: 0, C} {W1: 0, C} LRU=0] \t| "
		"300\tL\tmiss\tclean\n"
		"[S0: {W0: 8, D} {W1: 18, C} LRU=0] [S1: {W0: 0, C} {W1: 0, C} LRU=0] \t| "
		"400\tL\tmiss\tdirty\n"
		"Processed 6 trace lines.\nNum Uops (micro-ops): \t\t\t6\n"
		"Cache Hit Rate = 20.00% (Mis-rate: 80.00%)\n"
		"Total number of bytes transferred write-back: 80\n"
		"Total number of bytes transferred write-thru: 68\n");
	buf_free(&to);
	course_cache_fini(&cache);
}

/* By capacity, 2^8 to 2^16 bytes: blocks of 64 bytes. */
static const unsigned direct_misses[] = {132, 108, 80, 61, 52, 49, 46, 46, 46};
static const unsigned direct_dirty[] = {43, 35, 24, 10, 4, 3, 2, 2, 2};
static const unsigned direct_back[] = {11200, 9152, 6656, 4544, 3584, 3328, 3072, 3072, 3072};
static const unsigned direct_through[] = {8880, 7344, 5552, 4336, 3760, 3568, 3376, 3376, 3376};
static const unsigned two_misses[] = {111, 90, 75, 52, 48, 46, 46, 46, 46};
static const unsigned two_dirty[] = {40, 29, 20, 7, 1, 1, 1, 0, 0};

static void
caches_have_the_known_misses_and_traffic(void **state)
{
	(void)state;
	static const enum course_policy policies[] = {COURSE_POINTER, COURSE_LRU};
	struct course_trace *trace = real_trace();
	/* With one or two ways it makes no difference which rule chooses. */
	for (unsigned i = 0; i < 18; i++) {
		unsigned size = i / 2;
		struct course_cache_config config = {.capacity = (uint64_t)256 << size,
			.block = 64,
			.ways = 1,
			.policy = policies[i % 2]};
		struct course_cache cache = run_cache(config, trace);
		assert_int_equal(cache.loads + cache.stores, 340);
		assert_int_equal(cache.stores, 108);
		assert_int_equal(cache.load_misses + cache.store_misses, direct_misses[size]);
		assert_int_equal(cache.dirty_loads + cache.dirty_stores, direct_dirty[size]);
		assert_int_equal(course_cache_back(&cache), direct_back[size]);
		assert_int_equal(course_cache_through(&cache), direct_through[size]);
		course_cache_fini(&cache);
		config.ways = 2;
		cache = run_cache(config, trace);
		assert_int_equal(cache.load_misses + cache.store_misses, two_misses[size]);
		assert_int_equal(cache.dirty_loads + cache.dirty_stores, two_dirty[size]);
		course_cache_fini(&cache);
	}
	free(trace);
}

static void
block_sizes_and_replacement_policies_have_the_known_misses(void **state)
{
	(void)state;
	static const unsigned by_block[] = {115, 83, 62, 46, 39, 34, 31};
	static const unsigned back[] = {920, 1328, 1984, 2944, 4992, 8704, 16384};
	static const unsigned lru[] = {53, 51, 47, 46}, pointer[] = {58, 51, 48, 46};
	struct course_trace *trace = real_trace();
	for (unsigned i = 0; i < 7; i++) {
		struct course_cache cache = run_cache(
			(struct course_cache_config){
				.capacity = 32768, .block = 8u << i, .ways = 2},
			trace);
		assert_int_equal(cache.load_misses + cache.store_misses, by_block[i]);
		assert_int_equal(course_cache_back(&cache), back[i]);
		course_cache_fini(&cache);
	}
	for (unsigned i = 0; i < 4; i++) {
		struct course_cache_config config = {
			.capacity = 1024u << i, .block = 64, .ways = 4};
		struct course_cache cache = run_cache(config, trace);
		assert_int_equal(cache.load_misses + cache.store_misses, pointer[i]);
		course_cache_fini(&cache);
		config.policy = COURSE_LRU;
		config.has_valid = true;
		cache = run_cache(config, trace);
		assert_int_equal(cache.load_misses + cache.store_misses, lru[i]);
		course_cache_fini(&cache);
	}
	free(trace);
}

static void
empty_frames_have_the_tag_0_without_valid_bits(void **state)
{
	(void)state;
	struct course_cache cache;
	struct course_cache_config config = {.capacity = 64, .block = 16, .ways = 2};
	assert_int_equal(course_cache_init(&cache, &config, NULL), POLY_OK);
	assert_true(course_cache_access(&cache, 0x18, false).hit);
	course_cache_fini(&cache);
	config.has_valid = true;
	assert_int_equal(course_cache_init(&cache, &config, NULL), POLY_OK);
	assert_false(course_cache_access(&cache, 0x18, false).hit);
	assert_true(course_cache_access(&cache, 0x18, false).hit);
	course_cache_fini(&cache);
}

/*
 * One set of 2 ways, and one entry for all blocks. 0x100 fills way 0 and is found there; 0x200
 * fills way 1 and is found there, then 0x100 in way 0 where way 1 is predicted, and again.
 */
static void
a_way_predictor_predicts_the_most_recently_used_way(void **state)
{
	(void)state;
	static const uint64_t addresses[] = {0x100, 0x108, 0x200, 0x20f, 0x100, 0x100};
	struct course_cache_config config = {
		.capacity = 32, .block = 16, .ways = 2, .has_valid = true, .way_entries = 1};
	struct course_cache cache;
	struct buf to = {0};
	assert_int_equal(course_cache_init(&cache, &config, NULL), POLY_OK);
	for (size_t i = 0; i < 6; i++)
		course_cache_access(&cache, addresses[i], false);
	assert_int_equal(cache.way_mispredictions, 1);
	course_cache_end(&cache, 6, &to);
	assert_non_null(strstr(buf_text(&to),
		"\nway mispredictions = 1\nway misprediction rate = 0.250000\n"));
	course_cache_fini(&cache);
	buf_free(&to);
	/* With an entry for each block none is wrong. */
	config.way_entries = 64;
	assert_int_equal(course_cache_init(&cache, &config, NULL), POLY_OK);
	for (size_t i = 0; i < 6; i++)
		course_cache_access(&cache, addresses[i], false);
	assert_int_equal(cache.way_mispredictions, 0);
	course_cache_fini(&cache);
	config.way_entries = 3;
	assert_int_equal(course_cache_init(&cache, &config, NULL), POLY_ERR_USAGE);
	config = (struct course_cache_config){
		.capacity = 32, .block = 16, .ways = 1, .way_entries = 1};
	assert_int_equal(course_cache_init(&cache, &config, NULL), POLY_ERR_USAGE);
}

static void
san_franciscos_systems_have_the_known_results(void **state)
{
	(void)state;
	static const unsigned known[][5] = {
		{8, 4, 82, 117, 115}, {64, 16, 110, 77, 76}, {1024, 128, 109, 20, 18}};
	struct course_trace *trace = real_trace();
	struct course_sfsu_static first = {0};
	for (size_t i = 0; i < trace->count; i++)
		course_sfsu_static_uop(&first, &trace->uops[i]);
	assert_int_equal(course_sfsu_static_branches(&first), 193);
	assert_int_equal(first.forward, 118);
	assert_int_equal(first.forward_taken, 66);
	assert_int_equal(first.backward, 75);
	assert_int_equal(first.backward_taken, 43);
	assert_int_equal(course_sfsu_static_mispredictions(&first), 98);
	for (size_t k = 0; k < 3; k++) {
		struct course_sfsu_dynamic second;
		assert_int_equal(
			course_sfsu_dynamic_init(&second, known[k][0], known[k][1], NULL),
			POLY_OK);
		for (size_t i = 0; i < trace->count; i++)
			course_sfsu_dynamic_uop(&second, &trace->uops[i], NULL);
		assert_int_equal(second.branches, 193);
		assert_int_equal(second.mispredictions, known[k][2]);
		assert_int_equal(second.accesses, known[k][3]);
		assert_int_equal(second.misses, known[k][4]);
		course_sfsu_dynamic_fini(&second);
	}
	free(trace);
}

static void
san_franciscos_second_system_prints_a_line_per_branch(void **state)
{
	(void)state;
	struct course_sfsu_dynamic system;
	struct buf to = {0};
	/* 13 counters and 3 entries: 0x5d is 93, counter 2, entry 0 with tag 31. */
	assert_int_equal(course_sfsu_dynamic_init(&system, 13, 3, NULL), POLY_OK);
	for (size_t i = 0; i < 5; i++)
		course_sfsu_dynamic_uop(&system, &few[i], &to);
	assert_string_equal(buf_text(&to), "0 5 1 2 2 1 0 0\n"
					   "1 7 1 2 1 2 0 0\n"
					   "2 5 2 3 2 1 1 0\n"
					   "3 2 1 0 0 1f 1 0\n");
	buf_clear(&to);
	course_sfsu_dynamic_end(&system, &to);
	assert_string_equal(buf_text(&to),
		"branches = 4\nmispredicted branches = 2\nmisprediction rate = 0.500000\n"
		"BTB accesses = 1\nBTB misses = 0\n"
		"BTB miss rate = 0.000000\n");
	buf_clear(&to);
	course_sfsu_static_end(&(struct course_sfsu_static){3, 1, 1, 1}, &to);
	assert_string_equal(buf_text(&to),
		"branches = 4\nforward branches = 3\nforward branches taken = 1\n"
		"backward branches = 1\nbackward branches taken = 1\n"
		"mispredicted branches = 1\nmisprediction rate = 0.250000\n");
	buf_free(&to);
	course_sfsu_dynamic_fini(&system);
}

static void
san_franciscos_cache_counts_cycles(void **state)
{
	(void)state;
	struct course_cache cache;
	struct buf to = {0};
	const struct course_cache_config config = course_sfsu_cache(32, 2);
	/* One set of two ways: 0x100 is written, 0x200 read, 0x100 read again, so that 0x300
	 * drives 0x200 out and 0x400, a write, the dirty 0x100. */
	assert_int_equal(course_cache_init(&cache, &config, NULL), POLY_OK);
	course_cache_access(&cache, 0x100, true);
	course_cache_access(&cache, 0x200, false);
	course_cache_access(&cache, 0x10c, false);
	course_cache_access(&cache, 0x300, false);
	course_cache_access(&cache, 0x400, true);
	course_sfsu_cache_end(&cache, &to);
	assert_string_equal(buf_text(&to),
		"reads = 3\nwrites = 2\naccesses = 5\nread misses = 2\nwrite misses = 2\n"
		"misses = 4\ndirty read misses = 0\ndirty write misses = 1\n"
		"bytes read from memory = 64\nbytes written to memory = 16\n"
		"access time of reads (cycles) = 163\naccess time of writes (cycles) = 242\n"
		"miss rate = 0.800000\n");
	buf_free(&to);
	course_cache_fini(&cache);
}

/*
 * A load and a comparison of 4 bytes, a conditional branch of 2 to 12 bytes before it that can
 * be fused, and a jump of 5 bytes that goes 4096 bytes on.
 */
static const struct course_uop mixed[] = {
	{.pc = 0x100, .fallthrough = 0x104, .flags = '-', .ldst = 'L', .uop = 1},
	{.pc = 0x100, .fallthrough = 0x104, .flags = 'W', .ldst = '-', .uop = 2},
	{.pc = 0x104,
		.fallthrough = 0x106,
		.target = 0xf8,
		.flags = 'R',
		.ldst = '-',
		.uop = 1},
	{.pc = 0x106,
		.fallthrough = 0x10b,
		.target = 0x1106,
		.flags = '-',
		.ldst = '-',
		.uop = 1},
};

static void
the_mix_is_printed_in_washingtons_layout(void **state)
{
	(void)state;
	struct course_mix mix = {0};
	struct buf to = {0};
	for (size_t i = 0; i < 4; i++)
		course_mix_uop(&mix, &mixed[i]);
	course_mix_cut(&mix);
	course_mix_wustl(&mix, &to);
	assert_string_equal(buf_text(&to),
		"  Percent of mops consisting of  1 uops: 66.7%\n"
		"  Percent of mops consisting of  2 uops: 33.3%\n"
		"  Percent of mops of length  2 bytes: 33.3%\n"
		"  Percent of mops of length  4 bytes: 33.3%\n"
		"  Percent of mops of length  5 bytes: 33.3%\n"
		"  Percent of targets requiring  5 bits: 50.0%\n"
		"  Percent of targets requiring 14 bits: 50.0%\n"
		"  Percent of uops of type  0 : 25.0%\n  Percent of uops of type  2 : 25.0%\n"
		"  Percent of uops of type  3 : 25.0%\n  Percent of uops of type  4 : 25.0%\n");
	buf_free(&to);
}

static void
the_mix_has_penns_names(void **state)
{
	(void)state;
	static const char *const lines[] = {"micro-ops = 4\nmacro-ops = 3\n",
		"macro-ops of 2 micro-ops = 1\n", "avgInsnSize = 3.666667\n",
		"macro-ops of 5 bytes = 1\n", "branch targets of 14 bits = 1\n",
		"mostCommonUopCategory = loads\n",
		"fractionOfBranchTargetsLteNBits(13) = 0.500000\n",
		"fractionOfInsnsLteNBytes(4) = 0.666667\n",
		"branches of more than 8 bits = 1\n", "relative = 1.250000\n",
		"fused pairs = 1\nspeedup of fusion = 1.333333\n"};
	struct course_mix whole = {0}, half = {0}, rest = {0};
	struct buf to = {0};
	/* The halves meet between a comparison and its branch. */
	for (size_t i = 0; i < 4; i++)
		course_mix_uop(i < 2 ? &half : &rest, &mixed[i]);
	course_mix_merge(&whole, &half);
	course_mix_merge(&whole, &rest);
	course_mix_cut(&whole);
	course_mix_penn(&whole, &to);
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		assert_non_null(strstr(buf_text(&to), lines[i]));
	buf_clear(&to);
	course_mix_penn(&(struct course_mix){0}, &to);
	assert_null(strstr(buf_text(&to), "nan"));
	buf_free(&to);
}

static void
invalid_shapes_are_rejected(void **state)
{
	(void)state;
	struct poly_error error;
	struct course_predictor predictor;
	struct course_scoreboard board;
	struct course_cache cache;
	struct course_sfsu_dynamic system;
	assert_int_equal(course_predictor_init(&predictor,
				 &(struct course_predictor_config){
					 .kind = COURSE_BIMODAL, .bimodal_log2 = 21},
				 &error),
		POLY_ERR_USAGE);
	assert_string_equal(error.message,
		"found tables of 2^21, 2^0 and 2^0 counters, expected at most 2^20");
	assert_int_equal(
		course_predictor_init(&predictor,
			&(struct course_predictor_config){.kind = COURSE_TAKEN}, &error),
		POLY_ERR_USAGE);
	assert_int_equal(course_scoreboard_init(&board, 0, false, &error), POLY_ERR_USAGE);
	assert_string_equal(error.message, "load latency: found 0 cycles, expected 1 to 255");
	assert_int_equal(
		course_cache_init(&cache,
			&(struct course_cache_config){.capacity = 100, .block = 4, .ways = 1},
			&error),
		POLY_ERR_USAGE);
	assert_string_equal(error.message, "found a cache of 100 bytes, blocks of 4 bytes and "
					   "1 ways, expected powers of two");
	assert_int_equal(
		course_cache_init(&cache,
			&(struct course_cache_config){.capacity = 64, .block = 32, .ways = 4},
			&error),
		POLY_ERR_USAGE);
	assert_int_equal(course_sfsu_dynamic_init(&system, 0, 1, &error), POLY_ERR_USAGE);
}

static void
unsupported_registers_are_printed_and_otherwise_ignored(void **state)
{
	(void)state;
	const struct course_uop uops[] = {
		{.number = 1, .src1 = 50, .src2 = -7, .dest = 1000, .ldst = 'L', .uop = 1},
		{.number = 2, .src1 = 1000, .src2 = -1, .dest = -1, .ldst = '-', .uop = 1},
	};
	struct buf to = {0};
	assert_int_equal(issue(9, false, uops, 2, &to), 2);
	assert_non_null(strstr(buf_text(&to), "\t50 (Ready)\t-7 (Ready)\t--> 1000\tL\t"));
	buf_free(&to);
}

static enum poly_status
init_cache(void *context)
{
	const struct course_cache_config shape = {
		.capacity = 64, .block = 16, .ways = 2, .way_entries = 4};
	struct course_cache cache;
	const enum poly_status status = course_cache_init(&cache, &shape, NULL);
	(void)context;
	course_cache_fini(&cache);
	return status;
}

static enum poly_status
init_predictor(void *context)
{
	const struct course_predictor_config config = {.kind = COURSE_TOURNAMENT};
	struct course_predictor predictor;
	const enum poly_status status = course_predictor_init(&predictor, &config, NULL);
	(void)context;
	course_predictor_fini(&predictor);
	return status;
}

static enum poly_status
init_dynamic_system(void *context)
{
	struct course_sfsu_dynamic system;
	const enum poly_status status = course_sfsu_dynamic_init(&system, 4, 4, NULL);
	(void)context;
	course_sfsu_dynamic_fini(&system);
	return status;
}

static void
lack_of_memory_is_reported(void **state)
{
	(void)state;
	assert_true(law_memory(init_cache, NULL) >= 3);
	assert_true(law_memory(init_predictor, NULL) >= 3);
	assert_true(law_memory(init_dynamic_system, NULL) >= 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(predictors_print_the_published_output),
		cmocka_unit_test(predictors_print_washingtons_layouts),
		cmocka_unit_test(the_tournament_prints_all_of_its_tables),
		cmocka_unit_test(a_quiet_predictor_prints_no_branches),
		cmocka_unit_test(a_scoreboard_waits_for_sources_and_for_older_writes),
		cmocka_unit_test(the_scoreboard_has_the_known_cycles_at_every_latency),
		cmocka_unit_test(unsupported_registers_are_printed_and_otherwise_ignored),
		cmocka_unit_test(addresses_are_split_like_in_the_grader),
		cmocka_unit_test(a_cache_prints_its_state_before_each_access),
		cmocka_unit_test(caches_have_the_known_misses_and_traffic),
		cmocka_unit_test(block_sizes_and_replacement_policies_have_the_known_misses),
		cmocka_unit_test(empty_frames_have_the_tag_0_without_valid_bits),
		cmocka_unit_test(a_way_predictor_predicts_the_most_recently_used_way),
		cmocka_unit_test(san_franciscos_systems_have_the_known_results),
		cmocka_unit_test(san_franciscos_second_system_prints_a_line_per_branch),
		cmocka_unit_test(san_franciscos_cache_counts_cycles),
		cmocka_unit_test(the_mix_is_printed_in_washingtons_layout),
		cmocka_unit_test(the_mix_has_penns_names),
		cmocka_unit_test(invalid_shapes_are_rejected),
		cmocka_unit_test(lack_of_memory_is_reported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
