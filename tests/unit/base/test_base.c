/* SPDX-License-Identifier: MIT */
/* The tools that everything stands on. The oracles are the C library and counting by hand. */
#include "test_help.h"

#include <errno.h>
#include <inttypes.h>

#include "base/bits.h"
#include "base/err.h"
#include "base/intern.h"
#include "base/num.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "base/wide.h"

/* Numbers of every width, and those beside them. */
static uint64_t
edge_number(unsigned i)
{
	uint64_t power = (uint64_t)1 << i / 3 % 64;
	return power + i % 3 - 1;
}

#define EDGES (64 * 3)

static void
numbers_are_parsed_as_they_are_printed(void **state)
{
	(void)state;
	for (unsigned i = 0; i < EDGES; i++) {
		char text[32], made[32] = "";
		uint64_t truth = edge_number(i), value = ~truth;
		size_t n = (size_t)snprintf(text, sizeof text, "%" PRIu64, truth);
		assert_true(num_parse(text, n, &value) && value == truth);
		assert_int_equal(num_decimal(made, truth), n);
		assert_memory_equal(made, text, n);
		n = (size_t)snprintf(text, sizeof text, "%" PRIx64, truth);
		assert_true(num_parse_hex(text, n, &value) && value == truth);
		assert_int_equal(num_hex_width(truth), n);
		snprintf(text, sizeof text, "%016" PRIx64, truth);
		uint8_t word[8];
		store_le64(word, num_hex_word((uint32_t)truth));
		assert_memory_equal(word, text + 8, 8);
		for (unsigned digits = 1; digits <= 16; digits++) {
			num_hex(made, truth, digits);
			assert_memory_equal(made, text + 16 - digits, digits);
		}
		n = (size_t)snprintf(text, sizeof text, "0X%" PRIX64, truth);
		assert_true(num_parse(text, n, &value) && value == truth);
	}
}

/* Digits are looked for one by one here, and eight at once there. */
static void
expect_run(const char *text)
{
	uint64_t value = 0, truth = 0;
	unsigned n = 0;
	for (; n < 16 && text[n] && strchr("0123456789abcdef", text[n]); n++)
		truth = truth << 4 | (uint64_t)num_hex_digit(text[n]);
	assert_int_equal(num_hex_run((const uint8_t *)text, &value), n);
	assert_int_equal(value, truth);
}

static void
runs_of_digits_end_at_any_byte(void **state)
{
	(void)state;
	for (size_t place = 0; place <= 16; place++) {
		for (int byte = 0; byte < 256; byte++) {
			char text[] = "0123456789abcdef9", other[] = "fedcba9876543210a";
			text[place] = other[place] = (char)byte;
			expect_run(text);
			expect_run(other);
		}
	}
}

static void
an_invalid_number_is_rejected(void **state)
{
	(void)state;
	static const char *const wrong[] = {"", " 1", "1 ", "+1", "-1", "1.", "1e3", "0x", "x1",
		"0xg", "0x+1", "18446744073709551616", "18446744073709551620",
		"99999999999999999999", "0x10000000000000000", "1k", "/", ":"};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		uint64_t value = 7;
		if (num_parse(wrong[i], strlen(wrong[i]), &value))
			fail_msg("'%s' is %" PRIu64, wrong[i], value);
	}
	uint64_t value = 0;
	assert_true(num_parse("12x", 2, &value)); /* only what is handed over counts */
	assert_int_equal(value, 12);
	for (int c = 0; c < 256; c++) {
		const char digits[] = "0123456789abcdef", *at = memchr(digits, c | 32, 16);
		bool is_digit = at && ((c >= '0' && c <= '9') || (c | 32) >= 'a');
		assert_int_equal(num_hex_digit((char)c), is_digit ? at - digits : -1);
	}
}

static void
sizes_have_binary_units(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint64_t value;
	} good[] = {{"0", 0}, {"3", 3}, {"1k", 1024}, {"2M", 2 << 20}, {"1G", 1 << 30},
		{"16777215T", (uint64_t)16777215 << 40}, {"0x10k", 16384}};
	static const char *const wrong[] = {
		"16777216T", "18446744073709551615k", "k", "1K", "1kk", "1k ", ""};
	uint64_t value;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		assert_true(num_parse_size(good[i].text, strlen(good[i].text), &value));
		assert_true(value == good[i].value);
	}
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_false(num_parse_size(wrong[i], strlen(wrong[i]), &value));
}

static void
counts_have_decimal_suffixes(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint64_t value;
	} good[] = {{"0", 0}, {"3", 3}, {"1k", 1000}, {"2M", 2000000}, {"1G", 1000000000},
		{"18446744T", 18446744000000000000u}, {"0x10k", 16000}};
	static const char *const wrong[] = {"18446745T", "k", "1K", "1kk", "1k ", ""};
	uint64_t value;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		assert_true(num_parse_count(good[i].text, strlen(good[i].text), &value));
		assert_true(value == good[i].value);
	}
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_false(num_parse_count(wrong[i], strlen(wrong[i]), &value));
}

