/* SPDX-License-Identifier: MIT */
/* Saves and loads states. */
#include "analysis/facts/archive.h"

#include "analysis/facts/static_ops.h"
#include "base/mem.h"
#include "base/vec.h"

#include <string.h>

/* Bits of a byte of a number; the highest bit is set if another byte follows. */
enum { NUMBER_BITS = 7, NUMBER_MORE = 0x80 };

static void
fail(struct archive *archive, enum archive_failure failure)
{
	if (archive->failure == ARCHIVE_VALID)
		archive->failure = failure;
	archive->left = 0;
}

void
archive_require(struct archive *archive, bool valid)
{
	if (!valid)
		fail(archive, ARCHIVE_CORRUPT);
}

void
archive_allocate(struct archive *archive, bool ok)
{
	if (!ok)
		fail(archive, ARCHIVE_NO_MEMORY);
}

static void
put_number(struct archive *archive, uint64_t number)
{
	uint8_t *bytes = buf_reserve(archive->out, 10);
	size_t n = 0;
	if (!bytes)
		return;
	for (; number >= NUMBER_MORE; number >>= NUMBER_BITS)
		bytes[n++] = (uint8_t)(number | NUMBER_MORE);
	bytes[n++] = (uint8_t)number;
	archive->out->size += n;
}

static uint64_t
get_number(struct archive *archive)
{
	uint64_t number = 0;
	for (unsigned shift = 0; shift < 64 && archive->left; shift += NUMBER_BITS) {
		const uint64_t byte = *archive->in++;
		archive->left--;
		number |= (byte & (NUMBER_MORE - 1)) << shift;
		if (byte & NUMBER_MORE)
			continue;
		/* One number has one encoding. */
		archive_require(archive, (byte || !shift) && (shift < 63 || byte == 1));
		return archive_failed(archive) ? 0 : number;
	}
	fail(archive, ARCHIVE_CORRUPT);
	return 0;
}

static uint64_t
read_integer(const void *number, size_t width)
{
	uint8_t u8;
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;
	switch (width) {
	case 1: memcpy(&u8, number, 1); return u8;
	case 2: memcpy(&u16, number, 2); return u16;
	case 4: memcpy(&u32, number, 4); return u32;
	default: memcpy(&u64, number, 8); return u64;
	}
}

static void
write_integer(void *number, size_t width, uint64_t value)
{
	const uint8_t u8 = (uint8_t)value;
	const uint16_t u16 = (uint16_t)value;
	const uint32_t u32 = (uint32_t)value;
	switch (width) {
	case 1: memcpy(number, &u8, 1); break;
	case 2: memcpy(number, &u16, 2); break;
	case 4: memcpy(number, &u32, 4); break;
	default: memcpy(number, &value, 8); break;
	}
}

void
archive_numbers(
	struct archive *archive, void *numbers, size_t width, size_t count, uint64_t max)
{
	const uint64_t fits = width < 8 ? ((uint64_t)1 << 8 * width) - 1 : UINT64_MAX;
	uint8_t *bytes = numbers;
	max = max < fits ? max : fits;
	for (size_t i = 0; i < count; i++, bytes += width) {
		if (!archive_loads(archive)) {
			put_number(archive, read_integer(bytes, width));
			continue;
		}
		uint64_t number = archive_failed(archive) ? 0 : get_number(archive);
		archive_require(archive, number <= max);
		write_integer(bytes, width, archive_failed(archive) ? 0 : number);
	}
}

void
archive_index(struct archive *archive, uint32_t *index, uint32_t count)
{
	uint64_t number = *index == UINT32_MAX ? 0 : (uint64_t)*index + 1;
	archive_numbers(archive, &number, sizeof number, 1, count);
	*index = (uint32_t)(number - 1);
}

void
archive_context(struct archive *archive, uint16_t *context)
{
	archive_require(archive, archive->contexts != 0);
	archive_numbers(archive, context, sizeof *context, 1, archive->contexts - (uint64_t)1);
}

/* Returns the number of zeros that an array begins with. */
static size_t
count_zeros(const uint8_t *bytes, size_t width, size_t count)
{
	size_t zeros = 0;
	while (zeros < count && !read_integer(bytes + zeros * width, width))
		zeros++;
	return zeros;
}

