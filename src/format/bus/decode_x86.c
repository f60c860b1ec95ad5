/* SPDX-License-Identifier: MIT */
/*
 * Decoding six-byte bus records into columns with the byte shuffles of x86-64. One instruction
 * looks up tables of 16 entries by operation, or by half of the byte enables.
 *
 * spec: BYU BACH bus trace reference 4.1, 4.2
 */
#include "format/bus/decode.h"

#include "format/bus/cycle.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define NARROW __attribute__((target("sse4.1")))
#define WIDE __attribute__((target("avx512f,avx512bw,avx512vbmi")))
#define NARROW_STEP 16 /* rows of a step: 96 bytes */
#define WIDE_STEP 64   /* rows of a step: 384 bytes, six registers of 64 */
#define REGISTERS 6

/* Masks by operation: all lanes for BUS_TRANSFERS, all bits for BUS_LINES. */
static const int8_t transfer_lanes[16] = {0, 0, 0, 0, 0, 7, 0, 7, 7, 7, 0, 0, 7, 7, 7, 7};
static const int8_t line_bits[16] = {0, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0, -1, 0, -1, 0};

/* Lists an expression for each row r of a step, 8 or 16 rows per line. */
#define OF_8(of, r, x)                                                            \
	of(r, x), of((r) + 1, x), of((r) + 2, x), of((r) + 3, x), of((r) + 4, x), \
		of((r) + 5, x), of((r) + 6, x), of((r) + 7, x)
#define OF_16(of, r, x) OF_8(of, r, x), OF_8(of, (r) + 8, x)

static inline NARROW __m128i
load(const void *p)
{
	return _mm_loadu_si128(p);
}

static inline NARROW void
store(void *p, __m128i v)
{
	_mm_storeu_si128(p, v);
}

/* Return the lower and the upper four bits of every byte. */
static inline NARROW __m128i
low(__m128i v)
{
	return _mm_and_si128(v, _mm_set1_epi8(15));
}

static inline NARROW __m128i
high(__m128i v)
{
	return low(_mm_srli_epi16(v, 4));
}

/*
 * Converts two records to two 64-bit numbers, by the file's byte order: address, byte enables
 * and control from the low end on.
 */
static const int8_t record_pair[2][16] = {
	{3, 2, 1, 0, 4, 5, -1, -1, 9, 8, 7, 6, 10, 11, -1, -1},
	{0, 1, 2, 3, 4, 5, -1, -1, 6, 7, 8, 9, 10, 11, -1, -1},
};

/* The records of a step. */
struct narrow {
	__m128i pairs[NARROW_STEP / 2];	      /* as by record_pair */
	__m128i enables, control, operations; /* one byte per row */
};

/* Returns byte enables and control of four records in 32 bits each. */
static inline NARROW __m128i
upper_halves(__m128i first, __m128i second)
{
	return _mm_castps_si128(_mm_shuffle_ps(
		_mm_castsi128_ps(first), _mm_castsi128_ps(second), _MM_SHUFFLE(3, 1, 3, 1)));
}

static inline NARROW void
narrow_load(struct narrow *step, const uint8_t *p, bool little)
{
	const __m128i order = load(record_pair[little]), byte = _mm_set1_epi16(0xff);
	__m128i words[2];
	for (int j = 0; j < NARROW_STEP / 2; j++)
		step->pairs[j] = _mm_shuffle_epi8(load(p + 2 * BUS_CYCLE_SIZE * j), order);
	for (int j = 0; j < 2; j++) {
		const __m128i *pairs = step->pairs + 4 * j;
		words[j] = _mm_packus_epi32(
			upper_halves(pairs[0], pairs[1]), upper_halves(pairs[2], pairs[3]));
	}
	step->enables =
		_mm_packus_epi16(_mm_and_si128(words[0], byte), _mm_and_si128(words[1], byte));
	step->control =
		_mm_packus_epi16(_mm_srli_epi16(words[0], 8), _mm_srli_epi16(words[1], 8));
	step->operations = high(step->control);
}

