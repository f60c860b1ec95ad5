/* SPDX-License-Identifier: MIT */
/*
 * Branch predictors worked by hand, and the results that are known of a real trace. That each
 * prediction is as defined is unit/sim/bpred_oracle.py's.
 */
#include "test_help.h"

#include "sim/branch/bpred.h"
#include "sim/branch/bpred_sites.h"
#include "sim/branch/bpred_sweep.h"
#include "sim/branch/btb.h"
#include "sim/branch/ittage.h"

#include "course_help.h"

static const struct bpred_config tage = {.kind = BPRED_TAGE,
	.entries_log2 = 12,
	.tage = {.tables = 4,
		.entries_log2 = 10,
		.tag_bits = 9,
		.period_log2 = 18,
		.seed = 1,
		.length = {5, 15, 44, 130}}};

/* The predictions of n branches, at most 8, as text. */
static const char *
predict(const struct bpred_config *config, const uint64_t *pc, const uint8_t *taken, size_t n)
{
	static char text[9];
	uint8_t predicted[8];
	struct bpred *bpred;
	const struct bpred_batch batch = {pc, NULL, taken, n};
	assert_int_equal(bpred_new(config, &bpred, NULL), POLY_OK);
	bpred_run(bpred, &batch, predicted);
	for (size_t i = 0; i < n; i++)
		text[i] = predicted[i] ? 'T' : 'N';
	text[n] = 0;
	bpred_free(bpred);
	return text;
}

static void
a_bimodal_counter_needs_two_to_turn(void **state)
{
	(void)state;
	const uint64_t pc[8] = {0};
	const uint8_t taken[8] = {1, 1, 1, 1, 0, 0, 0, 1};
	struct bpred_config config = {.kind = BPRED_BIMODAL, .entries_log2 = 4};
	assert_string_equal(predict(&config, pc, taken, 8), "NNTTTTNN");
	config.initial = 1;
	assert_string_equal(predict(&config, pc, taken, 8), "NTTTTTNN");
	config.initial = 3;
	assert_string_equal(predict(&config, pc, taken, 8), "TTTTTTNN");
}

static void
branches_whose_low_bits_are_equal_share_a_counter(void **state)
{
	(void)state;
	const uint64_t pc[8] = {0x10, 0x20, 0x10, 0x20, 0x14, 0x24, 0x12, 0x11};
	const uint8_t taken[8] = {1, 1, 1, 1, 1, 1, 1, 1};
	struct bpred_config config = {.kind = BPRED_BIMODAL, .entries_log2 = 4};
	assert_string_equal(predict(&config, pc, taken, 8), "NNTTNNNN");
	config.pc_shift = 2;
	assert_string_equal(predict(&config, pc, taken, 8), "NNNNNNTT");
}

static void
histories_learn_a_branch_that_alternates(void **state)
{
	(void)state;
	const uint64_t pc[8] = {0};
	const uint8_t taken[8] = {1, 0, 1, 0, 1, 0, 1, 0};
	struct bpred_config config = {.kind = BPRED_BIMODAL};
	assert_string_equal(predict(&config, pc, taken, 8), "NNNNNNNN");
	config = (struct bpred_config){.kind = BPRED_GAG, .history = 1};
	assert_string_equal(predict(&config, pc, taken, 8), "NNNNTNTN");
	config = (struct bpred_config){.kind = BPRED_PAG, .history = 1, .local_log2 = 2};
	assert_string_equal(predict(&config, pc, taken, 8), "NNNNTNTN");
	config = (struct bpred_config){.kind = BPRED_GSHARE, .history = 1, .entries_log2 = 1};
	assert_string_equal(predict(&config, pc, taken, 8), "NNNNTNTN");
}

