/* SPDX-License-Identifier: MIT */
/* A position in a line. */
#ifndef FORMAT_RISCV_LOG_SCAN_H
#define FORMAT_RISCV_LOG_SCAN_H

#include "format/riscv_log/riscv_log.h"

#include "base/num.h"

/* The rest of a line; no byte from end on is read. */
struct rv_scan {
	const uint8_t *p, *end;
};

/* A hexadecimal number. */
struct rv_number {
	uint64_t value; /* of its last 16 digits */
	struct rv_span digits;
};

static inline struct rv_scan
scan_span(struct rv_span span)
{
	/* A span without a line is NULL. */
	return (struct rv_scan){span.text, span.size ? span.text + span.size : span.text};
}

static inline bool
scan_ended(const struct rv_scan *at)
{
	return at->p == at->end;
}

/* Returns the next byte; 0 at the end. */
static inline uint8_t
scan_peek(const struct rv_scan *at)
{
	return at->p == at->end ? 0 : *at->p;
}

/* Skips blanks and tabs; false: there are none. */
static inline bool
scan_blanks(struct rv_scan *at)
{
	const uint8_t *start = at->p;
	while (at->p != at->end && (*at->p == ' ' || *at->p == '\t'))
		at->p++;
	return at->p != start;
}

/* Returns whether a byte is one of a set. */
static inline bool
scan_is(uint8_t c, const char *set)
{
	for (; *set; set++) {
		if (c == (uint8_t)*set)
			return true;
	}
	return false;
}

/* Skips a byte if it is next. */
static inline bool
scan_byte(struct rv_scan *at, char c)
{
	if (at->p == at->end || *at->p != (uint8_t)c)
		return false;
	at->p++;
	return true;
}

/* Skips a text if it is next. */
static inline bool
scan_text(struct rv_scan *at, const char *text, size_t n)
{
	if ((size_t)(at->end - at->p) < n || memcmp(at->p, text, n) != 0)
		return false;
	at->p += n;
	return true;
}

#define SCAN(at, text) scan_text((at), (text), sizeof(text) - 1)

/* Parses a decimal number that fits in 64 bits. */
static inline bool
scan_decimal(struct rv_scan *at, uint64_t *value)
{
	const uint8_t *start = at->p;
	uint64_t v = 0;
	bool fits = true;
	for (; at->p != at->end && (uint8_t)(*at->p - '0') < 10; at->p++) {
		const unsigned digit = *at->p - '0';
		fits &= v < UINT64_MAX / 10;
		v = v * 10 + digit;
	}
	*value = v;
	return at->p != start && fits;
}

/* Parses a decimal number up to a maximum. */
static inline bool
scan_below(struct rv_scan *at, uint64_t max, uint64_t *value)
{
	return scan_decimal(at, value) && *value <= max;
}

/* Parses hexadecimal digits, of any number and case. */
static inline bool
scan_digits(struct rv_scan *at, struct rv_number *number)
{
	const uint8_t *start = at->p;
	number->value = 0;
	if (at->end - at->p >= 16)
		at->p += num_hex_run(at->p, &number->value);
	for (int digit; at->p != at->end && (digit = num_hex_digit((char)*at->p)) >= 0; at->p++)
		number->value = number->value << 4 | (unsigned)digit;
	number->digits = (struct rv_span){start, (size_t)(at->p - start)};
	return at->p != start;
}

/* Parses 0x and hexadecimal digits. */
static inline bool
scan_hex(struct rv_scan *at, struct rv_number *number)
{
	return SCAN(at, "0x") && scan_digits(at, number);
}

/* As scan_hex, for a number of at most 64 bits. */
static inline bool
scan_hex64(struct rv_scan *at, uint64_t *value)
{
	struct rv_number number = {.value = 0};
	const bool good = scan_hex(at, &number) && number.digits.size <= 16;
	*value = number.value;
	return good;
}

/* Returns the bytes up to a blank or the end. */
static inline struct rv_span
scan_word(struct rv_scan *at)
{
	const uint8_t *start = at->p;
	while (at->p != at->end && *at->p != ' ' && *at->p != '\t')
		at->p++;
	return (struct rv_span){start, (size_t)(at->p - start)};
}

/* Returns the bytes up to another one, which is skipped, or the end. */
static inline struct rv_span
scan_until(struct rv_scan *at, char c)
{
	const size_t n = (size_t)(at->end - at->p);
	const uint8_t *start = at->p, *found = n ? memchr(start, c, n) : NULL;
	at->p = found ? found + 1 : at->end;
	return (struct rv_span){start, found ? (size_t)(found - start) : n};
}

/* Returns the rest. */
static inline struct rv_span
scan_rest(struct rv_scan *at)
{
	const uint8_t *start = at->p;
	at->p = at->end;
	return (struct rv_span){start, (size_t)(at->end - start)};
}

/* Returns the first line of a span without its line end, and skips it. */
static inline struct rv_span
scan_line(struct rv_scan *at)
{
	struct rv_span line = scan_until(at, '\n');
	line.size -= line.size && line.text[line.size - 1] == '\r';
	return line;
}

/* Removes trailing blanks. */
static inline struct rv_span
scan_trim(struct rv_span span)
{
	while (span.size &&
		(span.text[span.size - 1] == ' ' || span.text[span.size - 1] == '\t'))
		span.size--;
	return span;
}

static inline bool
span_is(struct rv_span span, const char *text)
{
	return span.size == strlen(text) && memcmp(span.text, text, span.size) == 0;
}

/* Notes a number that varies. */
static inline void
scan_vary(struct rv_record *record, struct rv_span digits, unsigned form, unsigned column)
{
	struct rv_fields *fields = record->fields;
	if (!fields)
		return;
	if (fields->count < RV_FIELDS_MAX && digits.size <= UINT8_MAX)
		fields->field[fields->count++] = (struct rv_field){
			digits.text, (uint8_t)digits.size, (uint8_t)form, (uint8_t)column};
	else
		fields->count = RV_FIELDS_MAX + 1;
}

/* Sets the value of an effect. */
static inline void
scan_set_value(struct rv_effect *effect, const struct rv_number *number)
{
	effect->has_value = true;
	effect->value = number->value;
	effect->size = (uint32_t)((number->digits.size + 1) / 2);
	if (number->digits.size > 2 * RV_NUMBER_BYTES)
		effect->digits = number->digits;
}

#endif