static void
bytes_are_pairs_of_digits(void **state)
{
	(void)state;
	uint8_t bytes[256], back[256];
	char text[513] = "", pair[3];
	for (unsigned i = 0; i < 256; i++)
		bytes[i] = (uint8_t)i;
	num_hex_bytes(text, bytes, sizeof bytes);
	for (unsigned i = 0; i < 256; i++) {
		snprintf(pair, sizeof pair, "%02x", i);
		assert_memory_equal(text + 2 * i, pair, 2);
	}
	assert_true(num_parse_bytes(text, 512, back));
	assert_memory_equal(back, bytes, sizeof bytes);
	assert_false(num_parse_bytes(text, 511, back));
	assert_false(num_parse_bytes("0g", 2, back));
	assert_false(num_parse_bytes("g0", 2, back));
}

static void
loads_and_stores_have_their_order(void **state)
{
	(void)state;
	const uint8_t p[8] = {0x81, 0x92, 0xa3, 0xb4, 0xc5, 0xd6, 0xe7, 0xf8};
	uint8_t made[4];
	assert_true(load_be32(p) == 0x8192a3b4 && load_le32(p) == 0xb4a39281);
	assert_true(load_be64(p) == 0x8192a3b4c5d6e7f8 && load_le64(p) == 0xf8e7d6c5b4a39281);
	store_be32(made, 0x8192a3b4);
	assert_memory_equal(made, p, 4);
	store_le32(made, 0xb4a39281);
	assert_memory_equal(made, p, 4);
	for (unsigned bits = 1; bits <= 64; bits++) {
		uint64_t top = (uint64_t)1 << (bits - 1),
			 rest = ~(uint64_t)0 << (bits - 1) << 1;
		if (bits == 64)
			rest = 0;
		assert_true((uint64_t)sign_extend(top, bits) == (top | rest));
		assert_true((uint64_t)sign_extend(top - 1, bits) == top - 1);
		assert_true(sign_extend(top - 1 + rest, bits) == (int64_t)(top - 1));
	}
}

static void
bits_are_counted_up_to_a_position(void **state)
{
	(void)state;
	uint64_t map[3] = {0};
	size_t count = 0;
	for (size_t i = 0; i < 192; i++) {
		assert_int_equal(bit_count(map, i), count);
		assert_false(bit_test(map, i));
		if (i * i % 7 < 3) {
			bit_set(map, i);
			count++;
			assert_true(bit_test(map, i));
		}
	}
	assert_int_equal(bit_count(map, 192), count);
	/* Bits after the position do not count. */
	for (size_t i = 192; i-- > 0;) {
		count -= bit_test(map, i);
		assert_int_equal(bit_count(map, i), count);
	}
}

static void
strings_are_numbered_from_0(void **state)
{
	(void)state;
	struct intern intern = {0};
	char text[20];
	assert_int_equal(intern_find(&intern, "", 0), INTERN_FAILED);
	assert_null(intern_text(&intern, 0));
	for (unsigned turn = 0; turn < 2; turn++) {
		for (uint32_t i = 0; i < 5000; i++) {
			size_t n = (size_t)snprintf(text, sizeof text, "%" PRIx32 "z", i);
			assert_int_equal(intern_find(&intern, text, n), turn ? i : UINT32_MAX);
			assert_int_equal(intern_add(&intern, text, n), i);
			/* A beginning is another string. */
			assert_int_equal(intern_find(&intern, text, n - 1), INTERN_FAILED);
		}
	}
	const char *first = intern_text(&intern, 0);
	assert_string_equal(first, "0z");
	assert_string_equal(intern_text(&intern, 4999), "1387z");
	assert_null(intern_text(&intern, 5000));
	assert_int_equal(intern_add(&intern, "", 0), 5000);
	assert_ptr_equal(first, intern_text(&intern, 0));
	intern_free(&intern);
	assert_int_equal(intern_add(&intern, "again", 5), 0);
	intern_free(&intern);
}

