/* SPDX-License-Identifier: MIT */
/*
 * Parses a line by its description.
 *
 * spec: polytrace-text(5)
 */
#include "format/text/text.h"

#include "base/num.h"
#include "model/columns.h"

#include <stdarg.h>
#include <stdio.h>

/* Position in a line, and its parsed values. */
struct text_parser {
	const struct text_description *description;
	const uint8_t *line, *at, *end;
	unsigned field; /* number of parsed fields */
	struct text_values *values;
	struct line_fault *fault;
};

/* Sets why the line is not a record, by the position of the fault. */
#define set_fault(parser, position, ...)                                                     \
	line_set_fault((parser)->fault, TEXT_X01, (size_t)((position) - (parser)->line) + 1, \
		__VA_ARGS__)

static const char *
field_name(const struct text_field *field)
{
	return field->column == POLY_COLUMN_COUNT ? "skip" : column_table[field->column].name;
}

/* Lists what a field accepts: its spellings and its form. */
static void
list_expected(const struct text_parser *parser, const struct text_field *field, char *text,
	size_t size)
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
	bool has_form = field->form != TEXT_WORDS || field->named;
	const char *last = field->named ? "a value of the column" : forms[field->form];
	size_t used = 0;
	*text = 0;
	for (unsigned i = 0; i < field->words && used + 40 < size; i++) {
		struct text_slice part =
			parser->description->words[field->first_word + i].spelling;
		const char *before = i == 0				  ? ""
				     : i + 1 == field->words && !has_form ? " or "
									  : ", ";
		used += (size_t)snprintf(text + used, size - used, "%s%.*s", before,
			part.size < 20 ? part.size : 20, text_at(parser->description, part));
	}
	if (has_form)
		snprintf(text + used, size - used, "%s%s", used ? " or " : "", last);
}

