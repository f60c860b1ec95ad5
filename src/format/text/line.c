/* SPDX-License-Identifier: MIT */
/*
 * Taking a line to pieces, as its description says.
 *
 * spec: polytrace-text(5)
 */
#include "format/text/text.h"

#include "base/num.h"
#include "model/columns.h"

#include <stdarg.h>
#include <stdio.h>

/* A line that is being taken to pieces. */
struct piecing {
	const struct text_description *description;
	const uint8_t *line, *at, *end;
	unsigned field; /* how many were taken */
	struct text_values *values;
	struct line_fault *fault;
};

static bool blame(const struct piecing *it, const uint8_t *place, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static bool
blame(const struct piecing *it, const uint8_t *place, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	vsnprintf(it->fault->text, sizeof it->fault->text, format, list);
	va_end(list);
	it->fault->rule = TEXT_T01;
	it->fault->column = (unsigned)(place - it->line) + 1;
	return false;
}

static const char *
field_name(const struct text_field *field)
{
	return field->column == POLY_COLUMN_COUNT ? "skip" : column_table[field->column].name;
}

/* What a field can be: its spellings and what its form is called. */
static void
list_expected(const struct piecing *it, const struct text_field *field, char *text, size_t size)
{
	static const char *const forms[] = {[TEXT_HEX] = "hexadecimal digits",
		[TEXT_DECIMAL] = "a decimal number",
		[TEXT_OCTAL] = "an octal number",
		[TEXT_AUTO] = "a number",
		[TEXT_WORDS] = "",
		[TEXT_NAME] = "a name",
		[TEXT_TOKEN] = "text",
		[TEXT_REST] = "text",
		[TEXT_SKIP] = "anything"};
	bool other = field->form != TEXT_WORDS || field->named;
	const char *last = field->named ? "a value of the column" : forms[field->form];
	size_t used = 0;
	*text = 0;
	for (unsigned i = 0; i < field->words && used + 40 < size; i++) {
		struct text_part part = it->description->words[field->first_word + i].spelling;
		const char *before = i == 0			       ? ""
				     : i + 1 == field->words && !other ? " or "
								       : ", ";
		used += (size_t)snprintf(text + used, size - used, "%s%.*s", before,
			part.size < 20 ? part.size : 20, text_at(it->description, part));
	}
	if (other)
		snprintf(text + used, size - used, "%s%s", used ? " or " : "", last);
}

static bool
blame_field(const struct piecing *it, const struct text_field *field,
	const struct text_bytes *bytes)
{
	char expected[120];
	list_expected(it, field, expected, sizeof expected);
	return blame(it, bytes->text, "field %u, '%s', is '%.*s', expected %s", it->field,
		field_name(field), line_shown(bytes->text, bytes->size),
		(const char *)bytes->text, expected);
}

size_t
text_before(const uint8_t *text, size_t n, const char *literal, size_t size)
{
	for (size_t i = 0; i + size <= n; i++) {
		if (text[i] == (uint8_t)*literal && memcmp(text + i, literal, size) == 0)
			return i;
	}
	return n;
}

/* The bytes from here to the end of the field that a step begins. */
static inline size_t
extent(const struct piecing *it, const struct text_step *step, const struct text_field *field)
{
	const struct text_description *description = it->description;
	const uint8_t *p = it->at;
	if (field->form == TEXT_REST)
		return (size_t)(it->end - p);
	if (description->separator) {
		const uint8_t *found = memchr(p, description->separator, (size_t)(it->end - p));
		p = found ? found : it->end;
		while (p != it->at && text_is_blank(p[-1]))
			p--;
	} else {
		while (p != it->end && !text_is_blank(*p))
			p++;
	}
	size_t n = (size_t)(p - it->at);
	if (step[1].kind == TEXT_STEP_LITERAL)
		n = text_before(
			it->at, n, text_at(description, step[1].literal), step[1].literal.size);
	return n;
}

const struct text_word *
text_word_of(const struct text_description *description, const struct text_field *field,
	bool present, uint64_t value)
{
	for (unsigned i = 0; i < field->words; i++) {
		const struct text_word *word = &description->words[field->first_word + i];
		if (word->present == present && (!present || word->value == value))
			return word;
	}
	return NULL;
}

/* The spelling that a field has, or NULL. */
static inline const struct text_word *
find_word(const struct piecing *it, const struct text_field *field,
	const struct text_bytes *bytes)
{
	for (unsigned i = 0; i < field->words; i++) {
		const struct text_word *word = &it->description->words[field->first_word + i];
		if (word->spelling.size == bytes->size &&
			memcmp(text_at(it->description, word->spelling), bytes->text,
				bytes->size) == 0)
			return word;
	}
	return NULL;
}

/* How many digits a number is written with, in a base. */
static unsigned
digits_of(uint64_t value, unsigned base)
{
	unsigned n = 1;
	while (value /= base)
		n++;
	return n;
}

static bool
parse_octal(const char *text, size_t n, uint64_t *value)
{
	*value = 0;
	for (size_t i = 0; i < n; i++) {
		if (text[i] < '0' || text[i] > '7' || *value >> 61)
			return false;
		*value = *value << 3 | (uint64_t)(text[i] - '0');
	}
	return n != 0;
}

/* Digits of a base, without a prefix. */
static bool
parse_digits(const char *text, size_t n, unsigned base, uint64_t *value)
{
	if (base == 8)
		return parse_octal(text, n, value);
	if (base == 16)
		return num_parse_hex(text, n, value);
	return (n < 2 || (text[1] | 0x20) != 'x') && num_parse(text, n, value);
}

static bool
has_upper(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (text[i] >= 'A' && text[i] <= 'Z')
			return true;
	}
	return false;
}