void
archive_sparse(struct archive *archive, void *numbers, size_t width, size_t count, uint64_t max)
{
	uint8_t *bytes = numbers;
	for (size_t i = 0; i < count; i++) {
		archive_numbers(archive, bytes + i * width, width, 1, max);
		if (read_integer(bytes + i * width, width))
			continue;
		/* A zero is followed by the number of further ones. */
		size_t zeros = archive_loads(archive) ? 0
						      : count_zeros(bytes + (i + 1) * width,
								width, count - i - 1);
		ARCHIVE_UP_TO(archive, zeros, count - i - 1);
		if (archive_loads(archive))
			memset(bytes + (i + 1) * width, 0, zeros * width);
		i += zeros;
	}
}

size_t
archive_count(struct archive *archive, size_t count, size_t max)
{
	uint64_t number = count;
	archive_numbers(archive, &number, sizeof number, 1, max);
	if (archive_loads(archive))
		archive_require(archive, number <= archive->left);
	return archive_failed(archive) ? 0 : (size_t)number;
}

size_t
archive_room(struct archive *archive, void *array, size_t size, size_t count,
	struct archive_capacity capacity)
{
	count = archive_count(archive, count, UINT32_MAX - 1);
	if (!archive_loads(archive) || !count)
		return count;
	archive_allocate(
		archive, vec_grow_zeroed(array, size, capacity.number, capacity.width, count));
	return archive_failed(archive) ? 0 : count;
}

char *
archive_text(struct archive *archive, const char *text)
{
	const size_t n = text ? strlen(text) : 0;
	const size_t coded = archive_count(archive, text ? n + 1 : 0, SIZE_MAX);
	if (!archive_loads(archive)) {
		buf_append(archive->out, text, n);
		return NULL;
	}
	if (!coded)
		return NULL;
	char *copy = mem_new(coded, 1);
	archive_allocate(archive, copy != NULL);
	if (!copy || archive->left < coded - 1)
		return copy;
	memcpy(copy, archive->in, coded - 1);
	archive->in += coded - 1;
	archive->left -= coded - 1;
	archive_require(archive, !memchr(copy, 0, coded - 1));
	return copy;
}

void
archive_characters(struct archive *archive, char *text, size_t size)
{
	char *loaded = archive_text(archive, text);
	if (!archive_loads(archive))
		return;
	archive_require(archive, loaded && strlen(loaded) < size);
	if (!archive_failed(archive))
		memcpy(text, loaded, strlen(loaded) + 1);
	mem_free(loaded);
}

void
archive_map(struct archive *archive, struct map *map, uint64_t max)
{
	struct map_entry *sorted = archive_loads(archive) ? NULL : map_sorted(map);
	const size_t count = archive_count(archive, map->count, SIZE_MAX);
	uint64_t last = 0;
	bool added;
	archive_allocate(archive, archive_loads(archive) || !count || sorted);
	for (size_t i = 0; i < count && !archive_failed(archive); i++) {
		struct map_entry entry = sorted ? sorted[i] : (struct map_entry){0, 0};
		uint64_t step = entry.key - last;
		ARCHIVE(archive, step);
		ARCHIVE_UP_TO(archive, entry.value, max);
		archive_require(archive, (step || !i) && last + step >= last);
		last += step;
		if (archive_loads(archive) && !archive_failed(archive))
			archive_allocate(
				archive, map_get(map, last, entry.value, &added) != NULL);
	}
	mem_free(sorted);
}

void
archive_intern(struct archive *archive, struct intern *intern)
{
	const size_t count = archive_count(archive, intern->count, UINT32_MAX - 2);
	for (size_t i = 0; i < count && !archive_failed(archive); i++) {
		char *text = archive_text(archive, intern_text(intern, (uint32_t)i));
		if (!archive_loads(archive))
			continue;
		archive_require(archive, text != NULL);
		const uint32_t number =
			archive_failed(archive) ? 0 : intern_add(intern, text, strlen(text));
		mem_free(text);
		archive_allocate(archive, number != INTERN_FAILED);
		archive_require(archive, number == i);
	}
}

