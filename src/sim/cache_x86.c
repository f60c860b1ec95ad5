/* SPDX-License-Identifier: MIT */
/*
 * Sets of 8 ways in one register of AVX-512: compared at once, and permuted so that the way
 * used comes first. The newest is looked at alone before: most accesses are to it, and a set
 * that does not change need not be stored, which the next access would wait for.
 */
#include "sim/cache_state.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define WIDE __attribute__((target("avx512f,avx512bw,avx512vl")))
#define WAYS 8

/* Where each way comes from when way w, of 0 to 7, is made the newest. */
static const uint64_t newest[WAYS][WAYS] = {
	{0, 1, 2, 3, 4, 5, 6, 7},
	{1, 0, 2, 3, 4, 5, 6, 7},
	{2, 0, 1, 3, 4, 5, 6, 7},
	{3, 0, 1, 2, 4, 5, 6, 7},
	{4, 0, 1, 2, 3, 5, 6, 7},
	{5, 0, 1, 2, 3, 4, 6, 7},
	{6, 0, 1, 2, 3, 4, 5, 7},
	{7, 0, 1, 2, 3, 4, 5, 6},
};

static inline WIDE bool
use(uint64_t *set, uint64_t key, uint64_t flags)
{
	__m512i entries = _mm512_load_si512(set);
	const __m512i differ = _mm512_xor_si512(entries, _mm512_set1_epi64((long long)key));
	const unsigned equal =
		_mm512_testn_epi64_mask(differ, _mm512_set1_epi64(~(long long)ENTRY_DIRTY));
	if (!equal)
		return false;
	entries = _mm512_permutexvar_epi64(
		_mm512_loadu_si512(newest[__builtin_ctz(equal)]), entries);
	entries =
		_mm512_mask_or_epi64(entries, 1, entries, _mm512_set1_epi64((long long)flags));
	_mm512_store_si512(set, entries);
	return true;
}

WIDE size_t
cache_lru_run_x86(struct cache *cache, const struct cache_batch *batch, uint32_t *missed)
{
	const uint64_t mask = cache->set_mask, dirty = cache->dirty;
	const unsigned shift = cache->line_shift;
	uint64_t *entries = cache->entries;
	size_t misses = 0;
	for (size_t i = 0; i < batch->count; i++) {
		const uint64_t line = batch->addresses[i] >> shift, key = entry_of(line);
		const uint64_t flags = batch->kinds[i] == CACHE_WRITE ? dirty : 0;
		uint64_t *set = entries + (line & mask) * WAYS;
		const uint64_t first = set[0];
		if ((first & ~ENTRY_DIRTY) == key) {
			set[0] = first | flags;
			continue;
		}
		if (use(set, key, flags))
			continue;
		cache_miss(cache, batch, i);
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
