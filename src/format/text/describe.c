/* SPDX-License-Identifier: MIT */
/*
 * Compiles the description of a line.
 *
 *     description = item { "," item } [ "," "..." ] ;
 *     item        = constant | part { part } [ "?" ] ;
 *     part        = field | literal ;           no field follows a field
 *     constant    = column "=" value ;
 *     field       = ( column | "skip" | "-" ) [ ":" form ] { "|" alternative } ;
 *     form        = "hex" [ digits ] | "0x" [ digits ] | "dec" [ digits ] | "oct" [ digits ]
 *                 | "auto" | "name" | "text" | "rest"
 *                 | spelling "/" spelling { "/" spelling } | alternative ;
 *     alternative = spelling [ "=" value ] ;    without "=": spells an absent value
 *     spelling    = { any but blanks , / | = : ? ' } | "'" { any but ' } "'" ;
 *     literal     = "'" any but ' { any but ' } "'" ;
 *
 * spec: polytrace-text(5)
 */
#include "format/text/text.h"

#include "base/num.h"
#include "lang/caret.h"
#include "model/columns.h"

#include <stdarg.h>
#include <stdio.h>

/* Position in a description. After an error all parsing fails. */
struct description_parser {
	struct text_description *description;
	const char *text; /* of the description, NUL-terminated */
	size_t at;
	bool optional; /* the following fields are optional */
	bool failed;
	struct poly_error *error;
};

static bool set_error(struct description_parser *parser, size_t position, const char *format,
	...) __attribute__((format(printf, 3, 4)));

/* Sets the error and marks its position by a caret; returns false. */
static bool
set_error(struct description_parser *parser, size_t position, const char *format, ...)
{
	char message[200], shown[CARET_ROOM];
	va_list list;
	if (parser->failed)
		return false;
	va_start(list, format);
	vsnprintf(message, sizeof message, format, list);
	va_end(list);
	caret_show(shown, parser->text, strlen(parser->text), position);
	err_usage(parser->error, "text.columns: %s%s", message, shown);
	parser->failed = true;
	return false;
}

/* Consumes a character if it is next; false if it is not. */
static bool
accept_char(struct description_parser *parser, char c)
{
	bool is = !parser->failed && parser->text[parser->at] == c;
	parser->at += is;
	return is;
}

/* Returns the length of a name or a spelling. */
static size_t
word_length(const char *text)
{
	return strcspn(text, " ,/|=:?'");
}

/* Parses text between two apostrophes; the first one is next. */
static bool
parse_quoted(struct description_parser *parser, struct text_slice *part)
{
	size_t start = parser->at++, n = strcspn(parser->text + parser->at, "'");
	if (!parser->text[parser->at + n])
		return set_error(parser, start, "missing closing apostrophe");
	*part = (struct text_slice){(uint16_t)parser->at, (uint16_t)n};
	parser->at += n + 1;
	return true;
}

static bool
parse_spelling(struct description_parser *parser, struct text_slice *part)
{
	if (parser->text[parser->at] == '\'')
		return parse_quoted(parser, part);
	size_t n = word_length(parser->text + parser->at);
	*part = (struct text_slice){(uint16_t)parser->at, (uint16_t)n};
	parser->at += n;
	return true;
}

static bool
is_slice(const struct description_parser *parser, struct text_slice part, const char *word)
{
	return part.size == strlen(word) &&
	       memcmp(parser->text + part.at, word, part.size) == 0;
}

/* True for columns whose values the library names. */
static bool
is_enumeration(enum poly_form form)
{
	return form <= POLY_FORM_FLAGS || form == POLY_FORM_BOOL;
}

static bool
is_number(enum poly_form form)
{
	return form == POLY_FORM_DEC || form == POLY_FORM_HEX;
}

/* Returns the maximum value of a column of numbers. */
static uint64_t
column_max(enum poly_column column)
{
	return UINT64_MAX >> (64 - 8 * column_table[column].size);
}

/* Parses a name or number as a value of a column. */
static bool
parse_value(struct description_parser *parser, const struct text_field *field, uint64_t *value)
{
	struct text_slice part;
	size_t start = parser->at;
	if (!parse_spelling(parser, &part))
		return false;
	const char *text = parser->text + part.at;
	enum poly_form form = column_table[field->column].form;
	const char *name = column_table[field->column].name;
	if (form == POLY_FORM_BOOL) {
		*value = is_slice(parser, part, "true");
		return *value || is_slice(parser, part, "false") ||
		       set_error(parser, start, "invalid value of '%s', expected true or false",
			       name);
	}
	if (is_enumeration(form)) {
		int found = poly_enum_find(form, text, part.size);
		*value = (uint64_t)found;
		return found >= 0 ||
		       set_error(parser, start, "invalid value '%.*s' of '%s': %s", part.size,
			       text, name, column_table[field->column].doc);
	}
	return (is_number(form) && num_parse(text, part.size, value) &&
		       *value <= column_max(field->column)) ||
	       set_error(parser, start,
		       "invalid value of '%s', expected a number up to %llu, decimal or with "
		       "0x",
		       name, (unsigned long long)column_max(field->column));
}

