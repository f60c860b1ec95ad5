/* SPDX-License-Identifier: MIT */
/*
 * The walk along predicted lines with vector instructions of x86-64: 16 or 32 bytes at a time.
 */
#include "format/line/walk.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

/* Returns which of 64 bytes are equal, one bit per byte. */
static inline uint64_t
same_sse2(const uint8_t *a, const uint8_t *b)
{
	uint64_t same = 0;
	for (unsigned i = 0; i < 64; i += 16) {
		__m128i left = _mm_loadu_si128((const __m128i *)(a + i));
		__m128i right = _mm_loadu_si128((const __m128i *)(b + i));
		unsigned mask = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(left, right));
		same |= (uint64_t)mask << i;
	}
	return same;
}

static inline bool
differs_sse2(const uint8_t *line, const uint8_t *text, const struct template *template)
{
	return (~same_sse2(line, text) & template->care[0]) ||
	       (~same_sse2(line + 64, text + 64) & template->care[1]);
}

static inline AVX2 uint64_t
same_avx2(const uint8_t *a, const uint8_t *b)
{
	__m256i low = _mm256_cmpeq_epi8(
		_mm256_loadu_si256((const __m256i *)a), _mm256_loadu_si256((const __m256i *)b));
	__m256i high = _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)(a + 32)),
		_mm256_loadu_si256((const __m256i *)(b + 32)));
	return (uint32_t)_mm256_movemask_epi8(low) |
	       (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

static inline AVX2 bool
differs_avx2(const uint8_t *line, const uint8_t *text, const struct template *template)
{
	return (~same_avx2(line, text) & template->care[0]) |
	       (~same_avx2(line + 64, text + 64) & template->care[1]);
}

static void
walk_sse2(const struct templates *templates, struct predicted_run *run, const uint8_t *end,
	size_t max)
{
	walk(templates, run, end, max, differs_sse2);
}

static AVX2 void
walk_avx2(const struct templates *templates, struct predicted_run *run, const uint8_t *end,
	size_t max)
{
	walk(templates, run, end, max, differs_avx2);
}

predict_walk *
predict_walk_x86(enum predict_way way)
{
	switch ((unsigned)way) {
	case PREDICT_SSE2: return walk_sse2;
	case PREDICT_AVX2: return __builtin_cpu_supports("avx2") ? walk_avx2 : NULL;
	default: return NULL;
	}
}

#else

predict_walk *
predict_walk_x86(enum predict_way way)
{
	(void)way;
	return NULL;
}

#endif
