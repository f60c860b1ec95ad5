/* SPDX-License-Identifier: MIT */
/* Lines of the listing of bus cycles. spec: BYU BACH trace format (program); BYU BACH bus trace
 * reference 4.5 */
#include "format/bus/text.h"

#include "base/bits.h"
#include "base/num.h"

#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define WITH_AVX2 1
#include <immintrin.h>
#endif

/* Templates of lines: their digits are 0; and their lengths. */
#define LINE(name)                                                              \
	{                                                                       \
		"\0\0\0\0\0\0\0\0 \0\0 " name "\n", (uint8_t)(sizeof name + 12) \
	}
static const struct {
	char text[BUS_PRINT_ROOM - 1];
	uint8_t length;
} lines[16] = {
	LINE("INVALID"),
	LINE("INT_ACK"),
	LINE("INVALID"),
	LINE("SPECIAL"),
	LINE("INVALID"),
	LINE("IO_READ"),
	LINE("INVALID"),
	LINE("IO_WRITE"),
	LINE("I_FETCH"),
	LINE("NC_I_FETCH"),
	LINE("INVALID"),
	LINE("INVALID"),
	LINE("D_READ"),
	LINE("NC_D_READ"),
	LINE("WRITE_BACK"),
	LINE("D_WRITE"),
};
#undef LINE

static inline size_t
print_line(char *dst, uint32_t address, uint8_t enables, uint8_t control)
{
	unsigned operation = control >> 4;
	memcpy(dst, &lines[operation], BUS_PRINT_ROOM);
	memcpy(dst, num_hex_pairs + 2 * (address >> 24), 2);
	memcpy(dst + 2, num_hex_pairs + 2 * (address >> 16 & 0xff), 2);
	memcpy(dst + 4, num_hex_pairs + 2 * (address >> 8 & 0xff), 2);
	memcpy(dst + 6, num_hex_pairs + 2 * (address & 0xff), 2);
	memcpy(dst + 9, num_hex_pairs + 2 * enables, 2);
	return lines[operation].length;
}

size_t
bus_print(char *dst, const struct bus_cycle *cycle)
{
	return print_line(dst, cycle->address, cycle->enables, cycle->control);
}

size_t
bus_print_plain(char *dst, const struct poly_batch *batch, size_t row, size_t n)
{
	const uint64_t *address = batch->address + row;
	const uint8_t *enables = batch->byte_enables + row, *control = batch->control + row;
	uint64_t all = 0;
	char *p = dst;
	for (size_t i = 0; i < n; i++) {
		all |= address[i];
		p += print_line(p, (uint32_t)address[i] & ~7u, enables[i], control[i]);
	}
	return all > UINT32_MAX ? 0 : (size_t)(p - dst);
}

bool
bus_is_text(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i] >= 0x7f || p[i] < '\t' || (p[i] > '\r' && p[i] < ' '))
			return false;
	}
	return true;
}

/* Finds the next word of a line; returns its length, 0 at the end. */
static size_t
next_word(const char **line, const char *end, const char **word)
{
	const char *p = *line;
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	*word = p;
	while (p < end && *p != ' ' && *p != '\t')
		p++;
	*line = p;
	return (size_t)(p - *word);
}

/* Parses a word of at most digits hexadecimal digits, with or without 0x. */
static bool
parse_word(const char *word, size_t n, size_t digits, uint64_t *value)
{
	if (n > 2 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X')) {
		word += 2;
		n -= 2;
	}
	return n > 0 && n <= digits && num_parse_hex(word, n, value);
}

/* line = address blanks enables blanks name [blanks] [return] newline */
bool
bus_parse(const char *line, size_t n, struct bus_cycle *cycle, bool *exact)
{
	const char *p = line, *end = line + n, *word;
	uint64_t address, enables;
	if (end > p && end[-1] == '\n')
		end--;
	if (end > p && end[-1] == '\r')
		end--;
	size_t length = next_word(&p, end, &word);
	if (!parse_word(word, length, 8, &address))
		return false;
	length = next_word(&p, end, &word);
	if (!parse_word(word, length, 2, &enables))
		return false;
	length = next_word(&p, end, &word);
	int operation = length ? bus_operation(word, length) : -1;
	if (operation < 0 || next_word(&p, end, &word))
		return false;
	*cycle = (struct bus_cycle){
		(uint32_t)address, (uint8_t)enables, (uint8_t)(operation << 4)};
	char again[BUS_PRINT_ROOM];
	*exact = bus_print(again, cycle) == n && memcmp(again, line, n) == 0;
	return true;
}

