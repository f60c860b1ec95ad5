/* SPDX-License-Identifier: MIT */
/* Tests of bins against sets made by comparing everything with everything. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "analysis/adaptive_bins.h"
#include "base/mem.h"

#define TOUCHES 2000

/* What was touched, and how often each half of a bin: to see who is joined with whom. */
struct touch {
	uint64_t address;
	uint32_t tag;
};

struct item {
	uint64_t count, lower, upper;
};

static void
widen(void *item, bool upper)
{
	struct item *it = item;
	it->lower = upper ? 0 : it->count;
	it->upper = upper ? it->count : 0;
}

static void
join(void *into, const void *from)
{
	struct item *to = into;
	const struct item *more = from;
	to->count += more->count;
	to->lower += more->lower;
	to->upper += more->upper;
}

static struct adaptive_bins
make_table(uint32_t most)
{
	return (struct adaptive_bins){.shift = 4,
		.max_count = most,
		.item_size = sizeof(struct item),
		.coarsen = widen,
		.merge_item = join};
}

/* Addresses in a few places of different size, from a generator of small numbers. */
static void
make_touches(struct touch *touches)
{
	uint32_t x = 12345;
	for (size_t i = 0; i < TOUCHES; i++) {
		x = x * 1103515245u + 12345;
		const uint64_t place = (uint64_t)(x >> 30) << 40;
		touches[i] = (struct touch){place + (x >> 8) % 8192, (x >> 24) % 3};
	}
	touches[7].address = UINT64_MAX;
}

static void
add(struct adaptive_bins *bins, const struct touch *touches, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const uint32_t item =
			adaptive_bins_get(bins, touches[i].address, touches[i].tag);
		assert_int_not_equal(item, ADAPTIVE_BIN_NONE);
		struct item *it = adaptive_bins_item(bins, item);
		it->count++;
	}
}

/* How many different bins of a size were touched before the n-th touch. */
static size_t
count_distinct(const struct touch *touches, size_t n, unsigned shift)
{
	size_t count = 0;
	for (size_t i = 0; i < n; i++) {
		size_t j = 0;
		while (touches[j].address >> shift != touches[i].address >> shift ||
			touches[j].tag != touches[i].tag)
			j++;
		count += j == i;
	}
	return count;
}

/* How often a bin was touched. */
static uint64_t
count_touches(const struct touch *touches, uint64_t number, uint32_t tag, unsigned shift)
{
	uint64_t count = 0;
	for (size_t i = 0; i < TOUCHES; i++)
		count += touches[i].address >> shift == number && touches[i].tag == tag;
	return count;
}

/* Compares a table of all touches with what they are. */
static void
expect_all(const struct adaptive_bins *bins, const struct touch *touches, unsigned shift)
{
	assert_int_equal(bins->shift, shift);
	assert_int_equal(bins->count, count_distinct(touches, TOUCHES, shift));
	for (uint32_t i = 0; i < bins->count; i++) {
		const struct item *it = adaptive_bins_item(bins, i);
		const struct adaptive_bin *of = &bins->list[i];
		assert_int_equal(it->count, count_touches(touches, of->number, of->tag, shift));
	}
}

/* The smallest bins of which there are not too many. */
static unsigned
fit_shift(const struct touch *touches, uint32_t most)
{
	unsigned shift = 4;
	while (count_distinct(touches, TOUCHES, shift) > most)
		shift++;
	return shift;
}

static void
bins_coarsen_no_further_than_they_must(void **state)
{
	(void)state;
	struct touch touches[TOUCHES];
	static const uint32_t most[] = {8, 24, 100, 101, 640, 4096};
	make_touches(touches);
	for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
		struct adaptive_bins bins = make_table(most[i]);
		add(&bins, touches, TOUCHES);
		expect_all(&bins, touches, fit_shift(touches, most[i]));
		adaptive_bins_fini(&bins);
	}
}

static void
merged_parts_equal_the_whole(void **state)
{
	(void)state;
	struct touch touches[TOUCHES];
	make_touches(touches);
	for (size_t cut = 0; cut <= TOUCHES; cut += 50) {
		struct adaptive_bins first = make_table(100), second = make_table(100);
		add(&first, touches, cut);
		add(&second, touches + cut, TOUCHES - cut);
		assert_true(adaptive_bins_merge(&first, &second, NULL));
		expect_all(&first, touches, fit_shift(touches, 100));
		adaptive_bins_fini(&first);
		adaptive_bins_fini(&second);
	}
}

static void
halves_are_merged_when_bins_coarsen(void **state)
{
	(void)state;
	struct adaptive_bins bins = make_table(2);
	const struct touch touches[] = {{0x00, 0}, {0x10, 0}, {0x10, 0}, {0x20, 0}};
	add(&bins, touches, 4);
	assert_int_equal(bins.shift, 5);
	const struct item *it = adaptive_bins_item(&bins, adaptive_bins_find(&bins, 0, 0));
	assert_int_equal(it->lower, 1);
	assert_int_equal(it->upper, 2);
	adaptive_bins_fini(&bins);
}

static void
fixed_bins_refuse_addresses_beyond_the_table(void **state)
{
	(void)state;
	struct adaptive_bins bins = make_table(2);
	assert_int_equal(adaptive_bins_lookup(&bins, 0, 0), ADAPTIVE_BIN_NONE);
	bins.is_fixed = true;
	const struct touch touches[] = {{0x00, 0}, {0x10, 0}};
	add(&bins, touches, 2);
	assert_int_equal(adaptive_bins_get(&bins, 0x20, 0), ADAPTIVE_BIN_NONE);
	assert_int_equal(adaptive_bins_get(&bins, 0x1f, 0), 1);
	assert_int_equal(adaptive_bins_lookup(&bins, 0x1f, 0), 1);
	assert_int_equal(adaptive_bins_lookup(&bins, 0x20, 0), ADAPTIVE_BIN_NONE);
	assert_int_equal(adaptive_bins_lookup(&bins, 0x1f, 1), ADAPTIVE_BIN_NONE);
	adaptive_bins_clear(&bins);
	assert_int_equal(adaptive_bins_lookup(&bins, 0x1f, 0), ADAPTIVE_BIN_NONE);
	assert_int_equal(adaptive_bins_get(&bins, 0x20, 0), 0);
	assert_false(bins.failed);
	adaptive_bins_fini(&bins);
}

static void
items_are_sorted_by_address_and_tag(void **state)
{
	(void)state;
	struct adaptive_bins bins = make_table(100);
	const struct touch touches[] = {{0x50, 1}, {0x50, 0}, {UINT64_MAX, 0}, {0x10, 2}};
	add(&bins, touches, 4);
	uint32_t *sorted = adaptive_bins_sorted(&bins);
	assert_non_null(sorted);
	static const uint32_t expected[] = {3, 1, 0, 2};
	assert_memory_equal(sorted, expected, sizeof expected);
	mem_free(sorted);
	adaptive_bins_fini(&bins);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bins_coarsen_no_further_than_they_must),
		cmocka_unit_test(merged_parts_equal_the_whole),
		cmocka_unit_test(halves_are_merged_when_bins_coarsen),
		cmocka_unit_test(fixed_bins_refuse_addresses_beyond_the_table),
		cmocka_unit_test(items_are_sorted_by_address_and_tag),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