/* An unsigned number in the form of a field. */
static bool
parse_number(const struct text_field *field, const char *text, size_t n, uint64_t *value,
	bool *exact)
{
	bool prefixed = n > 2 && text[0] == '0' && (text[1] | 0x20) == 'x';
	bool octal = n > 1 && text[0] == '0' && !prefixed;
	unsigned base = field->form == TEXT_DECIMAL ? 10 : field->form == TEXT_OCTAL ? 8 : 16;
	bool automatic = field->form == TEXT_AUTO;
	if (automatic)
		base = prefixed ? 16 : octal ? 8 : 10;
	bool upper = has_upper(text, n);
	if (prefixed && base == 16) {
		text += 2;
		n -= 2;
	}
	if (!parse_digits(text, n, base, value))
		return false;
	unsigned digits = digits_of(*value, base);
	digits = digits < field->digits ? field->digits : digits;
	bool hex = column_table[field->column].form == POLY_FORM_HEX;
	bool prefix = automatic ? hex : field->prefix;
	bool same_base = !automatic || base == (hex ? 16 : 10);
	*exact = n == digits && !upper && same_base && (base != 16 || prefix == prefixed);
	return true;
}

/* A number of any column; those that may be negative have a sign. */
static bool
take_number(const struct piecing *it, const struct text_field *field,
	const struct text_bytes *bytes, uint64_t *value)
{
	const struct column_traits *traits = &column_table[field->column];
	const char *text = (const char *)bytes->text;
	bool exact, negative = traits->is_signed && bytes->size && *text == '-';
	if (!parse_number(field, text + negative, bytes->size - negative, value, &exact))
		return blame_field(it, field, bytes);
	uint64_t most = UINT64_MAX >> (64 - 8 * traits->size);
	if (traits->is_signed)
		most = (uint64_t)INT64_MAX + negative;
	if (*value > most)
		return blame(it, bytes->text,
			"field %u, '%s', is '%.*s', expected at most %llu", it->field,
			traits->name, line_shown(bytes->text, bytes->size), text,
			(unsigned long long)most);
	if (negative) {
		exact &= *value != 0;
		*value = 0 - *value;
	}
	it->values->exact &= exact;
	return true;
}

/* Digits of the commonest kind: hexadecimal, in lower case, and as many as are written. */
static inline bool
take_plain_hex(const struct text_field *field, const struct text_bytes *bytes, uint64_t *value)
{
	size_t prefix = field->prefix ? 2 : 0;
	if (field->form != TEXT_HEX || column_table[field->column].size != 8 ||
		(prefix && (bytes->text[0] != '0' || bytes->text[1] != 'x')))
		return false;
	unsigned n = num_hex_run(bytes->text + prefix, value);
	unsigned digits = num_hex_width(*value);
	digits = digits < field->digits ? field->digits : digits;
	return n == digits && n + prefix == bytes->size;
}

static bool
take_named(const struct piecing *it, const struct text_field *field,
	const struct text_bytes *bytes, uint64_t *value)
{
	enum poly_form form = column_table[field->column].form;
	const char *text = (const char *)bytes->text;
	if (form == POLY_FORM_BOOL) {
		*value = bytes->size == 4 && memcmp(text, "true", 4) == 0;
		bool is_false = bytes->size == 5 && memcmp(text, "false", 5) == 0;
		return *value || is_false || blame_field(it, field, bytes);
	}
	int found = field->named ? poly_enum_find(form, text, bytes->size) : -1;
	*value = (uint64_t)found;
	return found >= 0 || blame_field(it, field, bytes);
}