#ifdef WITH_AVX2

#define AVX2 __attribute__((target("avx2")))

/* Positions of the byte enables of a pair of rows: after the four bytes of their addresses. */
#define PAIR(j)                                                                              \
	{                                                                                    \
		-1, -1, -1, -1, 2 * (j), -1, -1, -1, -1, -1, -1, -1, 2 * (j) + 1, -1, -1, -1 \
	}
static const int8_t enable_pairs[8][16] = {
	PAIR(0), PAIR(1), PAIR(2), PAIR(3), PAIR(4), PAIR(5), PAIR(6), PAIR(7)};

/* Byte of every digit at the start of a line, for the first and second row of a pair. */
static const int8_t digit_bytes[2][16] = {
	{3, 3, 2, 2, 1, 1, 0, 0, -1, 4, 4, -1, -1, -1, -1, -1},
	{11, 11, 10, 10, 9, 9, 8, 8, -1, 12, 12, -1, -1, -1, -1, -1},
};

/* Mask of the digit's half; the address's last digit has A3 only. */
static const int8_t upper_half[16] = {15, 0, 15, 0, 15, 0, 15, 0, 0, 15, 0, 0, 0, 0, 0, 0};
static const int8_t lower_half[16] = {0, 15, 0, 15, 0, 15, 0, 8, 0, 0, 15, 0, 0, 0, 0, 0};

/* -1 where the line has no digit: the lookup returns 0, and the template has the character. */
static const int8_t no_digit[16] = {0, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0, -1, -1, -1, -1, -1};

static inline AVX2 __m128i
load(const void *p)
{
	return _mm_loadu_si128(p);
}

/* Writes the line of one row; v has the byte of each digit at the digit's position. */
static inline AVX2 size_t
print_digits(char *dst, __m128i v, unsigned operation)
{
	__m256i text = _mm256_loadu_si256((const void *)lines[operation].text);
	__m128i upper = _mm_and_si128(_mm_srli_epi16(v, 4), load(upper_half)),
		lower = _mm_and_si128(v, load(lower_half));
	v = _mm_or_si128(_mm_or_si128(upper, lower), load(no_digit));
	v = _mm_shuffle_epi8(load("0123456789abcdef"), v);
	text = _mm256_or_si256(text, _mm256_zextsi128_si256(v));
	_mm256_storeu_si256((void *)dst, text);
	return lines[operation].length;
}

/* Does the same as bus_print_plain, with all ten digits of a line at once. */
static AVX2 size_t
print_fast(char *dst, const struct poly_batch *batch, size_t row, size_t n)
{
	const __m128i first = load(digit_bytes[0]), second = load(digit_bytes[1]);
	__m128i all = _mm_setzero_si128();
	char *p = dst;
	size_t end = row + n;
	for (; row + 16 <= end; row += 16) {
		__m128i enables = load(batch->byte_enables + row);
		const uint8_t *control = batch->control + row;
		for (size_t j = 0; j < 8; j++, control += 2) {
			__m128i pair = load(batch->address + row + 2 * j);
			all = _mm_or_si128(all, pair);
			pair = _mm_or_si128(
				pair, _mm_shuffle_epi8(enables, load(enable_pairs[j])));
			p += print_digits(p, _mm_shuffle_epi8(pair, first), control[0] >> 4);
			p += print_digits(p, _mm_shuffle_epi8(pair, second), control[1] >> 4);
		}
	}
	all = _mm_or_si128(_mm_srli_epi64(all, 32), _mm_srli_si128(all, 12));
	size_t rest = bus_print_plain(p, batch, row, end - row);
	if (_mm_cvtsi128_si32(all) || (!rest && end > row))
		return 0;
	return (size_t)(p - dst) + rest;
}

bus_print_fn
bus_printer(void)
{
	return __builtin_cpu_supports("avx2") ? print_fast : bus_print_plain;
}

#else

bus_print_fn
bus_printer(void)
{
	return bus_print_plain;
}

#endif