static void
a_budget_counts_every_bit(void **state)
{
	(void)state;
	struct bpred_config config = {.kind = BPRED_BTFN};
	assert_int_equal(bpred_bits(&config), 0);
	config = (struct bpred_config){.kind = BPRED_BIMODAL, .entries_log2 = 10, .history = 9};
	assert_int_equal(bpred_bits(&config), 2048);
	config = (struct bpred_config){.kind = BPRED_GSHARE, .entries_log2 = 4, .history = 6};
	assert_int_equal(bpred_bits(&config), 32 + 6);
	config.mask_first = true;
	assert_int_equal(bpred_bits(&config), 128 + 6);
	config = (struct bpred_config){.kind = BPRED_GAG, .entries_log2 = 4, .history = 6};
	assert_int_equal(bpred_bits(&config), 128 + 6);
	config = (struct bpred_config){.kind = BPRED_PAG, .local_log2 = 3, .history = 6};
	assert_int_equal(bpred_bits(&config), 8 * 6 + 2 * 64);
	config.kind = BPRED_PAP;
	assert_int_equal(bpred_bits(&config), 8 * 6 + 8 * 2 * 64);
	config = (struct bpred_config){.kind = BPRED_TOURNAMENT,
		.entries_log2 = 4,
		.history = 4,
		.bimodal_log2 = 3,
		.chooser_log2 = 2};
	assert_int_equal(bpred_bits(&config), 32 + 4 + 16 + 8);
	config = (struct bpred_config){
		.kind = BPRED_PERCEPTRON, .entries_log2 = 5, .history = 20};
	assert_int_equal(bpred_bits(&config), 32 * 21 * 8 + 20);
	assert_int_equal(bpred_bits(&tage), 8192 + 4 * 1024 * (3 + 2 + 9) + 130 + 4 + 18);
}

static void
assert_refused(struct bpred_config config, const char *message)
{
	struct poly_error error;
	assert_int_equal(bpred_check(&config, &error), POLY_ERR_USAGE);
	assert_string_equal(error.message, message);
}

static void
invalid_shapes_are_rejected(void **state)
{
	(void)state;
	struct bpred_config config = tage;
	assert_refused((struct bpred_config){.kind = BPRED_BIMODAL, .entries_log2 = 27},
		"log2 of the entries is 27, expected 0 to 26");
	assert_refused((struct bpred_config){.kind = BPRED_TAKEN, .pc_shift = 64},
		"shift of the address is 64, expected 0 to 63");
	assert_refused((struct bpred_config){.kind = BPRED_TAKEN, .initial = 4},
		"initial counter is 4, expected 0 to 3");
	assert_refused(
		(struct bpred_config){.kind = BPRED_GSHARE, .mask_first = true, .history = 27},
		"history is 27, expected 0 to 26");
	assert_refused((struct bpred_config){.kind = BPRED_PAP, .local_log2 = 20, .history = 7},
		"history is 7, expected 0 to 6");
	assert_refused(
		(struct bpred_config){
			.kind = BPRED_PERCEPTRON, .entries_log2 = 21, .history = 32},
		"log2 of the perceptrons is 21, expected 0 to 20");
	config.tage.length[2] = 15;
	assert_refused(config, "history of a tagged table is 15, expected 16 to 1024");
	config = tage;
	config.tage.seed = 0;
	assert_refused(config, "seed is 0, expected 1 to 4294967295");
	for (unsigned kind = 0; kind < BPRED_KINDS; kind++)
		assert_int_equal(bpred_find(bpred_name((enum bpred_kind)kind)), kind);
	assert_int_equal(bpred_find("oracle"), BPRED_KINDS);
}

