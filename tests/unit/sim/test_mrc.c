/* SPDX-License-Identifier: MIT */
/* Caches of all sizes: by hand, by closed forms, and plain loops against vectors. Models:
 * tests/models/check_mrc.py. */
#include "test_help.h"

#include "sim/cache/all_associativity.h"
#include "sim/cache/all_associativity_state.h"
#include "sim/cache/cache.h"
#include "sim/memory/dense_index.h"
#include "sim/memory/shards.h"
#include "sim/memory/stack_distance.h"
#include "sim/memory/time_bitmap.h"

static struct stack_distance *
make(bool plain)
{
	struct stack_distance *distance;
	assert_int_equal(stack_distance_new(&distance, NULL), POLY_OK);
	if (plain)
		distance->run = time_bitmap_run;
	return distance;
}

static void
distances_by_hand(void **state)
{
	/* a b c a a b: a was used 2 other lines ago, then none, b 2 (c and a). */
	static const uint32_t ids[] = {0, 1, 2, 0, 0, 1};
	struct stack_distance *distance = make(false);
	size_t count;
	(void)state;
	assert_int_equal(stack_distance_run(distance, ids, 6, 3, NULL), POLY_OK);
	const uint64_t *counts = stack_distance_counts(distance, &count);
	assert_int_equal(count, 3);
	assert_int_equal(stack_distance_first(distance), 3);
	assert_int_equal(counts[0], 1);
	assert_int_equal(counts[1], 0);
	assert_int_equal(counts[2], 2);
	assert_int_equal(stack_distance_misses(distance, 1), 5);
	assert_int_equal(stack_distance_misses(distance, 2), 5);
	assert_int_equal(stack_distance_misses(distance, 3), 3);
	/* a is used without being counted, and then once more at distance 0. */
	stack_distance_counting(distance, false);
	assert_int_equal(stack_distance_run(distance, ids, 1, 3, NULL), POLY_OK);
	assert_int_equal(stack_distance_misses(distance, 1), 5);
	stack_distance_counting(distance, true);
	assert_int_equal(stack_distance_run(distance, ids, 1, 3, NULL), POLY_OK);
	assert_int_equal(stack_distance_misses(distance, 1), 5);
	assert_int_equal(stack_distance_misses(distance, 0), 7);
	stack_distance_free(distance);
}

/* Lines 0 to n - 1, twice, and back again: distances n - 1, and then 0 to n - 1, once each. */
static void
a_batch_without_lines_has_no_distances(void **state)
{
	const uint32_t none = 0;
	struct stack_distance *distance = make(false);
	(void)state;
	assert_int_equal(stack_distance_run(distance, &none, 0, 0, NULL), POLY_OK);
	assert_int_equal(stack_distance_first(distance), 0);
	stack_distance_free(distance);
}

static void
distances_survive_that_time_runs_out(void **state)
{
	const uint32_t n = 200000;
	uint32_t *ids = malloc(n * sizeof *ids);
	(void)state;
	assert_non_null(ids);
	for (int plain = 0; plain < 2; plain++) {
		struct stack_distance *distance = make(plain);
		size_t count;
		for (uint32_t i = 0; i < n; i++)
			ids[i] = i;
		for (int round = 0; round < 2; round++)
			assert_int_equal(
				stack_distance_run(distance, ids, n, n, NULL), POLY_OK);
		const uint64_t *counts = stack_distance_counts(distance, &count);
		assert_int_equal(counts[n - 1], n);
		for (uint32_t i = 0; i < n; i++)
			ids[i] = n - 1 - i;
		assert_int_equal(stack_distance_run(distance, ids, n, n, NULL), POLY_OK);
		counts = stack_distance_counts(distance, &count);
		for (uint32_t i = 0; i < n; i++)
			assert_int_equal(counts[i], i == n - 1 ? n + 1 : 1);
		assert_true(distance->room > 1 << RANGE_SHIFT);
		stack_distance_free(distance);
	}
	free(ids);
}

/* Up to lines: near ones often, far ones seldom; both ends of every interval occur. */
static uint32_t
next_line(uint64_t *random, uint32_t lines)
{
	const uint32_t r = cache_random(random);
	return cache_random(random) % (1 + lines / (1 + (r % 16) * (r % 16) * (r % 16)));
}

static void
plain_and_wide_loops_count_the_same(void **state)
{
	enum { LINES = 60000, USES = 1 << 21, STEP = 4096 };
	struct stack_distance *plain = make(true), *wide = make(false);
	static uint32_t ids[STEP];
	uint64_t random = 3;
	size_t count;
	(void)state;
	for (size_t done = 0; done < USES; done += STEP) {
		for (size_t i = 0; i < STEP; i++)
			ids[i] = next_line(&random, LINES);
		assert_int_equal(
			stack_distance_run(plain, ids, STEP, LINES + 1, NULL), POLY_OK);
		assert_int_equal(stack_distance_run(wide, ids, STEP, LINES + 1, NULL), POLY_OK);
	}
	const uint64_t *counts = stack_distance_counts(plain, &count);
	assert_memory_equal(
		counts, stack_distance_counts(wide, &count), count * sizeof *counts);
	assert_true(counts[count / 2] + counts[count / 2 + 1] + counts[10] > 0);
	stack_distance_free(plain);
	stack_distance_free(wide);
}