static void
runs_of_bytes_grow(void **state)
{
	(void)state;
	struct buf buf = {0};
	size_t n = 0;
	assert_string_equal(buf_text(&buf), "");
	for (unsigned i = 0; i < 300; i++) {
		buf_printf(&buf, "%u,", i);
		n += i < 10 ? 2 : i < 100 ? 3 : 4;
		assert_int_equal(buf.size, n);
		assert_int_equal(strlen(buf_text(&buf)), n);
		assert_true(buf.capacity > n && buf.data[n - 1] == ',');
	}
	buf_byte(&buf, 'x');
	buf_string(&buf, "yz");
	buf_append(&buf, "ab", 1);
	assert_string_equal(buf_text(&buf) + n, "xyza");
	uint8_t *room = buf_reserve(&buf, 100000);
	memset(room, 1, 100000);
	assert_int_equal(buf.size, n + 4);
	buf_clear(&buf);
	assert_true(buf.size == 0 && buf.data);
	assert_null(buf_reserve(&buf, SIZE_MAX));
	assert_true(buf.failed);
	buf_byte(&buf, 'x');
	assert_int_equal(buf.size, 0);
	assert_string_equal(buf_text(&buf), "");
	buf_clear(&buf);
	buf_byte(&buf, 'x');
	assert_string_equal(buf_text(&buf), "x");
	buf_free(&buf);
}

static void
overflowing_products_are_out_of_memory(void **state)
{
	(void)state;
	static volatile size_t half = SIZE_MAX / 2 + 1;
	assert_null(mem_new(half, 2));
	assert_null(mem_new(half + 1, 2));
	assert_null(mem_resize(NULL, half, 2));
	assert_null(mem_resize(NULL, half + 1, 2));
	uint8_t *p = mem_new(100, 1);
	for (size_t i = 0; i < 100; i++)
		assert_int_equal(p[i], 0);
	p[99] = 7;
	p = mem_resize(p, 1000, 10);
	assert_int_equal(p[99], 7);
	mem_free(p);
	p = mem_new(0, 0);
	assert_non_null(p);
	mem_free(p);
	mem_free(NULL);
}

static void
errors_name_the_option_of_the_constant_text(void **state)
{
	(void)state;
	struct poly_error error;
	err_usage(&error, "no such analysis '%s'", "options.threads");
	assert_string_equal(error.option, "");
	assert_int_equal(error.option_size, 0);
	/* "'options.a' is 12; " has 19 bytes. */
	err_usage(&error, "'%s' is %d; set options.format now", "options.a", 12);
	assert_string_equal(error.option, "format");
	assert_int_equal(error.option_at, 19);
	assert_int_equal(error.option_size, strlen("set options.format"));
	err_usage(&error, "options.isa: '%s'", "options.a");
	assert_string_equal(error.option, "isa");
	assert_int_equal(error.option_at, 0);
	assert_int_equal(error.option_size, strlen("options.isa"));
	/* That of a format has the user's name. */
	err_usage(&error, "unknown option '%.*s' (%s)", 12, "options.date=1", "none");
	assert_string_equal(error.option, "options.date");
	assert_int_equal(error.option_at, strlen("unknown option '"));
	assert_int_equal(error.option_size, 12);
	/* A name that no option has, and one beyond the end of the message, are not stored. */
	err_usage(&error, "option '%s'", "an.option.of.more.than.thirty.two.bytes");
	assert_string_equal(error.option, "");
	err_usage(&error, "%400d; set options.format", 1);
	assert_int_equal(error.option_size, 0);
}

static void
errors_have_their_position_and_cause(void **state)
{
	(void)state;
	struct poly_error error;
	memset(&error, 0xff, sizeof error);
	errno = ENOSPC;
	assert_int_equal(
		err_set(&error, POLY_ERR_FORMAT, 7, "%d of %s", 3, "x"), POLY_ERR_FORMAT);
	assert_int_equal(error.status, POLY_ERR_FORMAT);
	assert_int_equal(error.sys_errno, 0);
	assert_true(error.offset == 7 && error.record == 0 && error.line == 0);
	assert_string_equal(error.message, "3 of x");
	errno = ENOSPC;
	assert_int_equal(err_system(&error, POLY_NO_OFFSET, "cannot"), POLY_ERR_IO);
	assert_int_equal(error.sys_errno, ENOSPC);
	assert_string_equal(error.message, "cannot: No space left on device");
	assert_int_equal(err_memory(NULL), POLY_ERR_MEMORY);
	assert_int_equal(err_set(NULL, POLY_ERR_LIMIT, 0, "x"), POLY_ERR_LIMIT);
	char large[1000];
	memset(large, 'x', sizeof large);
	large[sizeof large - 1] = 0;
	err_set(&error, POLY_ERR_LIMIT, 0, "%s", large);
	assert_int_equal(strlen(error.message), sizeof error.message - 1);
	assert_int_equal(err_missing(&error, "gzip", "libx-dev"), POLY_ERR_UNSUPPORTED);
	assert_non_null(strstr(error.message, "gzip requires a library"));
	assert_non_null(strstr(error.message, "'libx-dev'"));
}