/* A value that is no spelling of the field. */
static bool
take_unspelled(const struct piecing *it, size_t number, const struct text_field *field)
{
	struct text_values *values = it->values;
	const struct text_bytes *bytes = &values->bytes[number];
	uint64_t *value = &values->value[number];
	if (!bytes->size && field->form != TEXT_REST)
		return blame_field(it, field, bytes);
	switch (field->form) {
	case TEXT_HEX:
	case TEXT_DECIMAL:
	case TEXT_OCTAL:
	case TEXT_AUTO: return take_number(it, field, bytes, value);
	case TEXT_WORDS: return take_named(it, field, bytes, value);
	case TEXT_SKIP: values->exact &= bytes->size == 1 && *bytes->text == '-'; break;
	case TEXT_NAME:
	case TEXT_TOKEN:
	case TEXT_REST: break;
	}
	return true;
}

/* The value of a field whose bytes are known. It is written in the first spelling that fits. */
static inline bool
take_value(const struct piecing *it, size_t number, const struct text_field *field)
{
	struct text_values *values = it->values;
	const struct text_bytes *bytes = &values->bytes[number];
	uint64_t *value = &values->value[number];
	const struct text_word *word = NULL;
	values->present[number] = true;
	if (!field->words)
		return take_plain_hex(field, bytes, value) || take_unspelled(it, number, field);
	if ((word = find_word(it, field, bytes))) {
		*value = word->value;
		values->present[number] = word->present;
	} else if (!take_unspelled(it, number, field)) {
		return false;
	}
	bool spelled = word || field->form <= TEXT_WORDS;
	values->exact &= !spelled || text_word_of(it->description, field,
					     values->present[number], *value) == word;
	return true;
}

static bool
take_field(struct piecing *it, const struct text_step *step)
{
	const struct text_field *field = &it->description->fields[step->field];
	struct text_bytes *bytes = &it->values->bytes[step->field];
	it->field++;
	*bytes = (struct text_bytes){it->at, extent(it, step, field)};
	it->at += bytes->size;
	return take_value(it, step->field, field);
}

static bool
take_literal(struct piecing *it, const struct text_step *step)
{
	const char *literal = text_at(it->description, step->literal);
	size_t n = step->literal.size;
	if ((size_t)(it->end - it->at) >= n && memcmp(it->at, literal, n) == 0) {
		it->at += n;
		return true;
	}
	return blame(it, it->at, "behind field %u is '%.*s', expected '%.*s'", it->field,
		line_shown(it->at, (size_t)(it->end - it->at)), (const char *)it->at, (int)n,
		literal);
}

/* Passes over white space, up to a separator that is some. */
static inline size_t
skip_blanks(struct piecing *it)
{
	const uint8_t *start = it->at, separator = (uint8_t)it->description->separator;
	while (it->at != it->end && text_is_blank(*it->at) && *it->at != separator)
		it->at++;
	return (size_t)(it->at - start);
}

/* Passes over a separator; *ended is set where the line may end here, and does. */
static bool
take_gap(struct piecing *it, const struct text_step *step, bool *ended)
{
	char separator = it->description->separator;
	const uint8_t *start = it->at;
	size_t blanks = skip_blanks(it);
	*ended = it->at == it->end && step->optional;
	if (*ended) {
		it->values->exact &= blanks == 0;
		return true;
	}
	if (it->at == it->end)
		return blame(
			it, it->at, "the line ends behind field %u, expected more", it->field);
	if (!separator) {
		it->values->exact &= blanks == 1 && *start == ' ';
		return blanks ||
		       blame(it, start, "behind field %u is '%.*s', expected white space",
			       it->field, line_shown(start, (size_t)(it->end - start)),
			       (const char *)start);
	}
	if (*it->at != (uint8_t)separator)
		return blame(it, it->at, "behind field %u is '%.*s', expected a separator",
			it->field, line_shown(it->at, (size_t)(it->end - it->at)),
			(const char *)it->at);
	it->at++;
	it->values->exact &= blanks + skip_blanks(it) == 0;
	return true;
}

static bool
take_end(struct piecing *it, const struct text_step *step)
{
	it->values->exact &= it->at == it->end;
	skip_blanks(it);
	if (it->at == it->end || step->open)
		return true;
	return blame(it, it->at, "behind field %u is '%.*s', expected the end of the line",
		it->field, line_shown(it->at, (size_t)(it->end - it->at)),
		(const char *)it->at);
}

bool
text_parse(const struct text_description *description, const uint8_t *line, size_t size,
	struct text_values *values, struct line_fault *fault)
{
	struct piecing it = {description, line, line, line + size, 0, values, fault};
	bool ended = false, good = true;
	memset(values->present, 0, description->field_count * sizeof *values->present);
	values->exact = skip_blanks(&it) == 0;
	for (const struct text_step *step = description->steps; good && !ended; step++) {
		switch (step->kind) {
		case TEXT_STEP_FIELD: good = take_field(&it, step); break;
		case TEXT_STEP_LITERAL: good = take_literal(&it, step); break;
		case TEXT_STEP_GAP: good = take_gap(&it, step, &ended); break;
		case TEXT_STEP_END: return take_end(&it, step);
		}
	}
	return good;
}
