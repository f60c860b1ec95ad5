/* SPDX-License-Identifier: MIT */
/* Six-byte bus records taken apart into columns. spec: reference bach 4.1, 4.2 */
#include "format/bus_decode.h"

#include "format/bus_cycle.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define WITH_SSSE3 1
#include <tmmintrin.h>
#endif

static void
plain_split(const uint8_t *p, size_t n, uint8_t *enables, uint8_t *control)
{
	for (size_t i = 0; i < n; i++, p += BUS_CYCLE_SIZE) {
		enables[i] = p[4];
		control[i] = p[5];
	}
}

static uint8_t
plain_translate(uint8_t *to, const uint8_t *control, size_t n, const uint8_t table[16])
{
	uint8_t all = 0;
	for (size_t i = 0; i < n; i++)
		all |= to[i] = table[control[i] >> 4];
	return all;
}

static void
plain_lanes(uint8_t *to, const uint8_t *enables, const uint8_t *control, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bool moves = BUS_TRANSFERS >> (control[i] >> 4) & 1;
		to[i] = moves ? (uint8_t)bus_first_lane(enables[i]) : 0;
	}
}

static bool
plain_addresses(uint64_t *to, const uint8_t *p, size_t n, const uint8_t *lanes, bool little)
{
	uint32_t all = 0;
	for (size_t i = 0; i < n; i++, p += BUS_CYCLE_SIZE) {
		uint32_t address = bus_load(p, little).address;
		all |= address;
		to[i] = (address & ~7u) | lanes[i];
	}
	return all & 7;
}

static void
plain_sizes(
	uint32_t *to, const uint8_t *enables, const uint8_t *control, size_t n, uint8_t line)
{
	for (size_t i = 0; i < n; i++) {
		bool whole = BUS_LINES >> (control[i] >> 4) & 1;
		to[i] = whole ? line : bus_byte_count(enables[i]);
	}
}

const struct bus_decoder bus_plain = {
	.split = plain_split,
	.translate = plain_translate,
	.lanes = plain_lanes,
	.addresses = plain_addresses,
	.sizes = plain_sizes,
};

#ifdef WITH_SSSE3

#define SSSE3 __attribute__((target("ssse3")))
#define STEP 16 /* rows of a step: 96 bytes, six registers */

static inline SSSE3 __m128i
load(const void *p)
{
	return _mm_loadu_si128(p);
}

static inline SSSE3 void
store(void *p, __m128i v)
{
	_mm_storeu_si128(p, v);
}

/* The upper four bits of every byte. */
static inline SSSE3 __m128i
high(__m128i v)
{
	return _mm_and_si128(_mm_srli_epi16(v, 4), _mm_set1_epi8(15));
}

static inline SSSE3 __m128i
low(__m128i v)
{
	return _mm_and_si128(v, _mm_set1_epi8(15));
}

/* Where byte offset of row r is in register k of a step's six; -1 (gives 0) if in another. */
#define PLACE(k, r, offset) \
	(6 * (r) + (offset)) / 16 == (k) ? (int8_t)((6 * (r) + (offset)) % 16) : (int8_t)-1
#define PLACES(k, offset)                                                                 \
	{                                                                                 \
		PLACE(k, 0, offset), PLACE(k, 1, offset), PLACE(k, 2, offset),            \
			PLACE(k, 3, offset), PLACE(k, 4, offset), PLACE(k, 5, offset),    \
			PLACE(k, 6, offset), PLACE(k, 7, offset), PLACE(k, 8, offset),    \
			PLACE(k, 9, offset), PLACE(k, 10, offset), PLACE(k, 11, offset),  \
			PLACE(k, 12, offset), PLACE(k, 13, offset), PLACE(k, 14, offset), \
			PLACE(k, 15, offset)                                              \
	}
#define REGISTERS(offset)                                                                   \
	{                                                                                   \
		PLACES(0, offset), PLACES(1, offset), PLACES(2, offset), PLACES(3, offset), \
			PLACES(4, offset), PLACES(5, offset)                                \
	}
static const int8_t enable_places[6][16] = REGISTERS(4), control_places[6][16] = REGISTERS(5);

static inline SSSE3 __m128i
gather(const __m128i registers[6], const int8_t places[6][16])
{
	__m128i all = _mm_shuffle_epi8(registers[0], load(places[0]));
	for (int k = 1; k < 6; k++)
		all = _mm_or_si128(all, _mm_shuffle_epi8(registers[k], load(places[k])));
	return all;
}

static SSSE3 void
fast_split(const uint8_t *p, size_t n, uint8_t *enables, uint8_t *control)
{
	size_t i = 0;
	for (; i + STEP <= n; i += STEP, p += STEP * BUS_CYCLE_SIZE) {
		__m128i registers[6];
		for (int k = 0; k < 6; k++)
			registers[k] = load(p + 16 * k);
		store(enables + i, gather(registers, enable_places));
		store(control + i, gather(registers, control_places));
	}
	plain_split(p, n - i, enables + i, control + i);
}