static void
invalid_sweeps_are_rejected(void **state)
{
	(void)state;
	struct bpred_sweep *sweep;
	struct poly_error error;
	struct bpred_config two[2] = {{.kind = BPRED_BIMODAL}, {.kind = BPRED_GAG}};
	struct bpred_config many[17];
	assert_int_equal(bpred_sweep_new(two, 2, &sweep, &error), POLY_ERR_USAGE);
	assert_string_equal(
		error.message, "predictor 'gag' is in a sweep, expected bimodal or gshare");
	two[1] = (struct bpred_config){.kind = BPRED_GSHARE, .pc_shift = 2};
	assert_int_equal(bpred_sweep_new(two, 2, &sweep, &error), POLY_ERR_USAGE);
	assert_string_equal(
		error.message, "shift of the address is 0 and 2 in one sweep, expected one");
	assert_int_equal(bpred_sweep_new(two, 0, &sweep, &error), POLY_ERR_USAGE);
	for (size_t i = 0; i < 17; i++)
		many[i] = (struct bpred_config){.kind = BPRED_BIMODAL, .entries_log2 = 26};
	assert_int_equal(bpred_sweep_new(many, 17, &sweep, &error), POLY_ERR_LIMIT);
}

static void
sites_are_counted_and_the_worst_come_first(void **state)
{
	(void)state;
	struct bpred_sites sites = {0};
	const uint32_t numbers[7] = {2, 5, 2, 0, 5, 2, 4};
	const uint8_t taken[7] = {1, 0, 1, 1, 1, 0, 1}, predicted[7] = {0, 1, 1, 0, 0, 0, 1};
	uint32_t worst[4];
	assert_true(bpred_sites_count(&sites, numbers, taken, predicted, 4));
	assert_true(bpred_sites_count(&sites, numbers + 4, taken + 4, predicted + 4, 3));
	assert_int_equal(sites.count, 6);
	assert_int_equal(sites.sites[2].executions, 3);
	assert_int_equal(sites.sites[2].taken, 2);
	assert_int_equal(sites.sites[2].wrong, 1);
	assert_int_equal(sites.sites[1].executions, 0);
	assert_int_equal(bpred_sites_worst(&sites, worst, 4), 3);
	assert_int_equal(worst[0], 5);
	assert_int_equal(worst[1], 0);
	assert_int_equal(worst[2], 2);
	assert_int_equal(bpred_sites_worst(&sites, worst, 2), 2);
	assert_int_equal(worst[1], 0);
	assert_int_equal(bpred_sites_worst(&sites, worst, 0), 0);
	bpred_sites_free(&sites);
	assert_true(bpred_mpki(5, 2000) == 2.5);
	assert_true(bpred_mpki(5, 0) == 0.0);
}

static void
targets_are_found_for_branches_that_were_taken(void **state)
{
	(void)state;
	const struct btb_config config = {.sets = 2, .ways = 1};
	/* 4 and 6 share a place, 5 has another. */
	const uint64_t pc[6] = {4, 4, 6, 4, 5, 5}, target[6] = {40, 41, 60, 40, 50, 51};
	const uint8_t taken[6] = {1, 0, 1, 1, 1, 1};
	const struct btb_batch batch = {pc, target, taken, NULL, 6};
	struct btb *btb;
	uint8_t hit[6];
	uint64_t found[6];
	assert_int_equal(btb_new(&config, &btb, NULL), POLY_OK);
	btb_run(btb, &batch, hit, found);
	assert_memory_equal(hit, ((uint8_t[]){0, 1, 0, 0, 0, 1}), 6);
	assert_int_equal(found[1], 40);
	assert_int_equal(found[5], 50);
	assert_int_equal(btb_bits(&config), 2 * (63 + 64 + 1));
	btb_free(btb);
}

static void
invalid_target_shapes_are_rejected(void **state)
{
	(void)state;
	struct poly_error error;
	struct btb *btb;
	struct ras ras;
	struct ittage *ittage;
	const struct ittage_config config = {
		.tables = 2, .entries_log2 = 4, .tag_bits = 5, .length = {4, 4}};
	assert_int_equal(
		btb_new(&(struct btb_config){0, 1, 0, 0}, &btb, &error), POLY_ERR_USAGE);
	assert_string_equal(error.message, "BTB has 0 sets, expected 1 to 4194304");
	assert_int_equal(
		btb_new(&(struct btb_config){1, 65, 0, 0}, &btb, &error), POLY_ERR_USAGE);
	assert_int_equal(
		btb_new(&(struct btb_config){1, 1, 0, 64}, &btb, &error), POLY_ERR_USAGE);
	assert_int_equal(ras_init(&ras, 0, &error), POLY_ERR_USAGE);
	assert_int_equal(ittage_new(&config, &ittage, &error), POLY_ERR_USAGE);
	assert_string_equal(
		error.message, "history of a tagged table is 4, expected 5 to 1024");
}

