/* SPDX-License-Identifier: MIT */
/*
 * Output and interpreter codes: how they read data and print it.
 *
 * spec: IBM, trcfmt File Format (Output Format Codes, Interpreter Format Codes); AIX trace
 * reference 4.4.
 */
#include "trcfmt/eval/eval_state.h"

#include "aix/errno.h"
#include "base/num.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* Returns the size of a number of code in bytes. X0 reads one byte, as X1 does (AIX trace
 * reference 3 (5)). */
static unsigned
code_size(const struct trcfmt_eval *eval, const struct format_code *code)
{
	if (code->word)
		return eval->context->event->word;
	return code->size ? code->size : 1;
}

/* Loads a number of size bytes (1 to 8) from the image; bytes beyond its end are 0. */
static uint64_t
code_load(const struct trcfmt_eval *eval, uint64_t at, unsigned size)
{
	const struct buf *image = &eval->image;
	if (size == 4 && at + 4 <= image->size)
		return load_be32(image->data + at);
	uint64_t number = 0;
	for (unsigned i = 0; i < size; i++, at++)
		number = number << 8 | (at < image->size ? image->data[at] : 0);
	return number;
}

/*
 * Advances the data pointer past bits; gets their position in the image. False if the entry is
 * too short and the template therefore ends (AIX trace reference 3 (13)).
 */
static bool
code_advance(struct trcfmt_eval *eval, uint64_t bits, uint64_t *at)
{
	*at = eval->base * 8 + eval->pointer;
	if (*at + bits > (uint64_t)eval->image.size * 8) {
		if (!eval->options.overread_zero) {
			eval_stop(eval, FAULT_OVERREAD);
			return false;
		}
		eval_fault(eval, FAULT_OVERREAD);
	}
	eval->pointer += bits;
	return true;
}

/* The same for bytes, from the next byte boundary. */
static bool
code_advance_bytes(struct trcfmt_eval *eval, uint64_t bytes, uint64_t *at)
{
	eval->pointer = (eval->pointer + 7) / 8 * 8;
	bool there = code_advance(eval, bytes * 8, at);
	*at /= 8;
	return there;
}

static void
value_of_number(const struct format_code *code, unsigned size, uint64_t number,
	struct eval_value *value)
{
	value->kind = VALUE_CODE;
	value->code = code;
	value->high = 0;
	if (size < 8)
		number &= ((uint64_t)1 << 8 * size) - 1;
	if (code->code == CODE_D && size < 8)
		number = (uint64_t)sign_extend(number, 8 * size);
	value->number = number;
}

static bool
read_number(struct trcfmt_eval *eval, const struct format_code *code, struct eval_value *value)
{
	const unsigned size = code_size(eval, code);
	uint64_t at;
	if (!code_advance_bytes(eval, size, &at))
		return false;
	unsigned high = size > 8 ? size - 8 : 0;
	value_of_number(code, size, code_load(eval, at + high, size - high), value);
	if (high)
		value->high = code_load(eval, at, high);
	builtin_number_read(eval, value->number);
	return true;
}

static bool
image_bit(const struct trcfmt_eval *eval, uint64_t at)
{
	return at / 8 < eval->image.size && eval->image.data[at / 8] >> (7 - at % 8) & 1;
}

static bool
read_bits(struct trcfmt_eval *eval, const struct format_code *code, struct eval_value *value)
{
	uint64_t at;
	if (!code_advance(eval, code->bits, &at))
		return false;
	value->kind = VALUE_CODE;
	value->code = code;
	value->at = at;
	value->number = value->high = 0;
	value->bytes = eval->image.data;
	for (uint32_t i = code->bits > 64 ? code->bits - 64 : 0; i < code->bits; i++)
		value->number = value->number << 1 | image_bit(eval, at + i);
	builtin_number_read(eval, value->number);
	return true;
}

/* Reads the text of size bytes of the image, up to a NUL. */
static void
read_text(struct trcfmt_eval *eval, uint64_t at, uint64_t size, struct eval_value *value)
{
	const struct buf *image = &eval->image;
	const uint64_t rest = at < image->size ? image->size - at : 0;
	value->bytes = image->data + (rest ? at : 0);
	value->size = (size_t)(size < rest ? size : rest);
	const uint8_t *end = value->size ? memchr(value->bytes, 0, value->size) : NULL;
	if (end)
		value->size = (size_t)(end - value->bytes);
	builtin_text_read(eval, value->bytes, value->size);
}

