/* SPDX-License-Identifier: MIT */
/* Counting what was accessed. 64 rows with access, address and size are taken in one step. */
#include "analysis/access_stats.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define WITH_AVX512 1
#include <immintrin.h>
#endif

_Static_assert(POLY_ACCESS_COUNT <= ACCESS_STATS_SLOTS, "accesses are indexed by three bits");

/* In a sum of one batch the count stands above the bytes: 4096 rows of less than 2^32 bytes. */
#define PACKED_ONE ((uint64_t)1 << 48)
/* Sums kept side by side, so that equal accesses in a row do not wait for each other. */
#define PACKED_LANES 4

void
access_stats_init(struct access_stats *accesses)
{
	*accesses = (struct access_stats){.counts = {0}};
	for (size_t i = 0; i < ACCESS_STATS_SLOTS; i++)
		accesses->ranges[i] = VALUE_RANGE_EMPTY;
}

/* An empty range and that of all addresses have extent 0: for them every address comes here. */
static void __attribute__((noinline, cold))
access_widen(struct access_stats *accesses, unsigned access, uint64_t address)
{
	struct value_range *range = &accesses->ranges[access];
	value_range_add(range, address);
	accesses->low[access] = range->low;
	accesses->extent[access] = range->high - range->low + 1;
}

/* The address of a row; rows outside of what was seen are few. */
static inline void
access_address(struct access_stats *accesses, unsigned access, uint64_t address)
{
	if (address - accesses->low[access] >= accesses->extent[access])
		access_widen(accesses, access, address);
}

/* 64 rows or fewer, and those of them that count. */
struct word {
	size_t row;	/* the first one */
	uint64_t rows;	/* have access and address */
	uint64_t sized; /* and size */
};

static struct word
word_at(const struct poly_batch *batch, size_t w)
{
	uint64_t rows = row_bits_present(batch, POLY_COLUMN_access, w) &
			row_bits_present(batch, POLY_COLUMN_address, w);
	return (struct word){64 * w, rows, rows & row_bits_present(batch, POLY_COLUMN_size, w)};
}

/* The rows of a word one after the other. */
static void
access_rows(
	struct access_stats *accesses, const struct poly_batch *batch, const struct word *word)
{
	uint64_t rows = word->rows;
	while (rows) {
		uint64_t row = rows & -rows;
		size_t r = word->row + row_bits_next(&rows);
		unsigned which = batch->access[r] % ACCESS_STATS_SLOTS;
		accesses->counts[which]++;
		if (word->sized & row) {
			accesses->bytes[which] += batch->size[r];
			accesses->sized |= 1U << which;
		}
		access_address(accesses, which, batch->address[r]);
	}
}

/* 64 rows from row on, all with access, address and size. */
static void
access_word(struct access_stats *accesses, const struct poly_batch *batch, size_t row,
	uint64_t packed[PACKED_LANES][ACCESS_STATS_SLOTS])
{
	const uint8_t *access = batch->access + row;
	const uint64_t *address = batch->address + row;
	const uint32_t *size = batch->size + row;
	for (size_t i = 0; i < 64; i += PACKED_LANES) {
		for (size_t lane = 0; lane < PACKED_LANES; lane++) {
			unsigned which = access[i + lane] % ACCESS_STATS_SLOTS;
			packed[lane][which] += PACKED_ONE + size[i + lane];
			access_address(accesses, which, address[i + lane]);
		}
	}
}

void
access_stats_update_plain(struct access_stats *accesses, const struct poly_batch *batch)
{
	uint64_t packed[PACKED_LANES][ACCESS_STATS_SLOTS] = {{0}};
	size_t words = batch->access && batch->address ? row_bits_words(batch) : 0;
	for (size_t w = 0; w < words; w++) {
		struct word word = word_at(batch, w);
		if (word.sized == UINT64_MAX)
			access_word(accesses, batch, word.row, packed);
		else
			access_rows(accesses, batch, &word);
	}
	for (size_t lane = 0; lane < PACKED_LANES; lane++) {
		for (size_t i = 0; i < ACCESS_STATS_SLOTS; i++) {
			accesses->counts[i] += packed[lane][i] / PACKED_ONE;
			accesses->sized |= (unsigned)(packed[lane][i] != 0) << i;
			accesses->bytes[i] += packed[lane][i] % PACKED_ONE;
		}
	}
}

#ifdef WITH_AVX512

#define WIDE __attribute__((target("avx512f,avx512bw,popcnt")))