/* The conditional branches of a real trace. */
struct branches {
	uint64_t pc[1000], target[1000];
	uint8_t taken[1000];
	size_t n;
};

static struct branches *
real_branches(void)
{
	FILE *file = course_public("gcc-1K.trace");
	if (!file)
		skip();
	struct course_trace *trace = course_read(file);
	struct branches *to = calloc(1, sizeof *to);
	if (!to)
		abort();
	for (size_t i = 0; i < trace->count; i++) {
		const struct course_uop *uop = &trace->uops[i];
		if (!course_is_conditional(uop))
			continue;
		to->pc[to->n] = uop->pc;
		to->target[to->n] = uop->target;
		to->taken[to->n++] = uop->branch == 'T';
	}
	free(trace);
	return to;
}

static int
wrong_of(const struct branches *branches, const struct bpred_config *config)
{
	uint8_t predicted[1000];
	struct bpred *bpred;
	const struct bpred_batch batch = {
		branches->pc, branches->target, branches->taken, branches->n};
	assert_int_equal(bpred_new(config, &bpred, NULL), POLY_OK);
	bpred_run(bpred, &batch, predicted);
	bpred_free(bpred);
	return (int)bpred_wrong(predicted, branches->taken, branches->n);
}

/* Sizes with what is wrong on gcc-1K (published results of CIS 501); fair is by all counters.
 */
static const struct {
	unsigned log2;
	int bimodal, gshare_8, gshare_all, tournament;
} known[] = {{2, 54, 67, 67, 59}, {3, 72, 69, 69, 71}, {4, 81, 78, 78, 81}, {6, 76, 78, 78, 76},
	{8, 76, 74, 74, 76}, {10, 75, 73, 73, 75}, {12, 73, 73, 73, 73}, {16, 73, 73, 73, 73}};
static const struct {
	unsigned log2;
	int wrong;
} fair[] = {{4, 62}, {6, 81}, {8, 76}, {10, 76}, {12, 75}, {16, 73}};

static void
a_real_trace_has_the_known_mispredictions(void **state)
{
	(void)state;
	struct branches *real = real_branches();
	struct bpred_config config = {.kind = BPRED_TAKEN};
	assert_int_equal(real->n, 157);
	assert_int_equal(wrong_of(real, &config), 84);
	config.kind = BPRED_NOT_TAKEN;
	assert_int_equal(wrong_of(real, &config), 73);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		unsigned b = known[i].log2;
		config = (struct bpred_config){.kind = BPRED_BIMODAL, .entries_log2 = b};
		assert_int_equal(wrong_of(real, &config), known[i].bimodal);
		config.kind = BPRED_GSHARE;
		config.history = 8;
		assert_int_equal(wrong_of(real, &config), known[i].gshare_8);
		config.history = b;
		assert_int_equal(wrong_of(real, &config), known[i].gshare_all);
		config.kind = BPRED_TOURNAMENT;
		config.bimodal_log2 = config.chooser_log2 = b;
		assert_int_equal(wrong_of(real, &config), known[i].tournament);
	}
	for (size_t i = 0; i < sizeof fair / sizeof *fair; i++) {
		unsigned k = fair[i].log2;
		config = (struct bpred_config){.kind = BPRED_TOURNAMENT,
			.entries_log2 = k - 1,
			.history = k - 1,
			.bimodal_log2 = k - 2,
			.chooser_log2 = k - 2};
		assert_int_equal(wrong_of(real, &config), fair[i].wrong);
	}
	free(real);
}

