/* SPDX-License-Identifier: MIT */
/* Counts accesses, 64 rows with access, address and size per step. */
#include "analysis/facts/access_stats.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define WITH_AVX512 1
#include <immintrin.h>
#endif

_Static_assert(POLY_ACCESS_COUNT <= ACCESS_STATS_SLOTS, "accesses are indexed by three bits");

/* A packed sum of one batch has the count in the upper 16 bits, the bytes in the lower 48: 4096
 * rows of less than 2^32 bytes. */
#define PACKED_ONE ((uint64_t)1 << 48)
/* Independent sums, so that equal accesses in sequence do not depend on each other. */
#define PACKED_LANES 4

void
access_stats_init(struct access_stats *stats)
{
	*stats = (struct access_stats){.counts = {0}};
	for (size_t i = 0; i < ACCESS_STATS_SLOTS; i++)
		stats->ranges[i] = VALUE_RANGE_EMPTY;
}

/* Extends a range. The empty and the full range have extent 0, so every address comes here. */
static void __attribute__((noinline, cold))
extend_range(struct access_stats *stats, unsigned access, uint64_t address)
{
	struct value_range *range = &stats->ranges[access];
	value_range_add(range, address);
	stats->low[access] = range->low;
	stats->extent[access] = range->high - range->low + 1;
}

/* Adds the address of a row; few are outside the range so far. */
static inline void
add_address(struct access_stats *stats, unsigned access, uint64_t address)
{
	if (address - stats->low[access] >= stats->extent[access])
		extend_range(stats, access, address);
}

/* At most 64 rows, and those of them to count. */
struct access_word {
	size_t row;	/* the first one */
	uint64_t rows;	/* with access and address */
	uint64_t sized; /* and size */
};

static struct access_word
access_word_at(const struct poly_batch *batch, size_t w)
{
	uint64_t rows = row_bits_present(batch, POLY_COLUMN_access, w) &
			row_bits_present(batch, POLY_COLUMN_address, w);
	return (struct access_word){
		64 * w, rows, rows & row_bits_present(batch, POLY_COLUMN_size, w)};
}

/* Adds the rows of a word one by one. */
static void
add_rows(struct access_stats *stats, const struct poly_batch *batch,
	const struct access_word *word)
{
	uint64_t rows = word->rows;
	while (rows) {
		uint64_t row = rows & -rows;
		size_t r = word->row + row_bits_next(&rows);
		unsigned kind = batch->access[r] % ACCESS_STATS_SLOTS;
		stats->counts[kind]++;
		if (word->sized & row) {
			stats->bytes[kind] += batch->size[r];
			stats->sized |= 1U << kind;
		}
		add_address(stats, kind, batch->address[r]);
	}
}

/* Adds 64 rows from row, all with access, address and size. */
static void
add_full_word(struct access_stats *stats, const struct poly_batch *batch, size_t row,
	uint64_t packed[PACKED_LANES][ACCESS_STATS_SLOTS])
{
	const uint8_t *access = batch->access + row;
	const uint64_t *address = batch->address + row;
	const uint32_t *size = batch->size + row;
	for (size_t i = 0; i < 64; i += PACKED_LANES) {
		for (size_t lane = 0; lane < PACKED_LANES; lane++) {
			unsigned kind = access[i + lane] % ACCESS_STATS_SLOTS;
			packed[lane][kind] += PACKED_ONE + size[i + lane];
			add_address(stats, kind, address[i + lane]);
		}
	}
}

void
access_stats_update_plain(struct access_stats *stats, const struct poly_batch *batch)
{
	uint64_t packed[PACKED_LANES][ACCESS_STATS_SLOTS] = {{0}};
	size_t words = batch->access && batch->address ? row_bits_words(batch) : 0;
	for (size_t w = 0; w < words; w++) {
		struct access_word word = access_word_at(batch, w);
		if (word.sized == UINT64_MAX)
			add_full_word(stats, batch, word.row, packed);
		else
			add_rows(stats, batch, &word);
	}
	for (size_t lane = 0; lane < PACKED_LANES; lane++) {
		for (size_t i = 0; i < ACCESS_STATS_SLOTS; i++) {
			stats->counts[i] += packed[lane][i] / PACKED_ONE;
			stats->sized |= (unsigned)(packed[lane][i] != 0) << i;
			stats->bytes[i] += packed[lane][i] % PACKED_ONE;
		}
	}
}

#ifdef WITH_AVX512

#define WIDE __attribute__((target("avx512f,avx512bw,popcnt")))