/* Returns the first enabled lane, 0 if there is none or the operation transfers no data. */
static inline NARROW __m128i
narrow_lanes(__m128i enables, __m128i operations)
{
	__m128i first = _mm_min_epu8(_mm_shuffle_epi8(load(bus_first_low), low(enables)),
		_mm_shuffle_epi8(load(bus_first_high), high(enables)));
	return _mm_and_si128(first, _mm_shuffle_epi8(load(transfer_lanes), operations));
}

static inline NARROW void
narrow_addresses(uint64_t *dst, const struct narrow *step)
{
	const __m128i aligned = _mm_set1_epi64x(0xfffffff8), zero = _mm_setzero_si128();
	__m128i lanes = narrow_lanes(step->enables, step->operations);
	__m128i first = _mm_unpacklo_epi8(lanes, zero), second = _mm_unpackhi_epi8(lanes, zero);
	const __m128i fours[4] = {_mm_unpacklo_epi16(first, zero),
		_mm_unpackhi_epi16(first, zero), _mm_unpacklo_epi16(second, zero),
		_mm_unpackhi_epi16(second, zero)};
	for (int j = 0; j < NARROW_STEP / 2; j++) {
		__m128i pair = j % 2 ? _mm_unpackhi_epi32(fours[j / 2], zero)
				     : _mm_unpacklo_epi32(fours[j / 2], zero);
		store(dst + 2 * j, _mm_or_si128(_mm_and_si128(step->pairs[j], aligned), pair));
	}
}

static inline NARROW void
narrow_sizes(uint32_t *dst, __m128i enables, __m128i operations, uint8_t line)
{
	const __m128i count = load(bus_count), zero = _mm_setzero_si128();
	__m128i bytes = _mm_add_epi8(
		_mm_shuffle_epi8(count, low(enables)), _mm_shuffle_epi8(count, high(enables)));
	__m128i whole = _mm_shuffle_epi8(load(line_bits), operations);
	bytes = _mm_or_si128(_mm_andnot_si128(whole, bytes),
		_mm_and_si128(whole, _mm_set1_epi8((char)line)));
	__m128i first = _mm_unpacklo_epi8(bytes, zero), second = _mm_unpackhi_epi8(bytes, zero);
	store(dst, _mm_unpacklo_epi16(first, zero));
	store(dst + 4, _mm_unpackhi_epi16(first, zero));
	store(dst + 8, _mm_unpacklo_epi16(second, zero));
	store(dst + 12, _mm_unpackhi_epi16(second, zero));
}

static NARROW struct bus_found
decode_narrow(const uint8_t *p, size_t n, const struct bus_layout *layout,
	const struct bus_columns *wanted)
{
	const struct bus_columns columns = *wanted; /* a local copy: stores cannot alias it */
	__m128i all = _mm_setzero_si128(), accesses = all, lines = all;
	size_t i = 0;
	for (; i + NARROW_STEP <= n; i += NARROW_STEP, p += NARROW_STEP * BUS_CYCLE_SIZE) {
		struct narrow step;
		narrow_load(&step, p, layout->little);
		for (int j = 0; j < NARROW_STEP / 2; j++)
			all = _mm_or_si128(all, step.pairs[j]);
		if (columns.enables)
			store(columns.enables + i, step.enables);
		if (columns.control)
			store(columns.control + i, step.control);
		if (columns.kind)
			store(columns.kind + i,
				_mm_shuffle_epi8(load(bus_kinds), step.operations));
		if (columns.record)
			store(columns.record + i,
				_mm_shuffle_epi8(load(bus_records), step.operations));
		if (columns.access) {
			__m128i access = _mm_shuffle_epi8(load(bus_accesses), step.operations);
			accesses = _mm_or_si128(accesses, access);
			store(columns.access + i, access);
		}
		if (columns.address) {
			lines = _mm_or_si128(
				lines, _mm_shuffle_epi8(load(line_bits), step.operations));
			narrow_addresses(columns.address + i, &step);
		}
		if (columns.size)
			narrow_sizes(
				columns.size + i, step.enables, step.operations, layout->line);
	}
	struct bus_columns rest = bus_columns_from(wanted, i);
	struct bus_found found = bus_decode_plain(p, n - i, layout, &rest);
	all = _mm_or_si128(all, _mm_unpackhi_epi64(all, all));
	found.odd |= (_mm_cvtsi128_si32(all) & 7) != 0;
	found.idle |= _mm_movemask_epi8(accesses) != 0; /* BUS_NO_ACCESS is the upper bit */
	found.line |= _mm_movemask_epi8(lines) != 0;
	return found;
}