static bool
add_word(struct description_parser *parser, struct text_field *field,
	const struct text_word *word)
{
	struct text_description *description = parser->description;
	size_t position = word->spelling.at;
	for (unsigned i = 0; i < field->words; i++) {
		struct text_slice spelling = description->words[field->first_word + i].spelling;
		if (spelling.size == word->spelling.size &&
			memcmp(parser->text + spelling.at, parser->text + position,
				spelling.size) == 0)
			return set_error(parser, position, "duplicate spelling");
	}
	if (!word->spelling.size && !description->separator)
		return set_error(parser, position,
			"an empty spelling needs a separator other than white space");
	if (description->word_count == TEXT_WORDS_MAX)
		return set_error(parser, position, "more than %d spellings", TEXT_WORDS_MAX);
	description->words[description->word_count++] = *word;
	field->words++;
	return true;
}

/* Parses an alternative after its spelling. */
static bool
parse_alternative(
	struct description_parser *parser, struct text_field *field, struct text_slice spelling)
{
	struct text_word word = {spelling, false, 0};
	if (accept_char(parser, '=')) {
		word.present = true;
		if (field->column == POLY_COLUMN_COUNT ||
			(!is_enumeration(column_table[field->column].form) &&
				!is_number(column_table[field->column].form)))
			return set_error(parser, parser->at,
				"only numbers and enumerations have spellings");
		if (!parse_value(parser, field, &word.value))
			return false;
	}
	return add_word(parser, field, &word);
}

/* Returns the value of the i-th spelling between slashes. */
static uint64_t
slash_value(enum poly_form form, unsigned i)
{
	bool first_is_true = form == POLY_FORM_BOOL || form == POLY_FORM_BRANCH;
	return first_is_true ? 1 - i : i;
}

/* Returns the number of values of an enumeration. */
static unsigned
value_count(enum poly_form form)
{
	unsigned n = 0;
	if (form == POLY_FORM_BOOL)
		return 2;
	while (poly_enum_name(form, n))
		n++;
	return n;
}

/* Parses spelling "/" spelling { "/" spelling } after the first spelling. */
static bool
parse_slashes(
	struct description_parser *parser, struct text_field *field, struct text_slice spelling)
{
	enum poly_form form = field->column == POLY_COLUMN_COUNT
				      ? POLY_FORM_TEXT
				      : column_table[field->column].form;
	if (!is_enumeration(form))
		return set_error(parser, spelling.at,
			"only enumerations have spellings between slashes; write 'a=1|b=2' for "
			"a number");
	for (unsigned i = 0;; i++) {
		struct text_word word = {spelling, true, slash_value(form, i)};
		if (i == value_count(form))
			return set_error(parser, spelling.at, "'%s' has %u values",
				column_table[field->column].name, i);
		if (!add_word(parser, field, &word))
			return false;
		if (!accept_char(parser, '/'))
			return true;
		if (!parse_spelling(parser, &spelling))
			return false;
	}
}

/* Parses a form of numbers with its minimum digits; false: not such a form. */
static bool
is_number_form(const struct description_parser *parser, struct text_slice part,
	struct text_field *field)
{
	static const struct {
		const char *name;
		enum text_form form;
		bool prefix;
	} forms[] = {{"hex", TEXT_HEX, false}, {"0x", TEXT_HEX, true},
		{"dec", TEXT_DECIMAL, false}, {"oct", TEXT_OCTAL, false},
		{"auto", TEXT_AUTO, false}};
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		size_t n = strlen(forms[i].name);
		uint64_t digits = 0;
		const char *text = parser->text + part.at;
		if (part.size < n || memcmp(text, forms[i].name, n) != 0)
			continue;
		bool counted = part.size > n;
		if (counted && (!num_parse(text + n, part.size - n, &digits) || digits == 0 ||
				       digits > 16 || forms[i].form == TEXT_AUTO))
			continue;
		field->form = forms[i].form;
		field->prefix = forms[i].prefix;
		field->digits = (uint8_t)digits;
		return true;
	}
	return false;
}