static bool
read_a(struct trcfmt_eval *eval, const struct format_code *code, struct eval_value *value)
{
	uint64_t at;
	if (!code_advance_bytes(eval, code->size, &at))
		return false;
	value->kind = VALUE_CODE;
	value->code = code;
	value->number = value->high = 0;
	read_text(eval, at, code->size, value);
	return true;
}

/* Reads the text after a length. A length beyond the rest of the entry is truncated. */
static void
read_s_text(struct trcfmt_eval *eval, const struct format_code *code, uint64_t length,
	struct eval_value *value)
{
	eval->pointer = (eval->pointer + 7) / 8 * 8;
	const uint64_t at = eval->base + eval->pointer / 8;
	const uint64_t rest = at < eval->image.size ? eval->image.size - at : 0;
	value->kind = VALUE_CODE;
	value->code = code;
	value->number = length;
	value->high = 0;
	if (length > rest)
		eval_fault(eval, FAULT_STRING);
	read_text(eval, at, length < rest ? length : rest, value);
	eval->pointer += 8 * (length < rest ? length : rest);
}

static bool
read_s(struct trcfmt_eval *eval, const struct format_code *code, struct eval_value *value)
{
	const unsigned size = code_size(eval, code);
	uint64_t at;
	if (!code_advance_bytes(eval, size, &at))
		return false;
	read_s_text(eval, code, code_load(eval, at, size), value);
	return true;
}

/* HT, HB and HD, which do not move the data pointer. */
static void
read_hook(struct trcfmt_eval *eval, const struct format_code *code, struct eval_value *value)
{
	static const uint32_t macros[] = {
		[CODE_HT] = MACRO_HT, [CODE_HB] = MACRO_HB, [CODE_HD] = MACRO_HD};
	macro_value(eval, macros[code->code], value);
	value->kind = VALUE_CODE;
	value->code = code;
	value->high = 0;
}

bool
code_read(struct trcfmt_eval *eval, const struct format_code *code, struct eval_value *value)
{
	switch (code->code) {
	case CODE_A: return read_a(eval, code, value);
	case CODE_B: return read_bits(eval, code, value);
	case CODE_S: return read_s(eval, code, value);
	case CODE_HT:
	case CODE_HB:
	case CODE_HD: read_hook(eval, code, value); return true;
	default: return read_number(eval, code, value);
	}
}

/* Converts a number to text: the bytes of the number, of the size of code. */
static void
cast_to_text(
	const struct format_code *code, const struct eval_value *from, struct eval_value *value)
{
	value->kind = VALUE_CODE;
	value->code = code;
	value->number = value->high = 0;
	if (from->kind == VALUE_TEXT) {
		value->bytes = from->bytes;
		value->size = from->size < code->size ? from->size : code->size;
		return;
	}
	store_be32(value->own, (uint32_t)(from->number >> 32));
	store_be32(value->own + 4, (uint32_t)from->number);
	size_t size = code->size < 8 ? code->size : 8;
	value->bytes = value->own + 8 - size;
	const uint8_t *end = size ? memchr(value->bytes, 0, size) : NULL;
	value->size = end ? (size_t)(end - value->bytes) : size;
}

bool
code_cast(struct trcfmt_eval *eval, const struct format_code *code,
	const struct eval_value *from, struct eval_value *value)
{
	if (from->kind == VALUE_NONE || code->code == CODE_HT || code->code == CODE_HB ||
		code->code == CODE_HD) {
		*value = *from;
		return true;
	}
	if (code->code == CODE_A) {
		cast_to_text(code, from, value);
		return true;
	}
	const bool bits = code->code == CODE_B;
	value_of_number(code, bits ? 8 : code_size(eval, code), from->number, value);
	if (bits) {
		value->bytes = NULL;
		if (code->bits < 64)
			value->number &= ((uint64_t)1 << code->bits) - 1;
	}
	if (code->code == CODE_S)
		read_s_text(eval, code, value->number, value);
	return true;
}

/* ---- printing ---- */

static void
print_hex(struct trcfmt_eval *eval, uint64_t number, unsigned digits)
{
	char *dst = text_grow(eval, digits);
	for (unsigned i = digits; dst && i-- > 0; number >>= 4)
		dst[i] = "0123456789ABCDEF"[number & 15];
}