#define OF_64(of, x) OF_16(of, 0, x), OF_16(of, 16, x), OF_16(of, 32, x), OF_16(of, 48, x)

/* Position of the byte at an offset of every row in its pair of registers, 128 bytes. */
#define WIDE_POSITION(r, offset) (6 * (r) + (offset)) % 128
static const uint8_t wide_positions[6][WIDE_STEP] = {[0] = {OF_64(WIDE_POSITION, 0)},
	[3] = {OF_64(WIDE_POSITION, 3)},
	[4] = {OF_64(WIDE_POSITION, 4)},
	[5] = {OF_64(WIDE_POSITION, 5)}};

/* Returns a bitmap of the rows whose byte at an offset is in a pair of registers or later. */
static inline uint64_t
wide_rows(unsigned pair, unsigned offset)
{
	return UINT64_MAX << ((128 * pair - offset + 5) / 6);
}

/* Gathers the byte at an offset of 64 records. */
static inline WIDE __m512i
wide_gather(const __m512i registers[REGISTERS], unsigned offset)
{
	__m512i positions = _mm512_loadu_si512(wide_positions[offset]);
	__m512i all = _mm512_permutex2var_epi8(registers[0], positions, registers[1]);
	for (unsigned pair = 1; pair < 3; pair++)
		all = _mm512_mask_blend_epi8(wide_rows(pair, offset), all,
			_mm512_permutex2var_epi8(
				registers[2 * pair], positions, registers[2 * pair + 1]));
	return all;
}

static inline WIDE __m512i
wide_table(const void *table)
{
	return _mm512_broadcast_i32x4(load(table));
}

static inline WIDE __m512i
wide_low(__m512i v)
{
	return _mm512_and_si512(v, _mm512_set1_epi8(15));
}

static inline WIDE __m512i
wide_high(__m512i v)
{
	return wide_low(_mm512_srli_epi16(v, 4));
}

static inline WIDE __m512i
wide_lanes(__m512i enables, __m512i operations)
{
	__m512i first = _mm512_min_epu8(
		_mm512_shuffle_epi8(wide_table(bus_first_low), wide_low(enables)),
		_mm512_shuffle_epi8(wide_table(bus_first_high), wide_high(enables)));
	return _mm512_and_si512(
		first, _mm512_shuffle_epi8(wide_table(transfer_lanes), operations));
}

/* Converts the addresses of eight records to 64-bit numbers, by byte order; 0: masked out. */
#define BIG(r, x) 6 * (r) + 3, 6 * (r) + 2, 6 * (r) + 1, 6 * (r), 0, 0, 0, 0
#define LITTLE(r, x) 6 * (r), 6 * (r) + 1, 6 * (r) + 2, 6 * (r) + 3, 0, 0, 0, 0
static const uint8_t address_eight[2][64] = {{OF_8(BIG, 0, 0)}, {OF_8(LITTLE, 0, 0)}};

static inline WIDE void
wide_addresses(uint64_t *dst, const uint8_t *p, __m512i lanes, bool little)
{
	const __m512i order = _mm512_loadu_si512(address_eight[little]),
		      aligned = _mm512_set1_epi64(~7);
	uint8_t lane[WIDE_STEP];
	_mm512_storeu_si512(lane, lanes);
	for (int j = 0; j < WIDE_STEP; j += 8, p += 8 * BUS_CYCLE_SIZE) {
		__m512i v = _mm512_maskz_permutexvar_epi8(
			0x0f0f0f0f0f0f0f0f, order, _mm512_loadu_si512(p));
		__m512i first = _mm512_cvtepu8_epi64(_mm_loadl_epi64((const void *)(lane + j)));
		v = _mm512_or_si512(_mm512_and_si512(v, aligned), first);
		_mm512_storeu_si512(dst + j, v);
	}
}