static void
a_sweep_finds_the_known_mispredictions_in_one_pass(void **state)
{
	(void)state;
	struct branches *real = real_branches();
	struct bpred_config configs[29] = {{0}};
	struct bpred_sweep *sweep;
	size_t n = 0;
	for (size_t i = 0; i < 8; i++) {
		unsigned b = known[i].log2;
		configs[n++] = (struct bpred_config){.kind = BPRED_BIMODAL, .entries_log2 = b};
		configs[n++] = (struct bpred_config){
			.kind = BPRED_GSHARE, .entries_log2 = b, .history = 8};
	}
	for (unsigned h = 0; h <= 12; h++)
		configs[n++] = (struct bpred_config){
			.kind = BPRED_GSHARE, .entries_log2 = 10, .history = h};
	assert_int_equal(bpred_sweep_new(configs, n, &sweep, NULL), POLY_OK);
	for (size_t i = 0; i < real->n; i++) {
		const struct bpred_batch one = {real->pc + i, NULL, real->taken + i, 1};
		bpred_sweep_run(sweep, &one);
	}
	for (size_t i = 0; i < 8; i++) {
		assert_int_equal(bpred_sweep_wrong(sweep, 2 * i), known[i].bimodal);
		assert_int_equal(bpred_sweep_wrong(sweep, 2 * i + 1), known[i].gshare_8);
	}
	assert_int_equal(bpred_sweep_wrong(sweep, 16), 75);
	for (size_t h = 1; h <= 12; h++)
		assert_int_equal(bpred_sweep_wrong(sweep, 16 + h), 73);
	bpred_sweep_free(sweep);
	free(real);
}

/* Shapes whose sizes go together, as runs of sizes with gaps; at most most. */
static size_t
related_shapes(struct bpred_config *configs, size_t most)
{
	size_t n = 0;
	for (unsigned initial = 0; initial < 4; initial++)
		for (unsigned log2 = 3 * initial; log2 <= 4 * initial + 8; log2++) {
			if ((3 * log2 + initial) % 7 == 0 || n + 4 > most)
				continue;
			const struct bpred_config bimodal = {.kind = BPRED_BIMODAL,
				.entries_log2 = log2,
				.initial = initial};
			struct bpred_config gshare = bimodal;
			gshare.kind = BPRED_GSHARE;
			gshare.history = log2;
			gshare.mask_first = log2 % 2;
			configs[n++] = bimodal;
			configs[n++] = gshare;
			gshare.history = 6;
			configs[n++] = gshare;
			gshare.history = 64 - 2 * log2 - 3 * initial;
			gshare.mask_first = false;
			configs[n++] = gshare;
		}
	return n;
}

/* Branches whose outcomes follow their place, the one before and chance. */
static void
make_branches(uint64_t *pc, uint8_t *taken, size_t n)
{
	uint64_t x = 88172645463325252U;
	for (size_t i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		pc[i] = x % 5 ? (x >> 20) % 300 * 17 : x;
		taken[i] = (pc[i] ^ pc[i] >> 4 ^ (i ? taken[i - 1] : 0)) & 1;
		taken[i] ^= (uint8_t)(x >> 50) % 8 == 0;
	}
}

static void
a_sweep_counts_what_each_predictor_alone_mispredicts(void **state)
{
	(void)state;
	enum { BRANCHES = 10000, FIRST = 1000, MOST = 160 };
	static uint64_t pc[BRANCHES];
	static uint8_t taken[BRANCHES], predicted[BRANCHES];
	static struct bpred_config configs[MOST];
	const struct bpred_batch all = {pc, NULL, taken, BRANCHES},
				 first = {pc, NULL, taken, FIRST},
				 rest = {pc + FIRST, NULL, taken + FIRST, BRANCHES - FIRST};
	const size_t n = related_shapes(configs, MOST);
	struct bpred_sweep *sweep;
	struct bpred *bpred;
	make_branches(pc, taken, BRANCHES);
	assert_true(n > 100 && n < MOST);
	assert_int_equal(bpred_sweep_new(configs, n, &sweep, NULL), POLY_OK);
	bpred_sweep_run(sweep, &first);
	for (size_t i = 0; i < n; i++)
		assert_true(bpred_sweep_wrong(sweep, i) <= FIRST);
	bpred_sweep_run(sweep, &rest);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(bpred_new(&configs[i], &bpred, NULL), POLY_OK);
		bpred_run(bpred, &all, predicted);
		assert_int_equal(
			bpred_sweep_wrong(sweep, i), bpred_wrong(predicted, taken, BRANCHES));
		bpred_free(bpred);
	}
	bpred_sweep_free(sweep);
}