/* Returns the rows of a word whose address is outside the range of their kind of access. */
static inline WIDE uint64_t
wide_outside(const struct access_stats *stats, const struct poly_batch *batch, size_t row)
{
	const __m512i low = _mm512_loadu_si512(stats->low),
		      extent = _mm512_loadu_si512(stats->extent);
	__mmask8 outside[8];
	for (size_t i = 0; i < 8; i++) {
		const uint8_t *access = batch->access + row + 8 * i;
		/* permutexvar indexes by the lowest three bits. */
		__m512i kind = _mm512_cvtepu8_epi64(_mm_loadl_epi64((const void *)access));
		__m512i above =
			_mm512_sub_epi64(_mm512_loadu_si512(batch->address + row + 8 * i),
				_mm512_permutexvar_epi64(kind, low));
		outside[i] =
			_mm512_cmpge_epu64_mask(above, _mm512_permutexvar_epi64(kind, extent));
	}
	__mmask32 first = _mm512_kunpackw(_mm512_kunpackb(outside[3], outside[2]),
		_mm512_kunpackb(outside[1], outside[0]));
	__mmask32 second = _mm512_kunpackw(_mm512_kunpackb(outside[7], outside[6]),
		_mm512_kunpackb(outside[5], outside[4]));
	return _mm512_kunpackd(second, first);
}

/* Sets *bytes to the sizes of a word, 0 in rows without; false if one exceeds a byte. */
static inline WIDE bool
wide_sizes(const struct poly_batch *batch, const struct access_word *word, __m512i *bytes)
{
	const __m512i limit = _mm512_set1_epi32(UINT8_MAX);
	__m128i quarters[4];
	__mmask16 exceeding = 0;
	*bytes = _mm512_setzero_si512();
	if (!word->sized)
		return true;
	for (unsigned j = 0; j < 4; j++) {
		__m512i sizes = _mm512_maskz_loadu_epi32(
			(__mmask16)(word->sized >> 16 * j), batch->size + word->row + 16 * j);
		exceeding |= _mm512_cmpgt_epu32_mask(sizes, limit);
		quarters[j] = _mm512_cvtepi32_epi8(sizes);
	}
	*bytes = _mm512_inserti64x4(
		_mm512_castsi256_si512(_mm256_set_m128i(quarters[1], quarters[0])),
		_mm256_set_m128i(quarters[3], quarters[2]), 1);
	return !exceeding;
}

/* Adds 64 rows; false, and nothing is counted, if a size is too large. */
static inline WIDE bool
wide_word(struct access_stats *stats, const struct poly_batch *batch,
	const struct access_word *word, __m512i sums[ACCESS_STATS_SLOTS])
{
	__m512i sizes, access = _mm512_and_si512(_mm512_loadu_si512(batch->access + word->row),
			       _mm512_set1_epi8(ACCESS_STATS_SLOTS - 1));
	if (!wide_sizes(batch, word, &sizes))
		return false;
	uint64_t remaining = word->rows;
	for (unsigned kind = 0; remaining; kind++) {
		uint64_t rows = remaining &
				_mm512_cmpeq_epi8_mask(access, _mm512_set1_epi8((char)kind));
		stats->counts[kind] += (uint64_t)__builtin_popcountll(rows);
		sums[kind] = _mm512_add_epi64(
			sums[kind], _mm512_sad_epu8(_mm512_maskz_mov_epi8(rows, sizes),
					    _mm512_setzero_si512()));
		stats->sized |= (unsigned)((rows & word->sized) != 0) << kind;
		remaining &= ~rows;
	}
	uint64_t outside = word->rows & wide_outside(stats, batch, word->row);
	while (outside) {
		size_t r = word->row + row_bits_next(&outside);
		add_address(stats, batch->access[r] % ACCESS_STATS_SLOTS, batch->address[r]);
	}
	return true;
}

static WIDE void
update_wide(struct access_stats *stats, const struct poly_batch *batch)
{
	__m512i sums[ACCESS_STATS_SLOTS]; /* bytes */
	size_t words = batch->access && batch->address ? row_bits_words(batch) : 0;
	for (unsigned kind = 0; kind < ACCESS_STATS_SLOTS; kind++)
		sums[kind] = _mm512_setzero_si512();
	for (size_t w = 0; w < words; w++) {
		struct access_word word = access_word_at(batch, w);
		bool whole = batch->rows - word.row >= 64;
		if (!(whole && wide_word(stats, batch, &word, sums)))
			add_rows(stats, batch, &word);
	}
	for (unsigned kind = 0; kind < ACCESS_STATS_SLOTS; kind++)
		stats->bytes[kind] += (uint64_t)_mm512_reduce_add_epi64(sums[kind]);
}

void
access_stats_update(struct access_stats *stats, const struct poly_batch *batch)
{
	if (__builtin_cpu_supports("avx512bw"))
		update_wide(stats, batch);
	else
		access_stats_update_plain(stats, batch);
}

#else

void
access_stats_update(struct access_stats *stats, const struct poly_batch *batch)
{
	access_stats_update_plain(stats, batch);
}

#endif

void
access_stats_merge(struct access_stats *into, const struct access_stats *from)
{
	into->sized |= from->sized;
	for (unsigned i = 0; i < ACCESS_STATS_SLOTS; i++) {
		into->counts[i] += from->counts[i];
		into->bytes[i] += from->bytes[i];
		if (from->ranges[i].low > from->ranges[i].high)
			continue;
		extend_range(into, i, from->ranges[i].low);
		extend_range(into, i, from->ranges[i].high);
	}
}

void
report_truncated_accesses(struct poly_report *report, uint64_t count)
{
	if (!count)
		return;
	poly_report_count(report, "truncated_accesses", count);
	poly_report_note(report, "Of each truncated access only the first 4096 bytes count.");
}
