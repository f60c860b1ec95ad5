/* SPDX-License-Identifier: MIT */
/* A cache by hand, its loops against each other, and its limits. Models: tests/models/cache.py.
 */
#include "test_help.h"

#include "sim/cache/cache_state.h"
#include "sim/memory/lru_list.h"

static struct cache *
make(const struct cache_config *config)
{
	struct cache *cache;
	struct poly_error error;
	if (cache_new(config, &cache, &error) != POLY_OK)
		fail_msg("%s", error.message);
	return cache;
}

/* Reads of lines of 64 bytes by number; the misses as a string of h and m. */
static void
assert_reads(struct cache *cache, const char *lines, const char *expected)
{
	for (size_t i = 0; lines[i]; i++) {
		struct cache_outcome outcome;
		cache_access(cache, (uint64_t)(lines[i] - 'a') * 64, CACHE_READ, 4, &outcome);
		if (outcome.hit != (expected[i] == 'h'))
			fail_msg("access %zu (%c): %s", i, lines[i],
				outcome.hit ? "hit" : "miss");
	}
}

static void
policies_differ_as_they_do_by_hand(void **state)
{
	static const struct {
		enum cache_policy policy;
		const char *lines, *expected;
	} cases[] = {
		{CACHE_LRU, "abcaedab", "mmmhmmhm"},
		{CACHE_FIFO, "abcdaea", "mmmmhmm"},
		/* The tree points away from a, to c: e replaces it, lru would replace b. */
		{CACHE_PLRU, "abcdaeac", "mmmmhmhm"},
		/* Only a was used again: e replaces b, where lru would replace a. */
		{CACHE_SRRIP, "aabcdeab", "mhmmmmhm"},
		/* The pointer is past a: c replaces b while two ways are empty. */
		{CACHE_POINTER, "abacb", "mmhmm"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct cache *cache = make(&(struct cache_config){.sets = 1,
			.ways = cases[i].policy == CACHE_LRU ? 3 : 4,
			.line_size = 64,
			.policy = cases[i].policy});
		assert_reads(cache, cases[i].lines, cases[i].expected);
		cache_free(cache);
	}
}

static void
a_dirty_line_goes_below_when_it_is_replaced(void **state)
{
	struct cache_outcome outcome;
	(void)state;
	struct cache *cache =
		make(&(struct cache_config){.sets = 2, .ways = 1, .line_size = 16});
	cache_access(cache, 0x104, CACHE_WRITE, 4, &outcome);
	cache_access(cache, 0x118, CACHE_READ, 4, &outcome);
	assert_false(outcome.evicted);
	cache_access(cache, 0x128, CACHE_READ, 4, &outcome);
	assert_true(outcome.evicted && outcome.dirty);
	assert_int_equal(outcome.victim, 0x100);
	struct cache_counts counts;
	cache_count(cache, &counts);
	assert_int_equal(counts.bytes_to_below, 16);
	assert_int_equal(counts.bytes_from_below, 48);
	assert_int_equal(counts.dirty_misses[CACHE_READ], 1);
	assert_true(cache_holds(cache, 0x12f));
	cache_free(cache);
}

static void
a_dropped_line_frees_its_way(void **state)
{
	static const enum cache_policy policies[] = {
		CACHE_LRU, CACHE_FIFO, CACHE_RANDOM, CACHE_PLRU, CACHE_SRRIP};
	(void)state;
	for (size_t i = 0; i < 2 * sizeof policies / sizeof *policies; i++) {
		const enum cache_policy policy = policies[i / 2];
		const bool wide = i % 2 && policy <= CACHE_RANDOM;
		struct cache *cache = make(&(struct cache_config){
			.sets = 1, .ways = wide ? 65 : 4, .line_size = 64, .policy = policy});
		struct cache_outcome outcome;
		const uint32_t ways = cache_config(cache)->ways;
		for (uint64_t line = 0; line < ways; line++)
			cache_fill(cache, 64 * line, line == 2, &outcome);
		assert_false(outcome.evicted);
		cache_drop(cache, 64 * 2 + 5, &outcome);
		assert_true(outcome.hit && outcome.dirty);
		cache_drop(cache, 64 * 2, &outcome);
		assert_false(outcome.hit);
		assert_false(cache_touch(cache, 64 * 2, false));
		cache_fill(cache, 64 * 100, false, &outcome);
		assert_false(outcome.evicted);
		cache_fill(cache, 64 * 101, false, &outcome);
		assert_true(outcome.evicted);
		assert_true(cache_touch(cache, 64 * 101, true));
		cache_free(cache);
	}
}

/* Mostly the lines that were used before, in a few sets. */
static uint64_t
next_address(uint64_t *random)
{
	const uint32_t r = cache_random(random);
	return r % 4 ? r / 4 % 64 * 64 * (r / 256 % 8 + 1) : (uint64_t)r * 64;
}

/* Misses of each of 64 sets of 4 ways, in the last of many rounds over 8 lines a set. */
static void
run_in_circles(enum cache_policy policy, unsigned misses[64])
{
	struct cache *cache = make(&(struct cache_config){
		.sets = 64, .ways = 4, .line_size = 64, .policy = policy});
	memset(misses, 0, 64 * sizeof *misses);
	for (unsigned round = 1; round <= 200; round++) {
		for (uint64_t line = 0; line < 8 * 64; line++) {
			struct cache_outcome outcome;
			cache_access(cache, line * 64, CACHE_READ, 4, &outcome);
			misses[line % 64] += round == 200 && !outcome.hit;
		}
	}
	cache_free(cache);
}

/* In circles that are too long srrip keeps nothing, brrip something (ISCA 2010, section 5). */
static void
sets_that_do_not_duel_follow_those_that_do(void **state)
{
	unsigned plain[64], dueling[64];
	(void)state;
	run_in_circles(CACHE_SRRIP, plain);
	run_in_circles(CACHE_DRRIP, dueling);
	for (int set = 0; set < 64; set++) {
		assert_int_equal(plain[set], 8);
		if (set % 8 == 0)
			assert_int_equal(dueling[set], 8);
		else
			assert_in_range(dueling[set], 1, 7);
	}
}

/* Gives the same accesses to two caches, to one by batches and to the other one by one, and now
 * and then drops or touches a line of both; they must do the same. */
static void
assert_same(struct cache *batched, struct cache *single, uint64_t random)
{
	static uint64_t addresses[4096];
	static uint8_t kinds[4096];
	static uint32_t missed[4096];
	for (int round = 0; round < 50; round++) {
		struct cache_outcome one, other;
		size_t misses = 0;
		for (size_t i = 0; i < 4096; i++) {
			addresses[i] = next_address(&random);
			kinds[i] = (uint8_t)(cache_random(&random) % 3);
		}
		const size_t found = cache_run(
			batched, &(struct cache_batch){addresses, kinds, NULL, 4096}, missed);
		for (size_t i = 0; i < 4096; i++) {
			cache_access(single, addresses[i], (enum cache_kind)kinds[i],
				CACHE_STORE_SIZE, &one);
			if (!one.hit)
				assert_int_equal(missed[misses++], i);
		}
		assert_int_equal(found, misses);
		for (int i = 0; i < 20; i++) {
			const uint64_t at = next_address(&random);
			cache_drop(batched, at, &one);
			cache_drop(single, at, &other);
			assert_int_equal(one.hit, other.hit);
			assert_int_equal(one.dirty, other.dirty);
			cache_fill(batched, at, i % 2, &one);
			cache_fill(single, at, i % 2, &other);
			assert_int_equal(one.evicted, other.evicted);
			assert_int_equal(one.victim, other.victim);
			assert_int_equal(one.dirty, other.dirty);
			const uint64_t there = next_address(&random);
			assert_int_equal(cache_holds(batched, there),
				cache_touch(single, there, i % 3 == 0));
			cache_touch(batched, there, i % 3 == 0);
		}
	}
	struct cache_counts counts, expected;
	cache_count(batched, &counts);
	cache_count(single, &expected);
	assert_memory_equal(&counts, &expected, sizeof counts);
	assert_true(counts.fills > 10000);
}

static void
batches_and_single_accesses_are_the_same(void **state)
{
	(void)state;
	for (uint32_t ways = 6; ways <= 9; ways++) {
		const struct cache_config config = {.sets = 16, .ways = ways, .line_size = 64};
		struct cache *batched = make(&config), *single = make(&config);
		assert_same(batched, single, ways);
		cache_free(batched);
		cache_free(single);
	}
}

static struct cache *
make_with(const struct cache_config *config, const struct cache_lru8 *lru8)
{
	struct cache *cache;
	struct poly_error error;
	if (cache_new_with(config, lru8, &cache, &error) != POLY_OK)
		fail_msg("%s", error.message);
	return cache;
}

static void
eight_ways_of_any_processor_equal_plain_ones(void **state)
{
	static const struct cache_config configs[] = {{.sets = 16, .ways = 8, .line_size = 64},
		{.sets = 1, .ways = 8, .line_size = 64},
		{.sets = 16, .ways = 8, .line_size = 64, .always_valid = true},
		{.sets = 16, .ways = 8, .line_size = 64, .write_through = true},
		{.sets = 16, .ways = 8, .line_size = 64, .no_allocate = true}};
	const struct cache_lru8 *lru8;
	(void)state;
	for (unsigned place = 0; (lru8 = cache_lru8_at(place)) != NULL; place++) {
		for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
			struct cache *fast = make_with(&configs[i], lru8),
				     *plain = make_with(&configs[i], NULL);
			assert_ptr_equal(fast->lru8, lru8);
			assert_same(fast, plain, i + 1);
			assert_same(plain, fast, i + 1);
			cache_free(fast);
			cache_free(plain);
		}
	}
}