void
archive_pairs(struct archive *archive, struct pair_index *pairs, uint64_t limit)
{
	const size_t count = archive_count(archive, pairs->count, PAIR_INDEX_FAILED - 1);
	for (size_t i = 0; i < count && !archive_failed(archive); i++) {
		struct indexed_pair pair = {0};
		if (!archive_loads(archive))
			pair = pairs->list[i];
		ARCHIVE(archive, pair.a);
		ARCHIVE(archive, pair.b);
		archive_require(archive, pair.a < limit || limit == UINT64_MAX);
		if (!archive_loads(archive) || archive_failed(archive))
			continue;
		const uint32_t number = pair_index_add(pairs, pair.a, pair.b, UINT32_MAX);
		archive_allocate(archive, number != PAIR_INDEX_FAILED);
		archive_require(archive, number == i);
	}
}

void
archive_counters(struct archive *archive, struct counters *counters, uint64_t max)
{
	size_t count = counters->capacity;
	while (count && !counters->list[count - 1])
		count--;
	archive_require(archive, archive_loads(archive) || count <= max + 1);
	count = ARCHIVE_ROOM(archive, counters->list, counters->capacity, count);
	archive_require(archive, count <= max + 1);
	archive_numbers(archive, counters->list, sizeof *counters->list, count, UINT64_MAX);
}

void
archive_histogram(struct archive *archive, struct byte_histogram *histogram)
{
	ARCHIVE_ARRAY(archive, histogram->counts);
}

void
archive_access_stats(struct archive *archive, struct access_stats *stats)
{
	ARCHIVE_ARRAY(archive, stats->counts);
	ARCHIVE_ARRAY(archive, stats->bytes);
	ARCHIVE_UP_TO(archive, stats->sized, (1u << ACCESS_STATS_SLOTS) - 1);
	ARCHIVE_ARRAY(archive, stats->low);
	ARCHIVE_ARRAY(archive, stats->extent);
	for (size_t i = 0; i < ACCESS_STATS_SLOTS; i++) {
		ARCHIVE(archive, stats->ranges[i].low);
		ARCHIVE(archive, stats->ranges[i].high);
	}
}

void
archive_distinct(struct archive *archive, struct distinct_set *distinct)
{
	ARCHIVE(archive, distinct->overflowed);
	archive_map(archive, &distinct->map, UINT64_MAX);
	archive_require(archive, distinct->map.count <= DISTINCT_SET_MAX &&
					 (!distinct->overflowed || !distinct->map.count));
}

void
archive_bins(struct archive *archive, struct adaptive_bins *bins, uint32_t tags,
	archive_item_fn *item)
{
	const unsigned least = archive_loads(archive) ? bins->shift : 0;
	ARCHIVE_UP_TO(archive, bins->shift, 63);
	archive_require(archive,
		bins->shift >= least &&
			(!bins->is_fixed || !archive_loads(archive) || bins->shift == least));
	const size_t count = archive_count(archive, bins->count, bins->max_count);
	for (size_t i = 0; i < count && !archive_failed(archive); i++) {
		struct adaptive_bin bin = {0};
		if (!archive_loads(archive))
			bin = bins->list[i];
		ARCHIVE_UP_TO(archive, bin.number, UINT64_MAX >> bins->shift);
		ARCHIVE(archive, bin.tag);
		archive_require(archive, bin.tag < tags);
		if (archive_loads(archive) && !archive_failed(archive)) {
			const uint32_t found =
				adaptive_bins_find(bins, bin.number << bins->shift, bin.tag);
			archive_allocate(archive, !bins->failed);
			archive_require(archive, found == i);
		}
		if (!archive_failed(archive))
			item(archive, adaptive_bins_item(bins, (uint32_t)i));
	}
}

void
archive_site_bins(struct archive *archive, struct adaptive_bins *bins, archive_item_fn *item)
{
	archive_bins(archive, bins, archive->contexts, item);
	for (uint32_t i = 0; i < bins->count; i++)
		archive_require(archive, bins->list[i].number < archive->sites ||
						 bins->list[i].number == SITE_OPEN);
}

void
archive_log(struct archive *archive, struct part_log *log, archive_item_fn *item)
{
	ARCHIVE_UP_TO(archive, log->traces, 2);
	ARCHIVE(archive, log->has_rows);
	ARCHIVE(archive, log->is_part);
	ARCHIVE(archive, log->is_full);
	if (!item)
		return;
	const size_t count = archive_room(archive, &log->items, log->item_size, log->count,
		(struct archive_capacity){&log->capacity, sizeof log->capacity});
	log->count = count;
	for (size_t i = 0; i < count; i++)
		item(archive, log->items + log->item_size * i);
}
