/* SPDX-License-Identifier: MIT */
/*
 * Reading the description of a line.
 *
 *     description = item { "," item } [ "," "..." ] ;
 *     item        = constant | part { part } [ "?" ] ;
 *     part        = field | literal ;           no field stands behind a field
 *     constant    = column "=" value ;
 *     field       = ( column | "skip" | "-" ) [ ":" form ] { "|" alternative } ;
 *     form        = "hex" [ digits ] | "0x" [ digits ] | "dec" [ digits ] | "oct" [ digits ]
 *                 | "auto" | "name" | "text" | "rest"
 *                 | spelling "/" spelling { "/" spelling } | alternative ;
 *     alternative = spelling [ "=" value ] ;    without a value: of an absent one
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

/* A description that is being read. Once failed, everything is passed over. */
struct describing {
	struct text_description *to;
	const char *text; /* of it, with a NUL at its end */
	size_t at;
	bool optional; /* what follows may be missing */
	bool failed;
	struct poly_error *error;
};

static bool fail(struct describing *it, size_t place, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Says what is wrong, and shows where; false. */
static bool
fail(struct describing *it, size_t place, const char *format, ...)
{
	char message[200], shown[CARET_ROOM];
	va_list list;
	if (it->failed)
		return false;
	va_start(list, format);
	vsnprintf(message, sizeof message, format, list);
	va_end(list);
	caret_show(shown, it->text, strlen(it->text), place);
	err_set(it->error, POLY_ERR_USAGE, POLY_NO_OFFSET, "text.columns: %s%s", message,
		shown);
	it->failed = true;
	return false;
}

/* True, and passed, where a character is the next one. */
static bool
next_is(struct describing *it, char c)
{
	bool is = !it->failed && it->text[it->at] == c;
	it->at += is;
	return is;
}

/* Characters of a name or a spelling. */
static size_t
word_length(const char *text)
{
	return strcspn(text, " ,/|=:?'");
}

/* Text between two apostrophes, the first of which is next. */
static bool
take_quoted(struct describing *it, struct text_part *part)
{
	size_t start = it->at++, n = strcspn(it->text + it->at, "'");
	if (!it->text[it->at + n])
		return fail(it, start, "no apostrophe ends what begins here");
	*part = (struct text_part){(uint16_t)it->at, (uint16_t)n};
	it->at += n + 1;
	return true;
}

static bool
take_spelling(struct describing *it, struct text_part *part)
{
	if (it->text[it->at] == '\'')
		return take_quoted(it, part);
	size_t n = word_length(it->text + it->at);
	*part = (struct text_part){(uint16_t)it->at, (uint16_t)n};
	it->at += n;
	return true;
}

static bool
is_part(const struct describing *it, struct text_part part, const char *word)
{
	return part.size == strlen(word) && memcmp(it->text + part.at, word, part.size) == 0;
}

/* Columns of names that the library gives. */
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

/* The largest value of a column of numbers. */
static uint64_t
column_most(enum poly_column column)
{
	return UINT64_MAX >> (64 - 8 * column_table[column].size);
}

/* The value that a name or number stands for in a column. */
static bool
take_value(struct describing *it, const struct text_field *field, uint64_t *value)
{
	struct text_part part;
	size_t start = it->at;
	if (!take_spelling(it, &part))
		return false;
	const char *text = it->text + part.at;
	enum poly_form form = column_table[field->column].form;
	const char *name = column_table[field->column].name;
	if (form == POLY_FORM_BOOL) {
		*value = is_part(it, part, "true");
		return *value || is_part(it, part, "false") ||
		       fail(it, start, "'%s' is true or false", name);
	}
	if (is_enumeration(form)) {
		int found = poly_enum_find(form, text, part.size);
		*value = (uint64_t)found;
		return found >= 0 ||
		       fail(it, start, "'%.*s' is no value of '%s': %s", part.size, text, name,
			       column_table[field->column].doc);
	}
	return (is_number(form) && num_parse(text, part.size, value) &&
		       *value <= column_most(field->column)) ||
	       fail(it, start, "'%s' is a number up to %llu, decimal or with 0x", name,
		       (unsigned long long)column_most(field->column));
}

static bool
add_word(struct describing *it, struct text_field *field, const struct text_word *word)
{
	struct text_description *to = it->to;
	size_t place = word->spelling.at;
	for (unsigned i = 0; i < field->words; i++) {
		struct text_part other = to->words[field->first_word + i].spelling;
		if (other.size == word->spelling.size &&
			memcmp(it->text + other.at, it->text + place, other.size) == 0)
			return fail(it, place, "the same spelling twice");
	}
	if (!word->spelling.size && !to->separator)
		return fail(it, place,
			"nothing can stand between separators only, "
			"and these are white space");
	if (to->word_count == TEXT_WORDS_MOST)
		return fail(it, place, "more than %d spellings", TEXT_WORDS_MOST);
	to->words[to->word_count++] = *word;
	field->words++;
	return true;
}

/* alternative, whose spelling was taken */
static bool
take_alternative(struct describing *it, struct text_field *field, struct text_part spelling)
{
	struct text_word word = {spelling, false, 0};
	if (next_is(it, '=')) {
		word.present = true;
		if (field->column == POLY_COLUMN_COUNT ||
			(!is_enumeration(column_table[field->column].form) &&
				!is_number(column_table[field->column].form)))
			return fail(it, it->at, "only numbers and enumerations have spellings");
		if (!take_value(it, field, &word.value))
			return false;
	}
	return add_word(it, field, &word);
}

/* The value of the i-th spelling between slashes. */
static uint64_t
slash_value(enum poly_form form, unsigned i)
{
	bool first_is_true = form == POLY_FORM_BOOL || form == POLY_FORM_BRANCH;
	return first_is_true ? 1 - i : i;
}

/* How many values an enumeration has. */
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

/* spelling "/" spelling { "/" spelling }, of which the first was taken */
static bool
take_slashes(struct describing *it, struct text_field *field, struct text_part spelling)
{
	enum poly_form form = field->column == POLY_COLUMN_COUNT
				      ? POLY_FORM_TEXT
				      : column_table[field->column].form;
	if (!is_enumeration(form))
		return fail(it, spelling.at,
			"spellings between slashes are for enumerations; write 'a=1|b=2' for "
			"those of a number");
	for (unsigned i = 0;; i++) {
		struct text_word word = {spelling, true, slash_value(form, i)};
		if (i == value_count(form))
			return fail(it, spelling.at, "'%s' has %u values",
				column_table[field->column].name, i);
		if (!add_word(it, field, &word))
			return false;
		if (!next_is(it, '/'))
			return true;
		if (!take_spelling(it, &spelling))
			return false;
	}
}

/* A form of numbers with the least of its digits; false: it is none. */
static bool
is_number_form(const struct describing *it, struct text_part part, struct text_field *field)
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
		const char *text = it->text + part.at;
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

/* form, up to its alternatives */
static bool
take_form(struct describing *it, struct text_field *field)
{
	struct text_part part;
	enum poly_form form = column_table[field->column].form;
	size_t start = it->at;
	if (!take_spelling(it, &part))
		return false;
	if (it->text[it->at] == '/')
		return take_slashes(it, field, part);
	if (it->text[it->at] == '=') {
		field->form = TEXT_WORDS;
		return take_alternative(it, field, part);
	}
	if (is_number(form) && is_number_form(it, part, field))
		return true;
	if (is_part(it, part, "name") && form == POLY_FORM_NAME)
		return true;
	if (is_part(it, part, "text") && form == POLY_FORM_TEXT)
		return true;
	if (is_part(it, part, "rest") && form == POLY_FORM_TEXT) {
		field->form = TEXT_REST;
		return true;
	}
	const char *expected = is_enumeration(form) ? "spellings as 'a/b' or 'a=name|b=name'"
			       : is_number(form)    ? "hex, 0x, dec, oct or auto"
			       : form == POLY_FORM_NAME ? "name"
							: "text or rest";
	return fail(it, start, "the form of '%s' is %s", column_table[field->column].name,
		expected);
}

/* Every name of an enumeration is its own spelling, unless others are given. */
static enum text_form
usual_form(enum poly_column column)
{
	switch ((unsigned)column_table[column].form) {
	case POLY_FORM_HEX: return TEXT_HEX;
	case POLY_FORM_DEC: return TEXT_DECIMAL;
	case POLY_FORM_NAME: return TEXT_NAME;
	case POLY_FORM_TEXT: return TEXT_TOKEN;
	default: return TEXT_WORDS;
	}
}

/* A column that lines can have. */
static bool
take_column(struct describing *it, struct text_field *field)
{
	const poly_columns never = POLY_HAS(record) | POLY_HAS(payload) | POLY_HAS(raw) |
				   POLY_HAS(verbatim) | POLY_HAS(origin) | POLY_HAS(site);
	size_t start = it->at, n = word_length(it->text + start);
	const char *name = it->text + start;
	field->column = poly_column_find(name, n);
	it->at += n;
	if (field->column == POLY_COLUMN_COUNT)
		return fail(it, start,
			n ? "there is no such column, polytrace-columns(5) lists them"
			  : "expected a column, or skip, or '...' at the end");
	poly_columns bit = (poly_columns)1 << field->column;
	if (bit & never)
		return fail(it, start, "no field can be the column '%.*s'", (int)n, name);
	if (bit & (it->to->columns | it->to->constants))
		return fail(it, start, "the column '%.*s' for the second time", (int)n, name);
	field->form = usual_form(field->column);
	return true;
}

static bool
take_constant(struct describing *it, struct text_field *field)
{
	field->constant = true;
	it->to->constants |= (poly_columns)1 << field->column;
	if (column_table[field->column].form == POLY_FORM_NAME)
		return take_spelling(it, &field->name) &&
		       (field->name.size || fail(it, it->at, "expected a name"));
	if (column_table[field->column].form == POLY_FORM_TEXT)
		return fail(it, it->at, "'text' can't be the same in all lines");
	return take_value(it, field, &field->value);
}

/* A step behind those that are there. */
static bool
add_step(struct describing *it, const struct text_step *step)
{
	if (it->to->step_count == TEXT_STEPS_MOST - 1)
		return fail(it, it->at, "more than %d parts", TEXT_STEPS_MOST - 1);
	it->to->steps[it->to->step_count++] = *step;
	return true;
}

/* A place for a field, which stays unused if it turns out to be no field. */
static struct text_field *
new_field(struct describing *it)
{
	if (it->to->field_count == TEXT_FIELDS_MOST) {
		fail(it, it->at, "more than %d fields", TEXT_FIELDS_MOST);
		return NULL;
	}
	struct text_field *field = &it->to->fields[it->to->field_count++];
	*field = (struct text_field){.column = POLY_COLUMN_COUNT,
		.form = TEXT_SKIP,
		.first_word = it->to->word_count};
	return field;
}

/* { "|" alternative } */
static bool
take_alternatives(struct describing *it, struct text_field *field)
{
	struct text_part spelling;
	while (next_is(it, '|')) {
		if (!take_spelling(it, &spelling) || !take_alternative(it, field, spelling))
			return false;
	}
	return true;
}

/* field */
static bool
take_field(struct describing *it)
{
	struct text_field *field = new_field(it);
	struct text_part name = {(uint16_t)it->at, (uint16_t)word_length(it->text + it->at)};
	if (!field)
		return false;
	uint8_t number = (uint8_t)(it->to->field_count - 1);
	if (is_part(it, name, "skip") || is_part(it, name, "-")) {
		it->at += name.size;
		return add_step(it, &(struct text_step){TEXT_STEP_FIELD, .field = number});
	}
	if (!take_column(it, field))
		return false;
	if (next_is(it, ':') && !take_form(it, field))
		return false;
	it->to->columns |= (poly_columns)1 << field->column;
	field->named = is_enumeration(column_table[field->column].form) && !field->words;
	return take_alternatives(it, field) &&
	       add_step(it, &(struct text_step){TEXT_STEP_FIELD, .field = number});
}

/* True where the item that is next is a constant. */
static bool
is_constant(const struct describing *it)
{
	size_t n = word_length(it->text + it->at);
	return n && it->text[it->at + n] == '=';
}

static bool
take_constant_item(struct describing *it)
{
	struct text_field *field = new_field(it);
	if (!field || !take_column(it, field))
		return false;
	it->at++;
	return take_constant(it, field);
}

/* part { part } [ "?" ] */
static bool
take_parts(struct describing *it)
{
	bool behind_field = false;
	for (;;) {
		char c = it->text[it->at];
		bool literal = c == '\'';
		if (behind_field && !literal)
			break;
		behind_field = !literal;
		struct text_step step = {.kind = TEXT_STEP_LITERAL};
		if (!literal && !take_field(it))
			return false;
		if (literal && (!take_quoted(it, &step.literal) || !add_step(it, &step)))
			return false;
		if (literal && !step.literal.size)
			return fail(it, it->at - 1, "expected a character between apostrophes");
		c = it->text[it->at];
		if (!c || c == ',' || c == '?')
			break;
	}
	return true;
}

/* Before an item that takes something of the line: the separator, if it is not the first one.
 */
static bool
begin_item(struct describing *it)
{
	struct text_description *to = it->to;
	if (to->step_count == 0)
		return true;
	struct text_step last = to->steps[to->step_count - 1];
	if (last.kind == TEXT_STEP_FIELD && to->fields[last.field].form == TEXT_REST)
		return fail(it, it->at, "nothing can stand behind the rest of the line");
	return add_step(it, &(struct text_step){.kind = TEXT_STEP_GAP});
}

/* item */
static bool
take_item(struct describing *it)
{
	struct text_description *to = it->to;
	if (is_constant(it))
		return take_constant_item(it);
	size_t gap = to->step_count;
	if (!begin_item(it) || !take_parts(it))
		return false;
	it->optional |= next_is(it, '?');
	if (it->optional && gap == 0)
		return fail(it, it->at - 1, "the first field can't be missing");
	if (it->optional)
		to->steps[gap].optional = true;
	return true;
}

static bool
take_description(struct describing *it)
{
	struct text_step end = {.kind = TEXT_STEP_END};
	do {
		if (strncmp(it->text + it->at, "...", 3) == 0) {
			it->at += 3;
			end.open = true;
			break;
		}
		if (!take_item(it))
			return false;
	} while (next_is(it, ','));
	if (it->text[it->at] && end.open)
		return fail(it, it->at, "nothing can stand behind '...'");
	if (it->text[it->at])
		return fail(it, it->at, "expected a comma%s",
			it->text[it->at] == ' ' ? ", and no blank" : "");
	if (!it->to->columns)
		return fail(it, it->at, "no field is a column");
	return add_step(it, &end);
}

/* The character that an option's value stands for. */
static bool
take_separator(const char *text, char *separator)
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
text_describe(struct text_description *to, const char *text, const char *separator,
	struct poly_error *error)
{
	size_t n = strlen(text);
	memset(to, 0, sizeof *to);
	if (!take_separator(separator, &to->separator))
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"option 'text.separator' is '%s', expected blank, tab or a character, "
			"around which blanks are passed over",
			separator);
	if (n > TEXT_DESCRIPTION_MOST)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"the description of the columns has %zu bytes, expected at most %d", n,
			TEXT_DESCRIPTION_MOST);
	memcpy(to->text, text, n + 1);
	struct describing it = {.to = to, .text = to->text, .error = error};
	for (size_t i = 0; i < n; i++) {
		if (text[i] < ' ' || text[i] > '~') {
			to->text[i] = 0;
			fail(&it, i, "expected a character of ASCII");
			return POLY_ERR_USAGE;
		}
	}
	return take_description(&it) ? POLY_OK : POLY_ERR_USAGE;
}