static void
json_strings_escape_what_they_must(void **state)
{
	(void)state;
	struct buf to = {0};
	quote_json(&to, "a\"\\\b\f\n\r\t\x01\x1f\x7f/\0e\xc3\xa9", 16);
	assert_string_equal(buf_text(&to),
		"\"a\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f\x7f/\\u0000e\xc3\xa9\"");
	buf_free(&to);
}

/* A code point as UTF-8 has it by its definition; surrogates and what is beyond too. */
static size_t
encode(uint32_t code, uint8_t *to, size_t length)
{
	static const uint8_t leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
	for (size_t i = length; i-- > 1; code >>= 6)
		to[i] = (uint8_t)(0x80 | (code & 0x3f));
	to[0] = (uint8_t)(leads[length] | code);
	return length;
}

static void
utf8_follows_the_standard(void **state)
{
	(void)state;
	for (uint32_t code = 0; code < 0x120000; code += code < 0x3000 ? 1 : 0x3f) {
		size_t shortest = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
		for (size_t length = shortest; length <= 4; length++) {
			uint8_t text[5] = {0};
			bool sound = length == shortest && code < 0x110000 &&
				     (code < 0xd800 || code > 0xdfff);
			encode(code, text, length);
			assert_int_equal(utf8_is_valid(text, length), sound);
			assert_true(length == 1 || !utf8_is_valid(text, length - 1));
			text[length] = 'x';
			assert_int_equal(utf8_is_valid(text, length + 1), sound);
		}
	}
	assert_false(utf8_is_valid("\x80", 1));
	assert_true(utf8_is_valid("", 0));
}

static uint64_t
draw_number(uint32_t *seed)
{
	const uint64_t high = draw_below(seed, UINT32_MAX);
	return (high << 32 | draw_below(seed, UINT32_MAX)) >> draw_below(seed, 64);
}

/* Checks a product and its division by its factors, with and without a type of 128 bits. */
static void
expect_product(uint64_t a, uint64_t b, struct wide expected)
{
	const struct wide halves = wide_multiply_halves(a, b), whole = wide_multiply(a, b);
	assert_true(halves.high == expected.high && halves.low == expected.low);
	assert_true(whole.high == expected.high && whole.low == expected.low);
	if (!a || !b)
		return;
	/* a * b - 1 = a * (b - 1) + (a - 1) */
	const struct wide less = {expected.high - !expected.low, expected.low - 1};
	assert_true(wide_divide_bits(expected, a) == b && wide_divide(expected, a) == b);
	assert_true(wide_divide_bits(less, a) == b - 1 && wide_divide(less, a) == b - 1);
}

static void
products_have_128_bits(void **state)
{
	const uint64_t max = UINT64_MAX, half = (uint64_t)1 << 32;
	(void)state;
	expect_product(0, max, (struct wide){0, 0});
	expect_product(1, max, (struct wide){0, max});
	expect_product(2, max, (struct wide){1, max - 1});
	expect_product(max, max, (struct wide){max - 1, 1});
	expect_product(half, half, (struct wide){1, 0});
	expect_product(half - 1, half + 1, (struct wide){0, max});
	/* (2^64 - 1) * (2^32 - 1) = (2^32 - 2) * 2^64 + (2^64 - 2^32 + 1) */
	expect_product(max, half - 1, (struct wide){half - 2, max - half + 2});
#ifdef __SIZEOF_INT128__
	uint32_t seed = 1;
	for (unsigned i = 0; i < 100000; i++) {
		const uint64_t a = i < EDGES * EDGES ? edge_number(i / EDGES)
						     : draw_number(&seed),
			       b = i < EDGES * EDGES ? edge_number(i % EDGES)
						     : draw_number(&seed);
		const wide_number product = (wide_number)a * b;
		expect_product(
			a, b, (struct wide){(uint64_t)(product >> 64), (uint64_t)product});
	}
#endif
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_parsed_as_they_are_printed),
		cmocka_unit_test(runs_of_digits_end_at_any_byte),
		cmocka_unit_test(an_invalid_number_is_rejected),
		cmocka_unit_test(sizes_have_binary_units),
		cmocka_unit_test(counts_have_decimal_suffixes),
		cmocka_unit_test(bytes_are_pairs_of_digits),
		cmocka_unit_test(loads_and_stores_have_their_order),
		cmocka_unit_test(bits_are_counted_up_to_a_position),
		cmocka_unit_test(strings_are_numbered_from_0),
		cmocka_unit_test(runs_of_bytes_grow),
		cmocka_unit_test(overflowing_products_are_out_of_memory),
		cmocka_unit_test(errors_have_their_position_and_cause),
		cmocka_unit_test(errors_name_the_option_of_the_constant_text),
		cmocka_unit_test(json_strings_escape_what_they_must),
		cmocka_unit_test(products_have_128_bits),
		cmocka_unit_test(utf8_follows_the_standard),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