/* The rows of a word, of which word->rows count, whose address is outside of its range. */
static inline WIDE uint64_t
wide_outside(const struct access_stats *accesses, const struct poly_batch *batch, size_t row)
{
	const __m512i low = _mm512_loadu_si512(accesses->low),
		      extent = _mm512_loadu_si512(accesses->extent);
	__mmask8 outside[8];
	for (size_t i = 0; i < 8; i++) {
		const uint8_t *access = batch->access + row + 8 * i;
		/* The lowest three bits of every number look up. */
		__m512i which = _mm512_cvtepu8_epi64(_mm_loadl_epi64((const void *)access));
		__m512i above =
			_mm512_sub_epi64(_mm512_loadu_si512(batch->address + row + 8 * i),
				_mm512_permutexvar_epi64(which, low));
		outside[i] =
			_mm512_cmpge_epu64_mask(above, _mm512_permutexvar_epi64(which, extent));
	}
	__mmask32 first = _mm512_kunpackw(_mm512_kunpackb(outside[3], outside[2]),
		_mm512_kunpackb(outside[1], outside[0]));
	__mmask32 second = _mm512_kunpackw(_mm512_kunpackb(outside[7], outside[6]),
		_mm512_kunpackb(outside[5], outside[4]));
	return _mm512_kunpackd(second, first);
}

/* The sizes of a word as bytes, 0 in rows that have none; false where one does not fit. */
static inline WIDE bool
wide_sizes(const struct poly_batch *batch, const struct word *word, __m512i *bytes)
{
	const __m512i most = _mm512_set1_epi32(UINT8_MAX);
	__m128i quarters[4];
	__mmask16 more = 0;
	*bytes = _mm512_setzero_si512();
	if (!word->sized)
		return true;
	for (unsigned j = 0; j < 4; j++) {
		__m512i sizes = _mm512_maskz_loadu_epi32(
			(__mmask16)(word->sized >> 16 * j), batch->size + word->row + 16 * j);
		more |= _mm512_cmpgt_epu32_mask(sizes, most);
		quarters[j] = _mm512_cvtepi32_epi8(sizes);
	}
	*bytes = _mm512_inserti64x4(
		_mm512_castsi256_si512(_mm256_set_m128i(quarters[1], quarters[0])),
		_mm256_set_m128i(quarters[3], quarters[2]), 1);
	return !more;
}

/* 64 rows; false, and nothing was counted, where a size is too large. */
static inline WIDE bool
wide_word(struct access_stats *accesses, const struct poly_batch *batch,
	const struct word *word, __m512i sums[ACCESS_STATS_SLOTS])
{
	__m512i sizes, access = _mm512_and_si512(_mm512_loadu_si512(batch->access + word->row),
			       _mm512_set1_epi8(ACCESS_STATS_SLOTS - 1));
	if (!wide_sizes(batch, word, &sizes))
		return false;
	uint64_t left = word->rows;
	for (unsigned which = 0; left; which++) {
		uint64_t rows =
			left & _mm512_cmpeq_epi8_mask(access, _mm512_set1_epi8((char)which));
		accesses->counts[which] += (uint64_t)__builtin_popcountll(rows);
		sums[which] = _mm512_add_epi64(
			sums[which], _mm512_sad_epu8(_mm512_maskz_mov_epi8(rows, sizes),
					     _mm512_setzero_si512()));
		accesses->sized |= (unsigned)((rows & word->sized) != 0) << which;
		left &= ~rows;
	}
	uint64_t outside = word->rows & wide_outside(accesses, batch, word->row);
	while (outside) {
		size_t r = word->row + row_bits_next(&outside);
		access_address(
			accesses, batch->access[r] % ACCESS_STATS_SLOTS, batch->address[r]);
	}
	return true;
}

static WIDE void
update_wide(struct access_stats *accesses, const struct poly_batch *batch)
{
	__m512i sums[ACCESS_STATS_SLOTS]; /* of bytes */
	size_t words = batch->access && batch->address ? row_bits_words(batch) : 0;
	for (unsigned which = 0; which < ACCESS_STATS_SLOTS; which++)
		sums[which] = _mm512_setzero_si512();
	for (size_t w = 0; w < words; w++) {
		struct word word = word_at(batch, w);
		bool whole = batch->rows - word.row >= 64;
		if (!(whole && wide_word(accesses, batch, &word, sums)))
			access_rows(accesses, batch, &word);
	}
	for (unsigned which = 0; which < ACCESS_STATS_SLOTS; which++)
		accesses->bytes[which] += (uint64_t)_mm512_reduce_add_epi64(sums[which]);
}

void
access_stats_update(struct access_stats *accesses, const struct poly_batch *batch)
{
	if (__builtin_cpu_supports("avx512bw"))
		update_wide(accesses, batch);
	else
		access_stats_update_plain(accesses, batch);
}

#else

void
access_stats_update(struct access_stats *accesses, const struct poly_batch *batch)
{
	access_stats_update_plain(accesses, batch);
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
		access_widen(into, i, from->ranges[i].low);
		access_widen(into, i, from->ranges[i].high);
	}
}
