/* SPDX-License-Identifier: MIT */
/* Hash tables: what they hold, and what searches of chosen keys cost. */
#include "test_help.h"

#include "base/map.h"

/* Keys of a set, of which half a table of 2^17 places is full. */
#define KEYS 65536

/* 2^64 divided by the golden ratio, a factor often used for hashing, and its inverse. */
#define GOLDEN UINT64_C(0x9e3779b97f4a7c15)
#define GOLDEN_INVERSE UINT64_C(0xf1de83e19937733d)

static void
a_map_keeps_every_key(void **state)
{
	(void)state;
	struct map map = {0};
	bool added;
	assert_null(map_find(&map, 5));
	for (unsigned turn = 0; turn < 2; turn++) {
		for (uint64_t i = 0; i < 20000; i++) {
			uint64_t key = i << i % 50;
			uint64_t *value = map_get(&map, key, i, &added);
			assert_non_null(value);
			if (added)
				*value = key ^ 0x55;
			assert_true(*value == (key ^ 0x55));
			assert_true(!turn || !added);
			/* Half of it stays free, so that searches end soon. */
			assert_true(map.count <= map.mask / 2 + 1);
		}
	}
	assert_non_null(map_find(&map, 0));
	assert_null(map_find(&map, UINT64_MAX));
	uint64_t *last = map_get(&map, UINT64_MAX, 3, &added);
	assert_non_null(last);
	*last += 1;
	assert_true(added);
	assert_ptr_equal(map_find(&map, UINT64_MAX), last);
	map_free(&map);
	assert_null(map_find(&map, 0));
}

static void
a_cleared_map_is_empty(void **state)
{
	(void)state;
	struct map map = {0};
	bool added;
	map_clear(&map);
	for (uint64_t key = 0; key < 1000; key++)
		assert_non_null(map_get(&map, key, key, &added));
	map_clear(&map);
	assert_int_equal(map.count, 0);
	for (uint64_t key = 0; key < 1000; key++)
		assert_null(map_find(&map, key));
	map_free(&map);
}

static void
entries_are_listed_in_order_of_their_keys(void **state)
{
	(void)state;
	struct map map = {0};
	bool added;
	for (uint64_t i = 0; i < 1000; i++)
		assert_non_null(map_get(&map, i * 617 % 1000, i, &added));
	struct map_entry *sorted = map_sorted(&map);
	assert_non_null(sorted);
	for (uint64_t i = 0; i < 1000; i++) {
		assert_int_equal(sorted[i].key, i);
		assert_int_equal(sorted[i].value * 617 % 1000, i);
	}
	mem_free(sorted);
	map_free(&map);
}

static void
tables_draw_different_seeds(void **state)
{
	(void)state;
	struct map maps[2] = {0};
	bool added;
	for (unsigned i = 0; i < 2; i++)
		assert_non_null(map_get(&maps[i], 1, 1, &added));
	assert_int_not_equal(maps[0].seed.mask, maps[1].seed.mask);
	assert_int_not_equal(maps[0].seed.factor, maps[1].seed.factor);
	assert_true(maps[0].seed.factor & maps[1].seed.factor & 1);
	map_free(&maps[0]);
	map_free(&maps[1]);
}

static const struct hash_seed seeds[] = {
	{UINT64_C(0x243f6a8885a308d3), UINT64_C(0x13198a2e03707345)},
	{UINT64_C(0xa4093822299f31d0), UINT64_C(0x082efa98ec4e6c89)},
	{UINT64_C(0x452821e638d01377), UINT64_C(0xbe5466cf34e90c6d)}};

/* The i-th key of each set. */

/* Keys whose golden hashes have one place and one step in a table of 2^19 places. */
static uint64_t
same_place_and_step(uint64_t i)
{
	const uint64_t high = (i >> 8 & 31) << 27 | 0x12345 << 8 | (i & 255);
	const uint64_t low = ((high ^ 0x5a5a5) & 0x7ffff) | (i >> 13 & 0x1fff) << 19;
	return (high << 32 | low) * GOLDEN_INVERSE;
}

/* Keys whose golden hashes have the same upper 48 bits, and so one place. */
static uint64_t
same_upper_bits(uint64_t i)
{
	return i * GOLDEN_INVERSE;
}

/* Keys whose golden hashes have the same lower bits. */
static uint64_t
same_lower_bits(uint64_t i)
{
	return (i << 40) * GOLDEN_INVERSE;
}

static uint64_t
bit_reversed(uint64_t i)
{
	uint64_t reversed = 0;
	for (unsigned bit = 0; bit < 64; bit++)
		reversed |= (i >> bit & 1) << (63 - bit);
	return reversed;
}

/* Bits of i at every fourth place. */
static uint64_t
spread(uint64_t i)
{
	uint64_t key = 0;
	for (unsigned bit = 0; bit < 16; bit++)
		key |= (i >> bit & 1) << 4 * bit;
	return key;
}

static uint64_t
from_the_end(uint64_t i)
{
	return ~i;
}