/* Parses a form, up to its alternatives. */
static bool
parse_form(struct description_parser *parser, struct text_field *field)
{
	struct text_slice part;
	enum poly_form form = column_table[field->column].form;
	size_t start = parser->at;
	if (!parse_spelling(parser, &part))
		return false;
	if (parser->text[parser->at] == '/')
		return parse_slashes(parser, field, part);
	if (parser->text[parser->at] == '=') {
		field->form = TEXT_WORDS;
		return parse_alternative(parser, field, part);
	}
	if (is_number(form) && is_number_form(parser, part, field))
		return true;
	if (is_slice(parser, part, "name") && form == POLY_FORM_NAME)
		return true;
	if (is_slice(parser, part, "text") && form == POLY_FORM_TEXT)
		return true;
	if (is_slice(parser, part, "rest") && form == POLY_FORM_TEXT) {
		field->form = TEXT_REST;
		return true;
	}
	const char *expected = is_enumeration(form) ? "spellings as 'a/b' or 'a=name|b=name'"
			       : is_number(form)    ? "hex, 0x, dec, oct or auto"
			       : form == POLY_FORM_NAME ? "name"
							: "text or rest";
	return set_error(parser, start, "invalid form of '%s', expected %s",
		column_table[field->column].name, expected);
}

/* Returns the default form of a column. Enumerations are spelled by their names. */
static enum text_form
default_form(enum poly_column column)
{
	switch ((unsigned)column_table[column].form) {
	case POLY_FORM_HEX: return TEXT_HEX;
	case POLY_FORM_DEC: return TEXT_DECIMAL;
	case POLY_FORM_NAME: return TEXT_NAME;
	case POLY_FORM_TEXT: return TEXT_TOKEN;
	default: return TEXT_WORDS;
	}
}

/* Parses a column that a description may name. */
static bool
parse_column(struct description_parser *parser, struct text_field *field)
{
	const poly_columns never =
		POLY_COLUMNS_INIT(record, payload, raw, verbatim, origin, site);
	size_t start = parser->at, n = word_length(parser->text + start);
	const char *name = parser->text + start;
	field->column = poly_column_find(name, n);
	parser->at += n;
	if (field->column == POLY_COLUMN_COUNT)
		return set_error(parser, start,
			n ? "no such column; see polytrace-columns(5)"
			  : "expected a column, skip, or '...' at the end");
	if (poly_columns_has(never, field->column))
		return set_error(
			parser, start, "the column '%.*s' cannot be a field", (int)n, name);
	if (poly_columns_has(parser->description->columns, field->column) ||
		poly_columns_has(parser->description->constants, field->column))
		return set_error(parser, start, "duplicate column '%.*s'", (int)n, name);
	field->form = default_form(field->column);
	return true;
}

static bool
parse_constant(struct description_parser *parser, struct text_field *field)
{
	field->constant = true;
	poly_columns_add(&parser->description->constants, field->column);
	if (column_table[field->column].form == POLY_FORM_NAME)
		return parse_spelling(parser, &field->name) &&
		       (field->name.size || set_error(parser, parser->at, "expected a name"));
	if (column_table[field->column].form == POLY_FORM_TEXT)
		return set_error(parser, parser->at, "the column 'text' cannot be a constant");
	return parse_value(parser, field, &field->value);
}

/* Appends a step. */
static bool
add_step(struct description_parser *parser, const struct text_step *step)
{
	if (parser->description->step_count == TEXT_STEPS_MAX - 1)
		return set_error(parser, parser->at,
			"more than %d fields, literals and separators", TEXT_STEPS_MAX - 1);
	parser->description->steps[parser->description->step_count++] = *step;
	return true;
}

/* Appends a field. */
static struct text_field *
add_field(struct description_parser *parser)
{
	if (parser->description->field_count == TEXT_FIELDS_MAX) {
		set_error(parser, parser->at, "more than %d fields", TEXT_FIELDS_MAX);
		return NULL;
	}
	struct text_field *field =
		&parser->description->fields[parser->description->field_count++];
	*field = (struct text_field){.column = POLY_COLUMN_COUNT,
		.form = TEXT_SKIP,
		.first_word = parser->description->word_count};
	return field;
}

/* Parses { "|" alternative }. */
static bool
parse_alternatives(struct description_parser *parser, struct text_field *field)
{
	struct text_slice spelling;
	while (accept_char(parser, '|')) {
		if (!parse_spelling(parser, &spelling) ||
			!parse_alternative(parser, field, spelling))
			return false;
	}
	return true;
}

/* Parses a field. */
static bool
parse_field(struct description_parser *parser)
{
	struct text_field *field = add_field(parser);
	struct text_slice name = {
		(uint16_t)parser->at, (uint16_t)word_length(parser->text + parser->at)};
	if (!field)
		return false;
	uint8_t number = (uint8_t)(parser->description->field_count - 1);
	if (is_slice(parser, name, "skip") || is_slice(parser, name, "-")) {
		parser->at += name.size;
		return add_step(parser, &(struct text_step){TEXT_STEP_FIELD, .field = number});
	}
	if (!parse_column(parser, field))
		return false;
	if (accept_char(parser, ':') && !parse_form(parser, field))
		return false;
	poly_columns_add(&parser->description->columns, field->column);
	field->named = is_enumeration(column_table[field->column].form) && !field->words;
	return parse_alternatives(parser, field) &&
	       add_step(parser, &(struct text_step){TEXT_STEP_FIELD, .field = number});
}