static void
print_decimal(struct trcfmt_eval *eval, uint64_t number)
{
	char digits[20];
	text_append(eval, digits, num_decimal(digits, number));
}

static void
print_signed(struct trcfmt_eval *eval, uint64_t number)
{
	if (number >> 63) {
		text_string(eval, "-");
		number = -number;
	}
	print_decimal(eval, number);
}

static void
print_octal(struct trcfmt_eval *eval, uint64_t number)
{
	unsigned digits = 1;
	for (uint64_t rest = number >> 3; rest; rest >>= 3)
		digits++;
	char *dst = text_grow(eval, digits);
	for (unsigned i = digits; dst && i-- > 0; number >>= 3)
		dst[i] = (char)('0' + (number & 7));
}

static void
print_x(struct trcfmt_eval *eval, const struct eval_value *value)
{
	const unsigned digits = 2 * code_size(eval, value->code);
	if (digits > 16)
		print_hex(eval, value->high, digits - 16);
	print_hex(eval, value->number, digits > 16 ? 16 : digits);
}

static void
print_bits(struct trcfmt_eval *eval, const struct eval_value *value)
{
	const uint32_t bits = value->code->bits, n = bits > 64 ? 64 : bits;
	char *dst = text_grow(eval, bits);
	for (uint32_t i = 0; dst && i < bits - n; i++)
		*dst++ = (char)('0' + (value->bytes && image_bit(eval, value->at + i)));
	for (uint32_t i = n; dst && i-- > 0;)
		*dst++ = (char)('0' + (value->number >> i & 1));
}

/* Returns the value of F4 or F8. */
static double
code_float(const struct eval_value *value)
{
	double number;
	const uint32_t low = (uint32_t)value->number;
	float single;
	memcpy(&single, &low, sizeof single);
	memcpy(&number, &value->number, sizeof number);
	return value->code->size == 4 ? (double)single : number;
}

/* Prints as %.4E, with a point in any locale. */
static void
print_float(struct trcfmt_eval *eval, const struct eval_value *value)
{
	char text[40], *dst = text;
	snprintf(text, sizeof text, "%.4E", code_float(value));
	if (*dst == '-')
		dst++;
	if (*dst >= '0' && *dst <= '9') {
		char *tail = strchr(text, 'E');
		if (tail - dst > 6) /* a locale's point of several bytes */
			memmove(dst + 2, tail - 4, strlen(tail - 4) + 1);
		dst[1] = '.';
	}
	text_string(eval, text);
}

/* Prints as ctime does (AIX trace reference 4.4, 3 (10)). Seconds are unsigned, up to the year
 * 2106. */
static void
print_time(struct trcfmt_eval *eval, uint64_t number)
{
	static const char days[] = "SunMonTueWedThuFriSat";
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	time_t seconds = (time_t)number;
	struct tm tm = {0};
	if (number > UINT32_MAX) {
		print_decimal(eval, number);
		return;
	}
	if (!eval->options.tz_local)
		seconds += (time_t)60 * eval->options.tz_minutes;
	if (!(eval->options.tz_local ? localtime_r(&seconds, &tm) : gmtime_r(&seconds, &tm))) {
		print_decimal(eval, number);
		return;
	}
	char text[80];
	snprintf(text, sizeof text, "%.3s %.3s %2d %02d:%02d:%02d %d", days + 3 * tm.tm_wday,
		months + 3 * tm.tm_mon, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
		1900 + tm.tm_year);
	text_string(eval, text);
}

/* Prints the name of a number, or the number if it has none. */
static void
print_named(struct trcfmt_eval *eval, const char *name, uint64_t number)
{
	if (name)
		text_clean(eval, name, strlen(name));
	else
		print_decimal(eval, number);
}

/* Returns the name in the user's table, else AIX's. */
static const char *
errno_name(const struct trcfmt_eval *eval, uint64_t number)
{
	const struct files_key key = {FILES_ERRNO, number, 0, 0};
	const char *name = eval->own_errno ? files_get_name(&eval->files, &key) : NULL;
	return name ? name : aix_errno_name(number);
}

static const char *
path_of(const struct trcfmt_eval *eval, uint64_t pid)
{
	const struct aix_attribution *attribution = eval->context->attribution;
	return attribution ? aix_attribution_path(attribution, pid) : NULL;
}

