/* SPDX-License-Identifier: MIT */
/*
 * Sets of 8 ways in one register of AVX-512: compared at once, and permuted so that the way
 * used comes first. The newest is looked at alone before: most accesses are to it, and a set
 * that does not change need not be stored, which the next access would wait for.
 */
#include "sim/cache_state.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define WIDE __attribute__((target("avx512f,avx512bw,avx512vl,bmi,bmi2,lzcnt")))
#define WAYS 8

/* Where each way comes from when way w, of 0 to 7, is made the newest. */
static const _Alignas(64) uint64_t newest[WAYS][WAYS] = {
	{0, 1, 2, 3, 4, 5, 6, 7},
	{1, 0, 2, 3, 4, 5, 6, 7},
	{2, 0, 1, 3, 4, 5, 6, 7},
	{3, 0, 1, 2, 4, 5, 6, 7},
	{4, 0, 1, 2, 3, 5, 6, 7},
	{5, 0, 1, 2, 3, 4, 6, 7},
	{6, 0, 1, 2, 3, 4, 5, 7},
	{7, 0, 1, 2, 3, 4, 5, 6},
};

/* In which ways of a set a key is: at most one. */
static inline WIDE unsigned
ways_of(__m512i entries, uint64_t key)
{
	const __m512i differ = _mm512_xor_si512(entries, _mm512_set1_epi64((long long)key));
	return _mm512_testn_epi64_mask(differ, _mm512_set1_epi64(~(long long)ENTRY_DIRTY));
}

/* Stores the ways of a set with way w first, as an entry says. */
static inline WIDE void
renew(uint64_t *set, __m512i entries, unsigned w, uint64_t entry)
{
	entries = _mm512_permutexvar_epi64(_mm512_load_si512(newest[w]), entries);
	entries = _mm512_mask_set1_epi64(entries, 1, (long long)entry);
	_mm512_store_si512(set, entries);
}

WIDE size_t
cache_lru_run_x86(struct cache *cache, const struct cache_batch *batch, uint32_t *missed)
{
	const uint64_t mask = cache->set_mask, dirty = cache->dirty;
	const uint64_t *addresses = batch->addresses;
	const uint8_t *kinds = batch->kinds;
	const size_t count = batch->count;
	const unsigned shift = cache->line_shift;
	const bool allocates = !cache->config.no_allocate;
	uint64_t *all = cache->entries;
	size_t misses = 0;
	for (size_t i = 0; i < count; i++) {
		const uint64_t line = addresses[i] >> shift, key = entry_of(line);
		const uint64_t flags = -(uint64_t)(kinds[i] == CACHE_WRITE) & dirty;
		uint64_t *set = all + (line & mask) * WAYS;
		if ((set[0] | ENTRY_DIRTY) == (key | ENTRY_DIRTY)) {
			if (flags & ~set[0])
				set[0] |= flags;
			continue;
		}
		const __m512i entries = _mm512_load_si512(set);
		const unsigned ways = ways_of(entries, key);
		if (ways) {
			const unsigned way = (unsigned)__builtin_ctz(ways);
			renew(set, entries, way, set[way] | flags);
			continue;
		}
		if (allocates) {
			cache_count_fill(cache, (enum cache_kind)kinds[i], set[WAYS - 1]);
			renew(set, entries, WAYS - 1, key | flags);
		} else {
			cache_miss(cache, batch, i);
		}
		if (missed)
			missed[misses] = (uint32_t)i;
		misses++;
	}
	return misses;
}

bool
cache_lru_has_x86(uint32_t ways)
{
	return ways == WAYS && __builtin_cpu_supports("avx512f") &&
	       __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}

#else

size_t
cache_lru_run_x86(struct cache *cache, const struct cache_batch *batch, uint32_t *missed)
{
	return cache_lru_run(cache, batch, missed);
}

bool
cache_lru_has_x86(uint32_t ways)
{
	(void)ways;
	return false;
}

#endif