/* Two numbers in one key, as of a pc and an opcode. */
static uint64_t
two_numbers(uint64_t i)
{
	return (i & 255) << 32 | i >> 8;
}

static uint64_t (*const sets[])(uint64_t) = {same_place_and_step, same_upper_bits,
	same_lower_bits, bit_reversed, spread, from_the_end, two_numbers};

/* Number of entries that a search for a key reads. */
static size_t
probes(const struct map *map, uint64_t key)
{
	if (!key)
		return 1;
	const size_t home = hash_number(&map->seed, key) & map->mask;
	return (((size_t)(map_place(map, key) - map->entries) - home) & map->mask) + 1;
}

/* What the searches for all keys cost. */
struct cost {
	size_t sum, max;
};

/* Returns the cost of n keys, which are key(i << shift). */
static struct cost
cost_of(const struct hash_seed *seed, uint64_t (*key)(uint64_t), unsigned shift, size_t n)
{
	struct map map = {.seed = *seed};
	struct cost cost = {0};
	bool added;
	for (uint64_t i = 0; i < n; i++)
		assert_non_null(map_get(&map, key ? key(i) : i << shift, i, &added));
	assert_int_equal(map.count, n);
	for (uint64_t i = 0; i < n; i++) {
		const size_t looks = probes(&map, key ? key(i) : i << shift);
		cost.sum += looks;
		cost.max = looks > cost.max ? looks : cost.max;
	}
	map_free(&map);
	return cost;
}

/* Random keys cost 1.5 on average, and seldom more than 70. */
static void
assert_usual(struct cost cost, size_t n)
{
	assert_in_range(cost.sum, n, 8 * n / 5);
	assert_in_range(cost.max, 1, 100);
}

static void
chosen_keys_cost_no_more_than_others(void **state)
{
	(void)state;
	for (size_t s = 0; s < sizeof seeds / sizeof *seeds; s++) {
		for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
			assert_usual(cost_of(&seeds[s], sets[i], 0, KEYS), KEYS);
		for (unsigned shift = 0; shift <= 48; shift++)
			assert_usual(cost_of(&seeds[s], NULL, shift, KEYS), KEYS);
	}
}

#define CHOSEN 2048
static uint64_t chosen[CHOSEN];

static uint64_t
chosen_key(uint64_t i)
{
	return chosen[i];
}

/* Whoever knows the seed can choose keys that collide: the seed is what protects a table. */
static void
only_a_known_seed_can_be_attacked(void **state)
{
	(void)state;
	size_t count = 0;
	for (uint64_t key = 1; count < CHOSEN; key++) {
		chosen[count] = key;
		count += (hash_number(&seeds[0], key) & (2 * CHOSEN - 1)) < 32;
	}
	assert_true(cost_of(&seeds[0], chosen_key, 0, CHOSEN).sum > CHOSEN * CHOSEN / 4);
	assert_usual(cost_of(&seeds[1], chosen_key, 0, CHOSEN), CHOSEN);
	assert_usual(cost_of(&seeds[2], chosen_key, 0, CHOSEN), CHOSEN);
}

/* The keys of pairs are as irregular as those of numbers. */
static void
chosen_pairs_have_different_keys(void **state)
{
	(void)state;
	struct map map = {.seed = seeds[1]};
	bool added;
	for (uint64_t a = 0; a < 256; a++) {
		for (uint64_t b = 0; b < 256; b++) {
			for (unsigned shift = 0; shift <= 56; shift += 56) {
				const uint64_t key =
					map_pair(&map, a << shift, b << (56 - shift));
				assert_non_null(map_get(&map, key, 0, &added));
				assert_int_equal(added, shift == 0 || a || b);
				assert_in_range(probes(&map, key), 1, 100);
			}
		}
	}
	map_free(&map);
}

static void
every_byte_changes_a_hash(void **state)
{
	(void)state;
	uint8_t bytes[40] = {0};
	struct map map = {.seed = seeds[0]};
	bool added;
	for (size_t n = 0; n < sizeof bytes; n++) {
		assert_non_null(map_get(&map, map_bytes(&map, bytes, n), 0, &added));
		assert_true(added);
		for (size_t i = 0; i < 8 * n; i++) {
			bytes[i / 8] ^= (uint8_t)(1 << i % 8);
			assert_non_null(map_get(&map, map_bytes(&map, bytes, n), 0, &added));
			assert_true(added);
			bytes[i / 8] ^= (uint8_t)(1 << i % 8);
		}
	}
	map_free(&map);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_map_keeps_every_key),
		cmocka_unit_test(a_cleared_map_is_empty),
		cmocka_unit_test(entries_are_listed_in_order_of_their_keys),
		cmocka_unit_test(tables_draw_different_seeds),
		cmocka_unit_test(chosen_keys_cost_no_more_than_others),
		cmocka_unit_test(only_a_known_seed_can_be_attacked),
		cmocka_unit_test(chosen_pairs_have_different_keys),
		cmocka_unit_test(every_byte_changes_a_hash),
	};
	return cmocka_run_group_tests_name("map", tests, NULL, NULL);
}