static bool
set_field_fault(const struct text_parser *parser, const struct text_field *field,
	const struct text_bytes *bytes)
{
	char expected[120];
	list_expected(parser, field, expected, sizeof expected);
	return set_fault(parser, bytes->text, "field %u, '%s', is '%.*s', expected %s",
		parser->field, field_name(field), line_shown(bytes->text, bytes->size),
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

/* Returns the size of the field that begins here. */
static inline size_t
field_size(const struct text_parser *parser, const struct text_step *step,
	const struct text_field *field)
{
	const struct text_description *description = parser->description;
	const uint8_t *p = parser->at;
	if (field->form == TEXT_REST)
		return (size_t)(parser->end - p);
	if (description->separator) {
		const uint8_t *found =
			memchr(p, description->separator, (size_t)(parser->end - p));
		p = found ? found : parser->end;
		while (p != parser->at && text_is_blank(p[-1]))
			p--;
	} else {
		while (p != parser->end && !text_is_blank(*p))
			p++;
	}
	size_t n = (size_t)(p - parser->at);
	if (step[1].kind == TEXT_STEP_LITERAL)
		n = text_before(parser->at, n, text_at(description, step[1].literal),
			step[1].literal.size);
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

/* Returns the spelling that matches the bytes, or NULL. */
static inline const struct text_word *
find_word(const struct text_parser *parser, const struct text_field *field,
	const struct text_bytes *bytes)
{
	for (unsigned i = 0; i < field->words; i++) {
		const struct text_word *word =
			&parser->description->words[field->first_word + i];
		if (word->spelling.size == bytes->size &&
			memcmp(text_at(parser->description, word->spelling), bytes->text,
				bytes->size) == 0)
			return word;
	}
	return NULL;
}

/* Returns the number of digits of a number in a base. */
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

/* Parses digits of a base, without a prefix. */
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

/* Parses an unsigned number in the form of a field. */
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

/* Parses a number of a column, with a sign if the column is signed. */
static bool
parse_signed_number(const struct text_parser *parser, const struct text_field *field,
	const struct text_bytes *bytes, uint64_t *value)
{
	const struct column_traits *traits = &column_table[field->column];
	const char *text = (const char *)bytes->text;
	bool exact, negative = traits->is_signed && bytes->size && *text == '-';
	if (!parse_number(field, text + negative, bytes->size - negative, value, &exact))
		return set_field_fault(parser, field, bytes);
	uint64_t max = UINT64_MAX >> (64 - 8 * traits->size);
	if (traits->is_signed)
		max = (uint64_t)INT64_MAX + negative;
	if (*value > max)
		return set_fault(parser, bytes->text,
			"field %u, '%s', is '%.*s', expected at most %llu", parser->field,
			traits->name, line_shown(bytes->text, bytes->size), text,
			(unsigned long long)max);
	if (negative) {
		exact &= *value != 0;
		*value = 0 - *value;
	}
	parser->values->exact &= exact;
	return true;
}

/* Parses the most common digits: hexadecimal, lower case, in the written width. */
static inline bool
parse_plain_hex(const struct text_field *field, const struct text_bytes *bytes, uint64_t *value)
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
parse_named(const struct text_parser *parser, const struct text_field *field,
	const struct text_bytes *bytes, uint64_t *value)
{
	enum poly_form form = column_table[field->column].form;
	const char *text = (const char *)bytes->text;
	if (form == POLY_FORM_BOOL) {
		*value = bytes->size == 4 && memcmp(text, "true", 4) == 0;
		bool is_false = bytes->size == 5 && memcmp(text, "false", 5) == 0;
		return *value || is_false || set_field_fault(parser, field, bytes);
	}
	int found = field->named ? poly_enum_find(form, text, bytes->size) : -1;
	*value = (uint64_t)found;
	return found >= 0 || set_field_fault(parser, field, bytes);
}

/* Parses a value that is not one of the field's spellings. */
static bool
parse_unspelled(const struct text_parser *parser, size_t number, const struct text_field *field)
{
	struct text_values *values = parser->values;
	const struct text_bytes *bytes = &values->bytes[number];
	uint64_t *value = &values->value[number];
	if (!bytes->size && field->form != TEXT_REST)
		return set_field_fault(parser, field, bytes);
	switch (field->form) {
	case TEXT_HEX:
	case TEXT_DECIMAL:
	case TEXT_OCTAL:
	case TEXT_AUTO: return parse_signed_number(parser, field, bytes, value);
	case TEXT_WORDS: return parse_named(parser, field, bytes, value);
	case TEXT_SKIP: values->exact &= bytes->size == 1 && *bytes->text == '-'; break;
	case TEXT_NAME:
	case TEXT_TOKEN:
	case TEXT_REST: break;
	}
	return true;
}

/* Parses the value of a field. The writer uses the first spelling of a value. */
static inline bool
parse_value(const struct text_parser *parser, size_t number, const struct text_field *field)
{
	struct text_values *values = parser->values;
	const struct text_bytes *bytes = &values->bytes[number];
	uint64_t *value = &values->value[number];
	const struct text_word *word = NULL;
	values->present[number] = true;
	if (!field->words)
		return parse_plain_hex(field, bytes, value) ||
		       parse_unspelled(parser, number, field);
	if ((word = find_word(parser, field, bytes))) {
		*value = word->value;
		values->present[number] = word->present;
	} else if (!parse_unspelled(parser, number, field)) {
		return false;
	}
	bool spelled = word || field->form <= TEXT_WORDS;
	values->exact &= !spelled || text_word_of(parser->description, field,
					     values->present[number], *value) == word;
	return true;
}

static bool
parse_field(struct text_parser *parser, const struct text_step *step)
{
	const struct text_field *field = &parser->description->fields[step->field];
	struct text_bytes *bytes = &parser->values->bytes[step->field];
	parser->field++;
	*bytes = (struct text_bytes){parser->at, field_size(parser, step, field)};
	parser->at += bytes->size;
	return parse_value(parser, step->field, field);
}

static bool
parse_literal(struct text_parser *parser, const struct text_step *step)
{
	const char *literal = text_at(parser->description, step->literal);
	size_t n = step->literal.size;
	if ((size_t)(parser->end - parser->at) >= n && memcmp(parser->at, literal, n) == 0) {
		parser->at += n;
		return true;
	}
	return set_fault(parser, parser->at, "after field %u is '%.*s', expected '%.*s'",
		parser->field, line_shown(parser->at, (size_t)(parser->end - parser->at)),
		(const char *)parser->at, (int)n, literal);
}

/* Skips white space, up to a separator that is white space itself. */
static inline size_t
skip_blanks(struct text_parser *parser)
{
	const uint8_t *start = parser->at, separator = (uint8_t)parser->description->separator;
	while (parser->at != parser->end && text_is_blank(*parser->at) &&
		*parser->at != separator)
		parser->at++;
	return (size_t)(parser->at - start);
}

/* Parses a separator; sets *ended if the line ends here and may do so. */
static bool
parse_gap(struct text_parser *parser, const struct text_step *step, bool *ended)
{
	char separator = parser->description->separator;
	const uint8_t *start = parser->at;
	size_t blanks = skip_blanks(parser);
	*ended = parser->at == parser->end && step->optional;
	if (*ended) {
		parser->values->exact &= blanks == 0;
		return true;
	}
	if (parser->at == parser->end)
		return set_fault(parser, parser->at,
			"the line ends after field %u, expected further fields", parser->field);
	if (!separator) {
		parser->values->exact &= blanks == 1 && *start == ' ';
		return blanks ||
		       set_fault(parser, start,
			       "after field %u is '%.*s', expected white space", parser->field,
			       line_shown(start, (size_t)(parser->end - start)),
			       (const char *)start);
	}
	if (*parser->at != (uint8_t)separator)
		return set_fault(parser, parser->at,
			"after field %u is '%.*s', expected a separator", parser->field,
			line_shown(parser->at, (size_t)(parser->end - parser->at)),
			(const char *)parser->at);
	parser->at++;
	parser->values->exact &= blanks + skip_blanks(parser) == 0;
	return true;
}

static bool
parse_end(struct text_parser *parser, const struct text_step *step)
{
	parser->values->exact &= parser->at == parser->end;
	skip_blanks(parser);
	if (parser->at == parser->end || step->open)
		return true;
	return set_fault(parser, parser->at,
		"after field %u is '%.*s', expected the end of the line", parser->field,
		line_shown(parser->at, (size_t)(parser->end - parser->at)),
		(const char *)parser->at);
}

bool
text_parse(const struct text_description *description, const uint8_t *line, size_t size,
	struct text_values *values, struct line_fault *fault)
{
	struct text_parser parser = {description, line, line, line + size, 0, values, fault};
	bool ended = false, good = true;
	memset(values->present, 0, description->field_count * sizeof *values->present);
	values->exact = skip_blanks(&parser) == 0;
	for (const struct text_step *step = description->steps; good && !ended; step++) {
		switch (step->kind) {
		case TEXT_STEP_FIELD: good = parse_field(&parser, step); break;
		case TEXT_STEP_LITERAL: good = parse_literal(&parser, step); break;
		case TEXT_STEP_GAP: good = parse_gap(&parser, step, &ended); break;
		case TEXT_STEP_END: return parse_end(&parser, step);
		}
	}
	return good;
}