static enum poly_status
build_predictor(void *context)
{
	struct bpred *bpred = NULL;
	const enum poly_status status = bpred_new(context, &bpred, NULL);
	bpred_free(bpred);
	return status;
}

struct sweep {
	const struct bpred_config *configs;
	size_t count;
};

static enum poly_status
build_sweep(void *context)
{
	const struct sweep *shape = context;
	struct bpred_sweep *sweep = NULL;
	const enum poly_status status =
		bpred_sweep_new(shape->configs, shape->count, &sweep, NULL);
	bpred_sweep_free(sweep);
	return status;
}

static enum poly_status
build_targets(void *context)
{
	struct btb *btb = NULL;
	struct ras ras = {0};
	struct ittage *ittage = NULL;
	(void)context;
	enum poly_status status = btb_new(&(struct btb_config){1, 1, 0, 0}, &btb, NULL);
	if (status == POLY_OK)
		status = ras_init(&ras, 1, NULL);
	if (status == POLY_OK)
		status = ittage_new(&(struct ittage_config){0}, &ittage, NULL);
	btb_free(btb);
	ras_fini(&ras);
	ittage_free(ittage);
	return status;
}

static enum poly_status
count_site(void *context)
{
	struct bpred_sites sites = {0};
	const bool is_counted = bpred_sites_count(
		&sites, (const uint32_t[]){1}, (const uint8_t[]){1}, (const uint8_t[]){1}, 1);
	(void)context;
	assert_true(is_counted || sites.count == 0);
	bpred_sites_free(&sites);
	return is_counted ? POLY_OK : POLY_ERR_MEMORY;
}

static void
lack_of_memory_is_reported(void **state)
{
	struct bpred_config configs[3] = {{.kind = BPRED_BIMODAL},
		{.kind = BPRED_BIMODAL, .entries_log2 = 1},
		{.kind = BPRED_BIMODAL, .entries_log2 = 2}};
	(void)state;
	assert_true(law_memory(build_predictor, &configs[0]) >= 2);
	assert_true(law_memory(build_sweep, &(struct sweep){configs, 1}) >= 5);
	assert_true(law_memory(build_sweep, &(struct sweep){configs, 3}) >= 5);
	law_memory(build_targets, NULL);
	law_memory(count_site, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bimodal_counter_needs_two_to_turn),
		cmocka_unit_test(branches_whose_low_bits_are_equal_share_a_counter),
		cmocka_unit_test(histories_learn_a_branch_that_alternates),
		cmocka_unit_test(a_budget_counts_every_bit),
		cmocka_unit_test(invalid_shapes_are_rejected),
		cmocka_unit_test(invalid_sweeps_are_rejected),
		cmocka_unit_test(sites_are_counted_and_the_worst_come_first),
		cmocka_unit_test(targets_are_found_for_branches_that_were_taken),
		cmocka_unit_test(invalid_target_shapes_are_rejected),
		cmocka_unit_test(a_real_trace_has_the_known_mispredictions),
		cmocka_unit_test(a_sweep_finds_the_known_mispredictions_in_one_pass),
		cmocka_unit_test(a_sweep_counts_what_each_predictor_alone_mispredicts),
		cmocka_unit_test(lack_of_memory_is_reported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