static SSSE3 uint8_t
fast_translate(uint8_t *to, const uint8_t *control, size_t n, const uint8_t table[16])
{
	__m128i map = load(table), all = _mm_setzero_si128();
	size_t i = 0;
	for (; i + STEP <= n; i += STEP) {
		__m128i v = _mm_shuffle_epi8(map, high(load(control + i)));
		store(to + i, v);
		all = _mm_or_si128(all, v);
	}
	uint8_t bytes[16], result = plain_translate(to + i, control + i, n - i, table);
	store(bytes, all);
	for (int k = 0; k < 16; k++)
		result |= bytes[k];
	return result;
}

static const int8_t transfer_mask[16] = {
	0, 0, 0, 0, 0, 7, 0, 7, 7, 7, 0, 0, 7, 7, 7, 7}; /* of BUS_TRANSFERS: all lanes */

static SSSE3 void
fast_lanes(uint8_t *to, const uint8_t *enables, const uint8_t *control, size_t n)
{
	__m128i first_low = load(bus_first_low), first_high = load(bus_first_high),
		moves = load(transfer_mask);
	size_t i = 0;
	for (; i + STEP <= n; i += STEP) {
		__m128i v = load(enables + i), operation = high(load(control + i));
		__m128i first = _mm_min_epu8(_mm_shuffle_epi8(first_low, low(v)),
			_mm_shuffle_epi8(first_high, high(v)));
		store(to + i, _mm_and_si128(first, _mm_shuffle_epi8(moves, operation)));
	}
	plain_lanes(to + i, enables + i, control + i, n - i);
}

/* Bytes 2j and 2j+1 as two numbers of 64 bits. */
#define PAIR(j)                                                                              \
	{                                                                                    \
		2 * (j), -1, -1, -1, -1, -1, -1, -1, 2 * (j) + 1, -1, -1, -1, -1, -1, -1, -1 \
	}
static const int8_t lane_pairs[8][16] = {
	PAIR(0), PAIR(1), PAIR(2), PAIR(3), PAIR(4), PAIR(5), PAIR(6), PAIR(7)};

/* The addresses of two records as two numbers of 64 bits, by byte order of the file. */
static const int8_t address_pair[2][16] = {
	{3, 2, 1, 0, -1, -1, -1, -1, 9, 8, 7, 6, -1, -1, -1, -1},
	{0, 1, 2, 3, -1, -1, -1, -1, 6, 7, 8, 9, -1, -1, -1, -1},
};

static SSSE3 bool
fast_addresses(uint64_t *to, const uint8_t *p, size_t n, const uint8_t *lanes, bool little)
{
	__m128i order = load(address_pair[little]), aligned = _mm_set1_epi64x(~7),
		all = _mm_setzero_si128();
	size_t i = 0;
	for (; i + STEP <= n; i += STEP) {
		__m128i first = load(lanes + i);
		for (int j = 0; j < STEP / 2; j++, p += 2 * BUS_CYCLE_SIZE) {
			__m128i v = _mm_shuffle_epi8(load(p), order);
			all = _mm_or_si128(all, v);
			v = _mm_and_si128(v, aligned);
			v = _mm_or_si128(v, _mm_shuffle_epi8(first, load(lane_pairs[j])));
			store(to + i + 2 * j, v);
		}
	}
	all = _mm_or_si128(all, _mm_srli_si128(all, 8));
	bool odd = plain_addresses(to + i, p, n - i, lanes + i, little);
	return odd || _mm_cvtsi128_si32(all) & 7;
}

static SSSE3 void
fast_sizes(uint32_t *to, const uint8_t *enables, const uint8_t *control, size_t n, uint8_t line)
{
	uint8_t whole[16], partial[16];
	for (int k = 0; k < 16; k++) {
		whole[k] = BUS_LINES >> k & 1 ? line : 0;
		partial[k] = BUS_LINES >> k & 1 ? 0 : 0xff;
	}
	__m128i count = load(bus_count), fixed = load(whole), keep = load(partial),
		zero = _mm_setzero_si128();
	size_t i = 0;
	for (; i + STEP <= n; i += STEP) {
		__m128i v = load(enables + i), operation = high(load(control + i));
		__m128i bytes = _mm_add_epi8(
			_mm_shuffle_epi8(count, low(v)), _mm_shuffle_epi8(count, high(v)));
		bytes = _mm_and_si128(bytes, _mm_shuffle_epi8(keep, operation));
		bytes = _mm_or_si128(bytes, _mm_shuffle_epi8(fixed, operation));
		__m128i first = _mm_unpacklo_epi8(bytes, zero),
			second = _mm_unpackhi_epi8(bytes, zero);
		store(to + i, _mm_unpacklo_epi16(first, zero));
		store(to + i + 4, _mm_unpackhi_epi16(first, zero));
		store(to + i + 8, _mm_unpacklo_epi16(second, zero));
		store(to + i + 12, _mm_unpackhi_epi16(second, zero));
	}
	plain_sizes(to + i, enables + i, control + i, n - i, line);
}

static const struct bus_decoder fast = {
	.split = fast_split,
	.translate = fast_translate,
	.lanes = fast_lanes,
	.addresses = fast_addresses,
	.sizes = fast_sizes,
};

const struct bus_decoder *
bus_decoder(void)
{
	return __builtin_cpu_supports("ssse3") ? &fast : &bus_plain;
}

#else

const struct bus_decoder *
bus_decoder(void)
{
	return &bus_plain;
}

#endif