static inline WIDE void
wide_sizes(uint32_t *dst, __m512i enables, __m512i operations, uint8_t line)
{
	const __m512i count = wide_table(bus_count);
	__m512i bytes = _mm512_add_epi8(_mm512_shuffle_epi8(count, wide_low(enables)),
		_mm512_shuffle_epi8(count, wide_high(enables)));
	__mmask64 whole =
		_mm512_movepi8_mask(_mm512_shuffle_epi8(wide_table(line_bits), operations));
	bytes = _mm512_mask_mov_epi8(bytes, whole, _mm512_set1_epi8((char)line));
	const __m128i quarters[4] = {_mm512_castsi512_si128(bytes),
		_mm512_extracti32x4_epi32(bytes, 1), _mm512_extracti32x4_epi32(bytes, 2),
		_mm512_extracti32x4_epi32(bytes, 3)};
	for (int j = 0; j < 4; j++)
		_mm512_storeu_si512(dst + 16 * j, _mm512_cvtepu8_epi32(quarters[j]));
}

static WIDE struct bus_found
decode_wide(const uint8_t *p, size_t n, const struct bus_layout *layout,
	const struct bus_columns *wanted)
{
	const struct bus_columns columns = *wanted; /* a local copy: stores cannot alias it */
	const bool little = layout->little;
	const __m512i kinds = wide_table(bus_kinds), records = wide_table(bus_records),
		      accesses = wide_table(bus_accesses);
	__mmask64 odd = 0, idle = 0, lines = 0;
	size_t i = 0;
	for (; i + WIDE_STEP <= n; i += WIDE_STEP, p += WIDE_STEP * BUS_CYCLE_SIZE) {
		__m512i registers[REGISTERS];
		for (int k = 0; k < REGISTERS; k++)
			registers[k] = _mm512_loadu_si512(p + 64 * k);
		__m512i enables = wide_gather(registers, 4),
			control = wide_gather(registers, 5), operations = wide_high(control);
		odd |= _mm512_test_epi8_mask(
			wide_gather(registers, little ? 0 : 3), _mm512_set1_epi8(7));
		if (columns.enables)
			_mm512_storeu_si512(columns.enables + i, enables);
		if (columns.control)
			_mm512_storeu_si512(columns.control + i, control);
		if (columns.kind)
			_mm512_storeu_si512(
				columns.kind + i, _mm512_shuffle_epi8(kinds, operations));
		if (columns.record)
			_mm512_storeu_si512(
				columns.record + i, _mm512_shuffle_epi8(records, operations));
		if (columns.access) {
			__m512i access = _mm512_shuffle_epi8(accesses, operations);
			idle |= _mm512_movepi8_mask(access);
			_mm512_storeu_si512(columns.access + i, access);
		}
		if (columns.address) {
			lines |= _mm512_movepi8_mask(
				_mm512_shuffle_epi8(wide_table(line_bits), operations));
			wide_addresses(columns.address + i, p, wide_lanes(enables, operations),
				little);
		}
		if (columns.size)
			wide_sizes(columns.size + i, enables, operations, layout->line);
	}
	struct bus_columns rest = bus_columns_from(wanted, i);
	struct bus_found found = bus_decode_plain(p, n - i, layout, &rest);
	return (struct bus_found){found.odd || odd, found.idle || idle, found.line || lines};
}

bus_decode_fn
bus_decoder_at(size_t i)
{
	bus_decode_fn fit[3];
	size_t n = 0;
	if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi"))
		fit[n++] = decode_wide;
	if (__builtin_cpu_supports("sse4.1"))
		fit[n++] = decode_narrow;
	fit[n++] = bus_decode_plain;
	return i < n ? fit[i] : NULL;
}

#else

bus_decode_fn
bus_decoder_at(size_t i)
{
	return i == 0 ? bus_decode_plain : NULL;
}

#endif