static void
frames_find_inserted_pages(void **state)
{
	struct lru_list frames;
	uint64_t random = 9;
	static uint8_t held[512];
	(void)state;
	assert_true(lru_list_init(&frames, 100));
	for (int step = 0; step < 100000; step++) {
		const uint64_t number = cache_random(&random) % 512;
		const uint32_t frame = lru_list_find(&frames, number << 40);
		assert_int_equal(frame != LRU_LIST_NONE, held[number]);
		if (frame != LRU_LIST_NONE) {
			assert_int_equal(frames.frames[frame].number, number << 40);
			lru_list_remove(&frames, frame);
		} else if (frames.held < frames.capacity) {
			lru_list_insert(&frames, number << 40);
		} else {
			held[frames.frames[frames.oldest].number >> 40] = 0;
			lru_list_replace(&frames, frames.oldest, number << 40);
		}
		held[number] = frame == LRU_LIST_NONE;
	}
	lru_list_fini(&frames);
}

static void
invalid_configurations_are_rejected(void **state)
{
	static const struct {
		struct cache_config config;
		const char *message;
	} cases[] = {
		{{.sets = 3, .ways = 1, .line_size = 64},
			"3 sets is not a power of two (size/(ways*line))"},
		{{.sets = 1, .ways = 0, .line_size = 64}, "ways=0, expected at least 1"},
		{{.sets = 2, .ways = 65, .line_size = 64},
			"ways=65, expected at most 64 with more than one set"},
		{{.sets = 1, .ways = 65, .line_size = 64, .policy = CACHE_SRRIP},
			"ways=65, expected at most 64 with this policy"},
		{{.sets = 1, .ways = 6, .line_size = 64, .policy = CACHE_PLRU},
			"ways=6, the policy plru requires a power of two"},
		{{.sets = 1, .ways = 6, .line_size = 2},
			"lines of 2 bytes, expected a power of two from 4 to 1073741824"},
		{{.sets = 1,
			 .ways = 2,
			 .line_size = 64,
			 .policy = CACHE_FIFO,
			 .always_valid = true},
			"a cache without valid bits requires the policy lru or pointer"},
		{{.sets = UINT64_C(1) << 40, .ways = 1, .line_size = 64},
			"1099511627776 sets of 1 ways, expected at most 67108864 lines"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct cache *cache;
		struct poly_error error;
		assert_int_equal(cache_new(&cases[i].config, &cache, &error), POLY_ERR_USAGE);
		assert_string_equal(error.message, cases[i].message);
		assert_null(cache);
	}
}

static enum poly_status
build_cache(void *config)
{
	struct cache *cache;
	struct poly_error error;
	const enum poly_status status = cache_new(config, &cache, &error);
	cache_free(cache);
	return status;
}

static void
lack_of_memory_is_survived(void **state)
{
	struct cache_config configs[] = {
		{.sets = 4, .ways = 4, .line_size = 64, .policy = CACHE_SRRIP},
		{.sets = 4, .ways = 4, .line_size = 64, .policy = CACHE_PLRU},
		{.sets = 4, .ways = 8, .line_size = 64},
		{.sets = 1, .ways = 400, .line_size = 64}};
	(void)state;
	for (size_t i = 0; i < sizeof configs / sizeof *configs; i++)
		law_memory(build_cache, &configs[i]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(policies_differ_as_they_do_by_hand),
		cmocka_unit_test(a_dirty_line_goes_below_when_it_is_replaced),
		cmocka_unit_test(a_dropped_line_frees_its_way),
		cmocka_unit_test(sets_that_do_not_duel_follow_those_that_do),
		cmocka_unit_test(batches_and_single_accesses_are_the_same),
		cmocka_unit_test(eight_ways_of_any_processor_equal_plain_ones),
		cmocka_unit_test(frames_find_inserted_pages),
		cmocka_unit_test(invalid_configurations_are_rejected),
		cmocka_unit_test(lack_of_memory_is_survived),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
