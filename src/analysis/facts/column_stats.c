/* SPDX-License-Identifier: MIT */
/* Statistics of columns. Compilers vectorize the loops over 64 rows. */
#include "analysis/facts/column_stats.h"

#include "base/bits.h"
#include "base/mem.h"

uint64_t
row_bits_equal(const uint8_t *values, size_t n, uint8_t value)
{
	const uint64_t ones = 0x0101010101010101u, low = 0x7f * ones;
	uint64_t rows = 0;
	size_t i = 0;
	for (; i + 8 <= n; i += 8) {
		uint64_t x = load_le64(values + i) ^ value * ones;
		/* Sets bit 0 of every byte that is 0, then gathers these bits. */
		uint64_t zero = ~(((x & low) + low) | x | low) >> 7;
		rows |= (zero * 0x0102040810204080u >> 56) << i;
	}
	for (; i < n; i++)
		rows |= (uint64_t)(values[i] == value) << i;
	return rows;
}

/* Counts the values equal to value among n, a multiple of 64. */
static size_t
count_equal(const uint8_t *values, size_t n, uint8_t value)
{
	size_t count = 0;
	for (size_t i = 0; i < n; i += 64) {
		uint8_t lane = 0; /* one byte per lane, for the widest vectors */
		for (size_t j = 0; j < 64; j++)
			lane = (uint8_t)(lane + (values[i + j] == value));
		count += lane;
	}
	return count;
}

static void
histogram_add_value(struct byte_histogram *histogram, uint8_t value)
{
	histogram->counts[value]++;
	if (histogram->listed[value] || histogram->list_count == BYTE_HISTOGRAM_LISTED)
		return;
	histogram->listed[value] = true;
	histogram->list[histogram->list_count++] = value;
}

/*
 * Counts n rows, a multiple of 64: first each listed value, until all rows are counted; then
 * the remaining rows one by one.
 */
static void
histogram_add_run(struct byte_histogram *histogram, const uint8_t *values, size_t n)
{
	size_t remaining = n, previous = 0, listed = histogram->list_count;
	bool known[256];
	for (size_t i = 0; i < listed && remaining; i++) {
		uint8_t value = histogram->list[i];
		size_t count = count_equal(values, n, value);
		histogram->counts[value] += count;
		remaining -= count;
		if (i && count > previous) {
			histogram->list[i] = histogram->list[i - 1];
			histogram->list[i - 1] = value;
		} else {
			previous = count;
		}
	}
	if (!remaining)
		return;
	for (size_t i = 0; i < 256; i++)
		known[i] = histogram->listed[i];
	for (size_t i = 0; i < n; i++) {
		if (!known[values[i]])
			histogram_add_value(histogram, values[i]);
	}
}

void
byte_histogram_add_column(struct byte_histogram *histogram, const struct poly_batch *batch,
	enum poly_column column, const uint8_t *values)
{
	size_t words = values ? row_bits_words(batch) : 0, full = 0;
	for (size_t w = 0; w < words; w++) {
		uint64_t rows = row_bits_present(batch, column, w);
		if (rows == UINT64_MAX) {
			full++;
			continue;
		}
		histogram_add_run(histogram, values + 64 * (w - full), 64 * full);
		full = 0;
		while (rows)
			histogram_add_value(histogram, values[64 * w + row_bits_next(&rows)]);
	}
	if (full)
		histogram_add_run(histogram, values + 64 * (words - full), 64 * full);
}

void
value_range_add(struct value_range *range, uint64_t value)
{
	if (range->low > range->high) {
		range->low = range->high = value;
		return;
	}
	if (value < range->low)
		range->low = value;
	if (value > range->high)
		range->high = value;
}

void
value_range_merge(struct value_range *into, const struct value_range *from)
{
	if (from->low > from->high)
		return;
	value_range_add(into, from->low);
	value_range_add(into, from->high);
}

void
value_range_add_column(struct value_range *range, const struct poly_batch *batch,
	enum poly_column column, const uint64_t *values)
{
	size_t words = values ? row_bits_words(batch) : 0;
	struct value_range own = *range;
	for (size_t w = 0; w < words; w++) {
		uint64_t rows = row_bits_present(batch, column, w);
		const uint64_t *word = values + 64 * w;
		if (rows != UINT64_MAX) {
			while (rows)
				value_range_add(&own, word[row_bits_next(&rows)]);
			continue;
		}
		value_range_add(&own, word[0]);
		for (size_t i = 1; i < 64; i++) {
			if (word[i] - own.low > own.high - own.low)
				value_range_add(&own, word[i]);
		}
	}
	*range = own;
}

void
distinct_set_init(struct distinct_set *distinct)
{
	*distinct = (struct distinct_set){.overflowed = false};
	/* No value is in its own slot: the low bits of ~i are never i. */
	for (uint64_t i = 0; i < 64; i++)
		distinct->recent[i] = ~i;
}

void
distinct_set_add(struct distinct_set *distinct, uint64_t value)
{
	bool added;
	if (distinct->overflowed || distinct->recent[value % 64] == value)
		return;
	distinct->recent[value % 64] = value;
	if (!map_get(&distinct->map, value, 0, &added))
		distinct->failed = true;
	if (distinct->map.count > DISTINCT_SET_MAX) {
		distinct->overflowed = true;
		map_free(&distinct->map);
	}
}

void
distinct_set_merge(struct distinct_set *into, const struct distinct_set *from)
{
	into->failed |= from->failed;
	if (from->overflowed) {
		into->overflowed = true;
		map_free(&into->map);
	}
	struct map_entry *sorted = map_sorted(&from->map);
	into->failed |= !sorted;
	for (size_t i = 0; sorted && i < from->map.count; i++)
		distinct_set_add(into, sorted[i].key);
	mem_free(sorted);
}

/* Adds 64 values, which most often are equal. */
static void
distinct_word(struct distinct_set *distinct, const uint64_t *values)
{
	uint64_t differences = 0;
	for (size_t i = 1; i < 64; i++)
		differences |= values[0] ^ values[i];
	distinct_set_add(distinct, values[0]);
	for (size_t i = 1; differences && i < 64; i++)
		distinct_set_add(distinct, values[i]);
}

/* Adds the values of the given rows of a word. */
static void
distinct_rows(struct distinct_set *distinct, const uint64_t *values, uint64_t rows)
{
	if (rows == UINT64_MAX) {
		distinct_word(distinct, values);
		return;
	}
	while (rows)
		distinct_set_add(distinct, values[row_bits_next(&rows)]);
}

void
distinct_set_add_column(struct distinct_set *distinct, const struct poly_batch *batch,
	enum poly_column column, const uint64_t *values)
{
	size_t words = values && !distinct->overflowed ? row_bits_words(batch) : 0;
	for (size_t w = 0; w < words; w++)
		distinct_rows(distinct, values + 64 * w, row_bits_present(batch, column, w));
}

void
distinct_set_add_column32(struct distinct_set *distinct, const struct poly_batch *batch,
	enum poly_column column, const uint32_t *values)
{
	size_t words = values && !distinct->overflowed ? row_bits_words(batch) : 0;
	for (size_t w = 0; w < words; w++) {
		uint64_t wide[64];
		size_t n = batch->rows - 64 * w;
		for (size_t i = 0; i < 64 && i < n; i++)
			wide[i] = values[64 * w + i];
		distinct_rows(distinct, wide, row_bits_present(batch, column, w));
	}
}

void
distinct_set_fini(struct distinct_set *distinct)
{
	map_free(&distinct->map);
}
