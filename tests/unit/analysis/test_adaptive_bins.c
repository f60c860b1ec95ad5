/* SPDX-License-Identifier: MIT */
/* Tests adaptive bins against exhaustive comparison. */
#include "test_help.h"

#include "analysis/facts/adaptive_bins.h"

#define ACCESSES 2000

/* Accesses, and their number per half of a bin, to check which halves are merged. */
struct bin_access {
	uint64_t address;
	uint32_t tag;
};

struct item {
	uint64_t count, lower, upper;
};

static void
widen(void *item, bool upper)
{
	struct item *counted = item;
	counted->lower = upper ? 0 : counted->count;
	counted->upper = upper ? counted->count : 0;
}

static void
join(void *into, const void *from)
{
	struct item *sum = into;
	const struct item *part = from;
	sum->count += part->count;
	sum->lower += part->lower;
	sum->upper += part->upper;
}

static struct adaptive_bins
make_table(uint32_t limit)
{
	return (struct adaptive_bins){.shift = 4,
		.max_count = limit,
		.item_size = sizeof(struct item),
		.coarsen = widen,
		.merge_item = join};
}

/* Draws addresses in a few clusters of different size. */
static void
make_touches(struct bin_access *accesses)
{
	uint32_t x = 12345;
	for (size_t i = 0; i < ACCESSES; i++) {
		x = x * 1103515245u + 12345;
		const uint64_t cluster = (uint64_t)(x >> 30) << 40;
		accesses[i] = (struct bin_access){cluster + (x >> 8) % 8192, (x >> 24) % 3};
	}
	accesses[7].address = UINT64_MAX;
}

static void
add(struct adaptive_bins *bins, const struct bin_access *accesses, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const uint32_t item =
			adaptive_bins_get(bins, accesses[i].address, accesses[i].tag);
		assert_int_not_equal(item, ADAPTIVE_BIN_NONE);
		struct item *counted = adaptive_bins_item(bins, item);
		counted->count++;
	}
}

/* Counts the distinct bins of a size before the n-th access. */
static size_t
count_distinct(const struct bin_access *accesses, size_t n, unsigned shift)
{
	size_t count = 0;
	for (size_t i = 0; i < n; i++) {
		size_t j = 0;
		while (accesses[j].address >> shift != accesses[i].address >> shift ||
			accesses[j].tag != accesses[i].tag)
			j++;
		count += j == i;
	}
	return count;
}

/* Counts the accesses of a bin. */
static uint64_t
count_accesses(const struct bin_access *accesses, uint64_t number, uint32_t tag, unsigned shift)
{
	uint64_t count = 0;
	for (size_t i = 0; i < ACCESSES; i++)
		count += accesses[i].address >> shift == number && accesses[i].tag == tag;
	return count;
}

/* Compares a table with all accesses. */
static void
expect_all(const struct adaptive_bins *bins, const struct bin_access *accesses, unsigned shift)
{
	assert_int_equal(bins->shift, shift);
	assert_int_equal(bins->count, count_distinct(accesses, ACCESSES, shift));
	for (uint32_t i = 0; i < bins->count; i++) {
		const struct item *counted = adaptive_bins_item(bins, i);
		const struct adaptive_bin *of = &bins->list[i];
		assert_int_equal(
			counted->count, count_accesses(accesses, of->number, of->tag, shift));
	}
}

/* Returns the smallest bin size that fits the table. */
static unsigned
fit_shift(const struct bin_access *accesses, uint32_t limit)
{
	unsigned shift = 4;
	while (count_distinct(accesses, ACCESSES, shift) > limit)
		shift++;
	return shift;
}

static void
bins_coarsen_no_further_than_they_must(void **state)
{
	(void)state;
	struct bin_access accesses[ACCESSES];
	static const uint32_t limit[] = {8, 24, 100, 101, 640, 4096};
	make_touches(accesses);
	for (size_t i = 0; i < sizeof limit / sizeof *limit; i++) {
		struct adaptive_bins bins = make_table(limit[i]);
		add(&bins, accesses, ACCESSES);
		expect_all(&bins, accesses, fit_shift(accesses, limit[i]));
		adaptive_bins_fini(&bins);
	}
}

static void
merged_parts_equal_one_table(void **state)
{
	(void)state;
	struct bin_access accesses[ACCESSES];
	make_touches(accesses);
	for (size_t cut = 0; cut <= ACCESSES; cut += 50) {
		struct adaptive_bins first = make_table(100), second = make_table(100);
		add(&first, accesses, cut);
		add(&second, accesses + cut, ACCESSES - cut);
		assert_true(adaptive_bins_merge(&first, &second, NULL));
		expect_all(&first, accesses, fit_shift(accesses, 100));
		adaptive_bins_fini(&first);
		adaptive_bins_fini(&second);
	}
}

static void
halves_are_merged_when_bins_coarsen(void **state)
{
	(void)state;
	struct adaptive_bins bins = make_table(2);
	const struct bin_access accesses[] = {{0x00, 0}, {0x10, 0}, {0x10, 0}, {0x20, 0}};
	add(&bins, accesses, 4);
	assert_int_equal(bins.shift, 5);
	const struct item *counted = adaptive_bins_item(&bins, adaptive_bins_find(&bins, 0, 0));
	assert_int_equal(counted->lower, 1);
	assert_int_equal(counted->upper, 2);
	adaptive_bins_fini(&bins);
}

static void
fixed_bins_refuse_addresses_beyond_the_table(void **state)
{
	(void)state;
	struct adaptive_bins bins = make_table(2);
	assert_int_equal(adaptive_bins_lookup(&bins, 0, 0), ADAPTIVE_BIN_NONE);
	bins.is_fixed = true;
	const struct bin_access accesses[] = {{0x00, 0}, {0x10, 0}};
	add(&bins, accesses, 2);
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
	const struct bin_access accesses[] = {{0x50, 1}, {0x50, 0}, {UINT64_MAX, 0}, {0x10, 2}};
	add(&bins, accesses, 4);
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
		cmocka_unit_test(merged_parts_equal_one_table),
		cmocka_unit_test(halves_are_merged_when_bins_coarsen),
		cmocka_unit_test(fixed_bins_refuse_addresses_beyond_the_table),
		cmocka_unit_test(items_are_sorted_by_address_and_tag),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
