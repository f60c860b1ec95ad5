/* SPDX-License-Identifier: MIT */
/* The 16 ways of a set in one register of AVX-512, compared at once and permuted. */
#include "sim/cache/all_associativity_state.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define WIDE __attribute__((target("avx512f")))

/* Source of each way when way w becomes the newest; WAYS: when a new line is inserted. */
static inline WIDE __m512i
newest(unsigned way)
{
	const __m512i ways =
		_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
	const __mmask16 moved = (__mmask16)((UINT32_C(2) << way) - 1);
	return _mm512_mask_sub_epi32(ways, moved, ways, _mm512_set1_epi32(1));
}

WIDE void
all_associativity_x86(
	struct all_associativity *all, const uint64_t *lines, const uint32_t *ids, size_t count)
{
	const unsigned min = all->min, max = all->max;
	for (size_t i = 0; i < count; i++) {
		const __m512i id = _mm512_set1_epi32((int)ids[i]);
		for (unsigned level = min; level <= max; level++) {
			const uint64_t number = lines[i] & (((uint64_t)1 << level) - 1);
			uint32_t *set = all->sets[level] + number * WAYS;
			if (set[0] == ids[i])
				break;
			__m512i held = _mm512_load_si512(set);
			const unsigned equal = _mm512_cmpeq_epi32_mask(held, id);
			const unsigned way = (unsigned)__builtin_ctz(equal | 1U << WAYS);
			held = _mm512_permutexvar_epi32(newest(way), held);
			_mm512_store_si512(set, _mm512_mask_mov_epi32(held, 1, id));
			all->found[level][way]++;
		}
	}
}

int
all_associativity_has_x86(void)
{
	return __builtin_cpu_supports("avx512f");
}

#else

void
all_associativity_x86(
	struct all_associativity *all, const uint64_t *lines, const uint32_t *ids, size_t count)
{
	all_associativity_plain(all, lines, ids, count);
}

int
all_associativity_has_x86(void)
{
	return 0;
}

#endif