static void
print_text(struct trcfmt_eval *eval, const struct eval_value *value)
{
	const size_t begin = eval->text.bytes.size;
	text_clean(eval, value->bytes, value->size);
	const size_t printed = eval->text.bytes.size - begin;
	const struct format_code *code = value->kind == VALUE_CODE ? value->code : NULL;
	if (code && code->code == CODE_A && code->sized && printed < code->columns &&
		eval->flow != FLOW_END)
		text_blanks(eval, code->columns - printed);
}

static void
print_code(struct trcfmt_eval *eval, const struct eval_value *value)
{
	const uint64_t number = value->number;
	switch (value->code->code) {
	case CODE_A:
	case CODE_S: print_text(eval, value); break;
	case CODE_B: print_bits(eval, value); break;
	case CODE_X: print_x(eval, value); break;
	case CODE_D: print_signed(eval, number); break;
	case CODE_U: print_decimal(eval, number); break;
	case CODE_O: print_octal(eval, number); break;
	case CODE_F: print_float(eval, value); break;
	case CODE_T: print_time(eval, number); break;
	case CODE_E: print_named(eval, errno_name(eval, number), number); break;
	case CODE_P: print_named(eval, path_of(eval, number), number); break;
	/* A hook type has one digit, the flags of a 64-bit hook word have four. */
	case CODE_HT: print_hex(eval, number, eval->context->event->wide ? 4 : 1); break;
	default: print_hex(eval, number, 4); break;
	}
}

/* X0 prints no blank (AIX trace reference 3 (5)); A0.n only its n blanks. */
static bool
code_leaves_blank(const struct eval_value *value)
{
	return value->kind != VALUE_CODE || value->code->word || value->code->size ||
	       (value->code->code != CODE_X && value->code->code != CODE_A);
}

/* Macros print at least four digits (AIX trace reference 3 (28)). */
static unsigned
macro_digits(uint64_t number)
{
	unsigned digits = num_hex_width(number);
	return digits < 4 ? 4 : digits;
}

void
code_print(struct trcfmt_eval *eval, const struct eval_value *value)
{
	const size_t begin = text_datum(eval);
	switch (value->kind) {
	case VALUE_NONE: return;
	case VALUE_NUMBER: print_hex(eval, value->number, macro_digits(value->number)); break;
	case VALUE_TEXT: print_text(eval, value); break;
	case VALUE_CODE: print_code(eval, value); break;
	}
	if (eval->flow != FLOW_END)
		text_datum_end(eval, begin, code_leaves_blank(value));
}

bool
code_is_text(const struct eval_value *value)
{
	return value->kind == VALUE_TEXT ||
	       (value->kind == VALUE_CODE &&
		       (value->code->code == CODE_A || value->code->code == CODE_S));
}

/* Text equals a number only if it consists of decimal digits. */
bool
code_matches_number(const struct eval_value *value, uint64_t number)
{
	uint64_t own = value->number;
	if (value->kind == VALUE_CODE && value->code->code == CODE_F)
		return code_float(value) == (double)number;
	if (code_is_text(value) && !num_parse((const char *)value->bytes, value->size, &own))
		return false;
	return value->high == 0 && own == number;
}

bool
code_matches_bits(
	const struct trcfmt_eval *eval, const struct eval_value *value, uint64_t number)
{
	if (value->kind != VALUE_CODE || value->code->code != CODE_D)
		return false;
	const unsigned bits = 8 * code_size(eval, value->code);
	return bits < 64 && (value->number & (((uint64_t)1 << bits) - 1)) == number;
}

bool
code_matches(
	struct trcfmt_eval *eval, const struct eval_value *value, const void *text, size_t n)
{
	if (value->kind == VALUE_NONE)
		return false;
	if (code_is_text(value))
		return value->size == n && (n == 0 || memcmp(value->bytes, text, n) == 0);
	/* Other values are compared by their printed text, which is then removed. */
	struct buf *bytes = &eval->text.bytes;
	const size_t begin = bytes->size;
	if (value->kind == VALUE_NUMBER)
		print_hex(eval, value->number, macro_digits(value->number));
	else
		print_code(eval, value);
	bool same = eval->flow != FLOW_END && bytes->size - begin == n &&
		    (n == 0 || memcmp(bytes->data + begin, text, n) == 0);
	bytes->size = begin;
	return same;
}
