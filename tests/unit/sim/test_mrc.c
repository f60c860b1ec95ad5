/* SPDX-License-Identifier: MIT */
/* Caches of all sizes: by hand, by closed forms, and plain loops against vectors. Models:
 * tests/models/check_mrc.py. */
#include "test_help.h"

#include "sim/cache/all_associativity.h"
#include "sim/cache/all_associativity_state.h"
#include "sim/cache/cache.h"
#include "sim/memory/dense_index.h"
#include "sim/memory/line_table.h"
#include "sim/memory/shards.h"
#include "sim/memory/stack_distance.h"
#include "sim/memory/time_bitmap.h"

#include <math.h>

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

enum { TABLE_LINES = 50000, TABLE_MEMORY = 98304, TABLE_ROOM = 3072 };

static void
new_lines_beyond_a_table_are_estimated(void **state)
{
	/* Each line three times, the first ones among the last. */
	const struct line_sample all = {.set_bits = 0};
	struct line_table table;
	double estimate = 0, variance = 0;
	(void)state;
	assert_int_equal(line_table_init(&table, TABLE_MEMORY, &all, NULL), POLY_OK);
	for (uint64_t i = 0; i < 3 * TABLE_LINES; i++) {
		const uint64_t line = i * i % 50021 % TABLE_LINES + i % TABLE_LINES * 65536;
		uint8_t weight;
		assert_int_equal(line_table_weigh(&table, &line, 1, &weight), POLY_OK);
		estimate += weight ? ldexp(1, weight - 1) : 0;
		variance += weight ? ldexp(1, weight - 1) * (ldexp(1, weight - 1) - 1) : 0;
		assert_true(table.count <= TABLE_ROOM && (weight < 2 || i >= TABLE_ROOM - 1));
	}
	/* All lines differ in i % TABLE_LINES within a round, and repeat if the first term
	 * does. */
	static uint64_t known[3 * TABLE_LINES];
	size_t count = 0, sampled = 0;
	for (uint64_t i = 0; i < TABLE_LINES; i++)
		for (uint64_t round = 0; round < 3; round++) {
			const uint64_t n = i + round * TABLE_LINES;
			const uint64_t line = n * n % 50021 % TABLE_LINES + i * 65536;
			bool found = false;
			for (uint64_t k = 1; k <= round && k <= count; k++)
				found |= known[count - k] == line;
			if (!found)
				known[count++] = line;
		}
	assert_true(variance > 0 && fabs(estimate - (double)count) <= 3 * sqrt(variance));
	for (size_t i = 0; i < count; i++) {
		uint64_t previous = 7;
		if (!line_sample_has(&table.sample, line_sample_hash(&table.sample, known[i])))
			continue;
		sampled++;
		assert_int_equal(line_table_swap(&table, known[i], 1, &previous), POLY_OK);
		assert_int_equal(previous, 1);
	}
	assert_int_equal(sampled, table.count);
	line_table_fini(&table);
}

static void
sets_are_sampled_without_repetition(void **state)
{
	static bool found[1 << 13];
	(void)state;
	for (unsigned bits = 1; bits <= 13; bits++) {
		const struct line_sample sets = {.set_bits = bits};
		memset(found, 0, sizeof found);
		for (uint64_t set = 0; set < UINT64_C(1) << bits; set++) {
			const uint64_t hash = line_sample_hash(&sets, set | UINT64_C(5) << 20);
			assert_int_equal(hash >> bits, 1);
			assert_false(found[hash & ((UINT64_C(1) << bits) - 1)]);
			found[hash & ((UINT64_C(1) << bits) - 1)] = true;
		}
	}
}

static void
a_set_too_large_for_a_table_ends_its_sample(void **state)
{
	const struct line_sample sets = {.set_bits = 10};
	struct line_table table;
	(void)state;
	for (uint64_t set = 0; set < 1024; set++) {
		assert_int_equal(line_table_init(&table, TABLE_MEMORY, &sets, NULL), POLY_OK);
		for (uint64_t i = 0; i < TABLE_ROOM + 5; i++) {
			uint64_t previous = 0;
			assert_int_equal(
				line_table_swap(&table, set + i * 1024, 1, &previous), POLY_OK);
		}
		assert_in_range(table.sample.rate, 1, 11);
		assert_int_equal(table.count, 0);
		line_table_fini(&table);
	}
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
	const struct line_sample lines_of_all = {.set_bits = 0};
	struct line_table table;
	uint8_t weights[6000];
	if (status == POLY_OK)
		status = line_table_init(&table, 1 << 20, &lines_of_all, error);
	if (status != POLY_OK)
		return status;
	status = line_table_weigh(&table, lines, 6000, weights);
	line_table_fini(&table);
	return status;
}

/* Counts of accesses that are cut into parts, with distances of their own. */
static void
parts_have_the_distances_of_the_whole(void **state)
{
	enum { LINES = 3000, PART = 40000, ALL = 900000 };
	static uint64_t lines[PART], first[PART];
	static uint32_t ids[PART], whole_ids[PART];
	struct stack_distance *whole = make(false), *sum = make(false), *part = make(false);
	struct dense_index all, dense;
	uint64_t random = 5;
	size_t count, sum_count;
	(void)state;
	assert_int_equal(dense_index_init(&all, LINES + 1, NULL), POLY_OK);
	assert_int_equal(dense_index_init(&dense, LINES + 1, NULL), POLY_OK);
	for (size_t done = 0, size; done < ALL; done += size) {
		size = cache_random(&random) % PART;
		const bool counts = cache_random(&random) % 4;
		for (size_t i = 0; i < size; i++)
			lines[i] = next_line(&random, LINES);
		assert_int_equal(dense_index_find(&dense, lines, size, ids, NULL), POLY_OK);
		for (size_t i = 0; i < size; i++)
			first[ids[i]] = lines[i];
		assert_int_equal(
			stack_distance_run(part, ids, size, dense.count, NULL), POLY_OK);
		assert_int_equal(
			dense_index_find(&all, first, dense.count, ids, NULL), POLY_OK);
		stack_distance_counting(sum, counts);
		assert_int_equal(
			stack_distance_append(sum, part, ids, all.count, NULL), POLY_OK);
		assert_int_equal(dense_index_find(&all, lines, size, whole_ids, NULL), POLY_OK);
		stack_distance_counting(whole, counts);
		assert_int_equal(
			stack_distance_run(whole, whole_ids, size, all.count, NULL), POLY_OK);
		dense_index_clear(&dense);
		stack_distance_clear(part);
	}
	const uint64_t *expected = stack_distance_counts(whole, &count);
	const uint64_t *counts = stack_distance_counts(sum, &sum_count);
	assert_true(count > LINES / 2);
	assert_int_equal(sum_count, count);
	assert_int_equal(stack_distance_first(sum), stack_distance_first(whole));
	assert_memory_equal(counts, expected, count * sizeof *counts);
	stack_distance_free(whole);
	stack_distance_free(sum);
	stack_distance_free(part);
	dense_index_fini(&all);
	dense_index_fini(&dense);
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
		cmocka_unit_test(new_lines_beyond_a_table_are_estimated),
		cmocka_unit_test(sets_are_sampled_without_repetition),
		cmocka_unit_test(a_set_too_large_for_a_table_ends_its_sample),
		cmocka_unit_test(invalid_settings_are_rejected),
		cmocka_unit_test(parts_have_the_distances_of_the_whole),
		cmocka_unit_test(lack_of_memory_is_survived),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