/* True if the next item is a constant. */
static bool
is_constant(const struct description_parser *parser)
{
	size_t n = word_length(parser->text + parser->at);
	return n && parser->text[parser->at + n] == '=';
}

static bool
parse_constant_item(struct description_parser *parser)
{
	struct text_field *field = add_field(parser);
	if (!field || !parse_column(parser, field))
		return false;
	parser->at++;
	return parse_constant(parser, field);
}

/* Parses part { part }. */
static bool
parse_item_parts(struct description_parser *parser)
{
	bool after_field = false;
	for (;;) {
		char c = parser->text[parser->at];
		bool literal = c == '\'';
		if (after_field && !literal)
			break;
		after_field = !literal;
		struct text_step step = {.kind = TEXT_STEP_LITERAL};
		if (!literal && !parse_field(parser))
			return false;
		if (literal &&
			(!parse_quoted(parser, &step.literal) || !add_step(parser, &step)))
			return false;
		if (literal && !step.literal.size)
			return set_error(parser, parser->at - 1,
				"empty literal, expected a character between the apostrophes");
		c = parser->text[parser->at];
		if (!c || c == ',' || c == '?')
			break;
	}
	return true;
}

/* Appends the separator before an item of the line, unless it is the first one. */
static bool
begin_item(struct description_parser *parser)
{
	struct text_description *description = parser->description;
	if (description->step_count == 0)
		return true;
	struct text_step last = description->steps[description->step_count - 1];
	if (last.kind == TEXT_STEP_FIELD && description->fields[last.field].form == TEXT_REST)
		return set_error(parser, parser->at, "no field can follow the form 'rest'");
	return add_step(parser, &(struct text_step){.kind = TEXT_STEP_GAP});
}

/* Parses an item. */
static bool
parse_item(struct description_parser *parser)
{
	struct text_description *description = parser->description;
	if (is_constant(parser))
		return parse_constant_item(parser);
	size_t gap = description->step_count;
	if (!begin_item(parser) || !parse_item_parts(parser))
		return false;
	parser->optional |= accept_char(parser, '?');
	if (parser->optional && gap == 0)
		return set_error(parser, parser->at - 1, "the first field cannot be optional");
	if (parser->optional)
		description->steps[gap].optional = true;
	return true;
}

static bool
parse_description(struct description_parser *parser)
{
	struct text_step end = {.kind = TEXT_STEP_END};
	do {
		if (strncmp(parser->text + parser->at, "...", 3) == 0) {
			parser->at += 3;
			end.open = true;
			break;
		}
		if (!parse_item(parser))
			return false;
	} while (accept_char(parser, ','));
	if (parser->text[parser->at] && end.open)
		return set_error(parser, parser->at, "no field can follow '...'");
	if (parser->text[parser->at])
		return set_error(parser, parser->at, "expected a comma%s",
			parser->text[parser->at] == ' ' ? " without a blank" : "");
	if (poly_columns_empty(parser->description->columns))
		return set_error(parser, parser->at, "no field is a column");
	return add_step(parser, &end);
}

/* Parses the value of the option text.separator. */
static bool
parse_separator(const char *text, char *separator)
{
	if (strcmp(text, "blank") == 0)
		*separator = 0;
	else if (strcmp(text, "tab") == 0)
		*separator = '\t';
	else if (strlen(text) == 1 && *text > ' ' && *text < 0x7f)
		*separator = *text;
	else
		return false;
	return true;
}

enum poly_status
text_describe(struct text_description *description, const char *text, const char *separator,
	struct poly_error *error)
{
	size_t n = strlen(text);
	memset(description, 0, sizeof *description);
	if (!parse_separator(separator, &description->separator))
		return err_usage(error,
			"option 'text.separator' is '%s', expected blank, tab or a printable "
			"character",
			separator);
	if (n > TEXT_DESCRIPTION_MAX)
		return err_usage(error,
			"option 'text.columns' has %zu bytes, expected at most %d", n,
			TEXT_DESCRIPTION_MAX);
	memcpy(description->text, text, n + 1);
	struct description_parser parser = {
		.description = description, .text = description->text, .error = error};
	for (size_t i = 0; i < n; i++) {
		if (text[i] < ' ' || text[i] > '~') {
			description->text[i] = 0;
			set_error(&parser, i, "expected a printable ASCII character");
			return POLY_ERR_USAGE;
		}
	}
	return parse_description(&parser) ? POLY_OK : POLY_ERR_USAGE;
}
