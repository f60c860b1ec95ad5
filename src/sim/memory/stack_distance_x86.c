/* SPDX-License-Identifier: MIT */
/* Counts the bits after a moment with AVX-512: a block is one register, and so are a span's
 * blocks. */
#include "sim/memory/time_bitmap.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define WIDE __attribute__((target("avx512f,avx512bw,avx512vl,avx512vpopcntdq,popcnt")))

/* Returns the bits of a block after the n-th (0 to 511). */
static inline WIDE __m512i
bits_after(const uint64_t *block, unsigned n)
{
	const __m512i words = _mm512_load_si512(block);
	const unsigned word = n / 64;
	const uint64_t rest = UINT64_C(0xfffffffffffffffe) << n % 64;
	const __m512i all = _mm512_maskz_mov_epi64((__mmask8)(0xfe << word), words);
	return _mm512_mask_and_epi64(
		all, (__mmask8)(1 << word), words, _mm512_set1_epi64((long long)rest));
}

static inline WIDE size_t
above(const struct stack_distance *s, uint32_t moment)
{
	const size_t block = moment >> BLOCK_SHIFT, span = moment >> SPAN_SHIFT;
	const size_t now = s->now - 1, range = moment >> RANGE_SHIFT;
	__m512i n = _mm512_popcnt_epi64(bits_after(s->bits + block * 8, moment % 512));
	if (block == now >> BLOCK_SHIFT)
		return (size_t)_mm512_reduce_add_epi64(n);
	const __mmask32 later = (__mmask32)(UINT64_C(0xfffffffe) << block % 32);
	const __m512i blocks =
		_mm512_maskz_mov_epi16(later, _mm512_load_si512(s->blocks + span * 32));
	__m512i sums = _mm512_madd_epi16(blocks, _mm512_set1_epi16(1));
	if (span != now >> SPAN_SHIFT) {
		const uint32_t later_spans = (uint32_t)(UINT64_C(0xfffffffe) << span % 32);
		const uint32_t *spans = s->spans + range * 32;
		sums = _mm512_add_epi32(
			sums, _mm512_maskz_loadu_epi32((__mmask16)later_spans, spans));
		sums = _mm512_add_epi32(sums,
			_mm512_maskz_loadu_epi32((__mmask16)(later_spans >> 16), spans + 16));
	}
	n = _mm512_add_epi64(n, _mm512_cvtepu32_epi64(_mm512_castsi512_si256(sums)));
	n = _mm512_add_epi64(n, _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(sums, 1)));
	size_t all = (size_t)_mm512_reduce_add_epi64(n);
	for (size_t i = range + 1; i <= now >> RANGE_SHIFT; i++)
		all += s->ranges[i];
	return all;
}

WIDE size_t
time_bitmap_run_x86(struct stack_distance *s, const uint32_t *ids, size_t count)
{
	TIME_BITMAP_LOOP(above);
}

int
time_bitmap_has_x86(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vpopcntdq");
}

#else

size_t
time_bitmap_run_x86(struct stack_distance *s, const uint32_t *ids, size_t count)
{
	return time_bitmap_run(s, ids, count);
}

int
time_bitmap_has_x86(void)
{
	return 0;
}

#endif
