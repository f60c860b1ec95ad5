/* SPDX-License-Identifier: MIT */
/*
 * LRU caches of 8 ways: a set is compared at once, and stored only when a line is inserted.
 * Every access changes only the order beside it, on which no comparison depends: accesses to
 * the same set, as most consecutive ones are, overlap. The only branch is on hit or miss.
 */
#include "sim/cache/cache_state.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>
#include <string.h>

#define WAYS LRU_MATRIX8_WAYS
#define AVX2 __attribute__((target("avx2,bmi,bmi2")))
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,bmi,bmi2")))

static inline AVX2 unsigned
ways_avx2(const uint64_t *set, uint64_t entry)
{
	const __m256i wanted = _mm256_set1_epi64x((long long)entry);
	const __m256i *halves = (const void *)set;
	const __m256i low = _mm256_cmpeq_epi64(_mm256_load_si256(halves), wanted);
	const __m256i high = _mm256_cmpeq_epi64(_mm256_load_si256(halves + 1), wanted);
	return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(low)) |
	       (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(high)) << WAYS / 2;
}

static inline AVX512 unsigned
ways_avx512(const uint64_t *set, uint64_t entry)
{
	return _mm512_cmpeq_epi64_mask(
		_mm512_load_si512(set), _mm512_set1_epi64((long long)entry));
}

/* Handles a miss, mostly with an insertion. */
static inline void
miss(struct cache *cache, const struct cache_batch *batch, size_t i)
{
	const enum cache_kind kind = (enum cache_kind)batch->kinds[i];
	const uint64_t line = batch->addresses[i] >> cache->line_shift;
	if (kind == CACHE_WRITE && cache->config.no_allocate)
		cache_miss(cache, batch, i);
	else
		cache_count_fill(cache, kind,
			cache_lru8_bring(cache, line & cache->set_mask, entry_of(line),
				kind == CACHE_WRITE ? cache->dirty : 0));
}

/* The common loop; both users inline it and the comparison. */
static inline __attribute__((always_inline)) size_t
run(struct cache *cache, const struct cache_batch *batch, uint32_t *missed,
	unsigned (*ways_of)(const uint64_t *set, uint64_t entry))
{
	const uint64_t mask = cache->set_mask, *addresses = batch->addresses;
	const uint8_t *kinds = batch->kinds;
	const uint64_t *entries = cache->entries;
	const size_t count = batch->count;
	const unsigned shift = cache->line_shift;
	uint64_t *orders = cache->set_states, rows[CACHE_KINDS][WAYS];
	size_t misses = 0;
	for (int kind = 0; kind < CACHE_KINDS; kind++)
		memcpy(rows[kind], lru_matrix8_rows[kind == CACHE_WRITE && cache->dirty],
			sizeof rows[kind]);
	for (size_t i = 0; i < count; i++) {
		const uint64_t line = addresses[i] >> shift, set = line & mask;
		const unsigned ways = ways_of(entries + set * WAYS, entry_of(line));
		if (ways) {
			const unsigned way = (unsigned)__builtin_ctz(ways);
			orders[set] =
				(orders[set] | rows[kinds[i]][way]) & lru_matrix8_columns[way];
			continue;
		}
		miss(cache, batch, i);
		if (missed)
			missed[misses] = (uint32_t)i;
		misses++;
	}
	return misses;
}

static AVX2 size_t
run_avx2(struct cache *cache, const struct cache_batch *batch, uint32_t *missed)
{
	return run(cache, batch, missed, ways_avx2);
}

static AVX512 size_t
run_avx512(struct cache *cache, const struct cache_batch *batch, uint32_t *missed)
{
	return run(cache, batch, missed, ways_avx512);
}

const struct cache_lru8 *
cache_lru8_at(unsigned place)
{
	static const struct cache_lru8 avx512 = {run_avx512, ways_avx512},
				       avx2 = {run_avx2, ways_avx2};
	if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi2"))
		return NULL;
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
		__builtin_cpu_supports("avx512vl") && place-- == 0)
		return &avx512;
	return place == 0 ? &avx2 : NULL;
}

#else

const struct cache_lru8 *
cache_lru8_at(unsigned place)
{
	(void)place;
	return NULL;
}

#endif