static void
plain_and_wide_caches_of_all_sizes_are_the_same(void **state)
{
	enum { USES = 100000 };
	struct all_associativity *plain, *wide;
	uint64_t *lines = malloc(USES * sizeof *lines);
	uint32_t *ids = malloc(USES * sizeof *ids);
	uint64_t random = 4;
	(void)state;
	assert_true(lines && ids);
	assert_int_equal(all_associativity_new(0, 13, &plain, NULL), POLY_OK);
	assert_int_equal(all_associativity_new(0, 13, &wide, NULL), POLY_OK);
	plain->run = all_associativity_plain;
	for (size_t i = 0; i < USES; i++)
		lines[i] = ids[i] = next_line(&random, 40000);
	all_associativity_run(plain, lines, ids, USES);
	all_associativity_run(wide, lines, ids, USES);
	assert_memory_equal(plain->found, wide->found, sizeof plain->found);
	assert_true(
		all_associativity_misses(wide, 3, 2) > all_associativity_misses(wide, 3, 4));
	all_associativity_counting(wide, false);
	all_associativity_run(wide, lines, ids, USES);
	all_associativity_counting(wide, true);
	assert_memory_equal(plain->found, wide->found, sizeof plain->found);
	all_associativity_free(plain);
	all_associativity_free(wide);
	free(lines);
	free(ids);
}

static void
numbers_are_dense_in_the_order_of_their_first_use(void **state)
{
	struct dense_index dense;
	struct poly_error error;
	uint64_t numbers[3] = {UINT64_MAX, 0, UINT64_MAX};
	uint32_t ids[3];
	(void)state;
	assert_int_equal(dense_index_init(&dense, 100000, &error), POLY_OK);
	assert_int_equal(dense_index_find(&dense, numbers, 3, ids, &error), POLY_OK);
	assert_true(ids[0] == 0 && ids[1] == 1 && ids[2] == 0);
	for (uint64_t i = 2; i < 100000; i++) {
		numbers[0] = i * 4096;
		numbers[1] = (i / 2 + 1) * 4096;
		assert_int_equal(dense_index_find(&dense, numbers, 2, ids, &error), POLY_OK);
		assert_int_equal(ids[0], i);
		assert_int_equal(ids[1], i / 2 + 1);
	}
	numbers[0] = 1;
	assert_int_equal(dense_index_find(&dense, numbers, 1, ids, &error), POLY_ERR_LIMIT);
	assert_string_equal(error.message, "more than 100000 distinct lines");
	dense_index_fini(&dense);
}

static void
invalid_settings_are_rejected(void **state)
{
	struct all_associativity *all;
	struct shards *shards;
	struct poly_error error;
	(void)state;
	assert_int_equal(all_associativity_new(3, 21, &all, &error), POLY_ERR_USAGE);
	assert_string_equal(error.message, "2^3 to 2^21 sets, expected at most 2^20");
	assert_int_equal(all_associativity_new(3, 2, &all, &error), POLY_ERR_USAGE);
	assert_int_equal(shards_new(2, 100, &shards, &error), POLY_ERR_USAGE);
	assert_string_equal(
		error.message, "a sample of one in 2^2 lines, expected 2^3 to 2^20");
}

/* Everything with memory of its own, on more lines than fit into what is taken first. */
static enum poly_status
use_all(void *error)
{
	static uint64_t lines[6000];
	struct all_associativity *all;
	struct shards *shards;
	for (size_t i = 0; i < 6000; i++)
		lines[i] = i;
	enum poly_status status = all_associativity_new(0, 3, &all, error);
	all_associativity_free(all);
	if (status == POLY_OK)
		status = shards_new(3, 10000, &shards, error);
	if (status != POLY_OK)
		return status;
	for (int round = 0; round < 8 && status == POLY_OK; round++)
		status = shards_run(shards, lines, 6000, error);
	shards_free(shards);
	return status;
}

static void
lack_of_memory_is_survived(void **state)
{
	struct poly_error error;
	(void)state;
	law_memory(use_all, &error);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distances_by_hand),
		cmocka_unit_test(a_batch_without_lines_has_no_distances),
		cmocka_unit_test(distances_survive_that_time_runs_out),
		cmocka_unit_test(plain_and_wide_loops_count_the_same),
		cmocka_unit_test(plain_and_wide_caches_of_all_sizes_are_the_same),
		cmocka_unit_test(numbers_are_dense_in_the_order_of_their_first_use),
		cmocka_unit_test(invalid_settings_are_rejected),
		cmocka_unit_test(lack_of_memory_is_survived),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
