/* SPDX-License-Identifier: MIT */
/* Lanes with the vector instructions of x86-64: 4, 8 or 16 at a time. */
#include "sim/pipeline/pipeline_simd_state.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

static inline __m128i
later_sse2(__m128i a, __m128i b)
{
	const __m128i greater = _mm_cmpgt_epi32(a, b);
	return _mm_or_si128(_mm_and_si128(greater, a), _mm_andnot_si128(greater, b));
}

#define NAMED(name) name##_sse2
#define TARGET
#define VECTOR __m128i
#define LOAD(p) _mm_load_si128((const __m128i *)(p))
#define STORE(p, v) _mm_store_si128((__m128i *)(p), v)
#define SET(x) _mm_set1_epi32(x)
#define ADD(a, b) _mm_add_epi32(a, b)
#define SUB(a, b) _mm_sub_epi32(a, b)
#define AND(a, b) _mm_and_si128(a, b)
#define MAX(a, b) later_sse2(a, b)
#define ZERO_IF_GREATER(a, b, x) _mm_andnot_si128(_mm_cmpgt_epi32(a, b), x)
#define ONE_IF_EQUAL(a, b) _mm_srli_epi32(_mm_cmpeq_epi32(a, b), 31)
#include "sim/pipeline/pipeline_simd_step.h"

#define NAMED(name) name##_avx2
#define TARGET __attribute__((target("avx2")))
#define VECTOR __m256i
#define LOAD(p) _mm256_load_si256((const __m256i *)(p))
#define STORE(p, v) _mm256_store_si256((__m256i *)(p), v)
#define SET(x) _mm256_set1_epi32(x)
#define ADD(a, b) _mm256_add_epi32(a, b)
#define SUB(a, b) _mm256_sub_epi32(a, b)
#define AND(a, b) _mm256_and_si256(a, b)
#define MAX(a, b) _mm256_max_epi32(a, b)
#define ZERO_IF_GREATER(a, b, x) _mm256_andnot_si256(_mm256_cmpgt_epi32(a, b), x)
#define ONE_IF_EQUAL(a, b) _mm256_srli_epi32(_mm256_cmpeq_epi32(a, b), 31)
#include "sim/pipeline/pipeline_simd_step.h"

#define NAMED(name) name##_avx512
#define TARGET __attribute__((target("avx512f")))
#define VECTOR __m512i
#define LOAD(p) _mm512_load_si512((const void *)(p))
#define STORE(p, v) _mm512_store_si512((void *)(p), v)
#define SET(x) _mm512_set1_epi32(x)
#define ADD(a, b) _mm512_add_epi32(a, b)
#define SUB(a, b) _mm512_sub_epi32(a, b)
#define AND(a, b) _mm512_and_si512(a, b)
#define MAX(a, b) _mm512_max_epi32(a, b)
#define ZERO_IF_GREATER(a, b, x) _mm512_maskz_mov_epi32(_mm512_cmple_epi32_mask(a, b), x)
#define ONE_IF_EQUAL(a, b) \
	_mm512_maskz_mov_epi32(_mm512_cmpeq_epi32_mask(a, b), _mm512_set1_epi32(1))
#include "sim/pipeline/pipeline_simd_step.h"

lane_run *
lane_run_x86(enum pipeline_way way)
{
	switch (way) {
	case PIPELINE_SSE2: return run_sse2;
	case PIPELINE_AVX2: return __builtin_cpu_supports("avx2") ? run_avx2 : NULL;
	case PIPELINE_AVX512: return __builtin_cpu_supports("avx512f") ? run_avx512 : NULL;
	case PIPELINE_BEST:
	case PIPELINE_PLAIN: break;
	}
	return NULL;
}

#else

lane_run *
lane_run_x86(enum pipeline_way way)
{
	(void)way;
	return NULL;
}

#endif
