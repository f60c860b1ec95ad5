/* SPDX-License-Identifier: MIT */
/*
 * Line templates: the fields that vary while the rest of the row stays the same.
 *
 * spec: polytrace-text(5)
 */
#include "format/text/text.h"

#include "model/columns.h"

/* Columns that repeat when an instruction is executed again. */
#define STATIC                                                                         \
	pc, opcode, next_pc, target, fallthrough, immediate, process, thread, real_pc, \
		real_target

/* True for characters that are valid in a number. */
static bool
is_digit_like(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* True if no number can be one of the field's spellings. */
static bool
has_plain_words(const struct text_description *description, const struct text_field *field)
{
	for (unsigned i = 0; i < field->words; i++) {
		struct text_slice part = description->words[field->first_word + i].spelling;
		if (part.size && is_digit_like(*text_at(description, part)))
			return false;
	}
	return true;
}

/* True if a number ends with the field, whatever its digits are. */
static bool
ends_plainly(const struct text_description *description, const struct text_step *step)
{
	return step[1].kind != TEXT_STEP_LITERAL ||
	       !is_digit_like(*text_at(description, step[1].literal));
}

poly_columns
text_plan_variable_fields(struct text_description *description, const char *comment)
{
	poly_columns windows = POLY_NO_COLUMNS;
	if (is_digit_like(description->separator) || is_digit_like(*comment))
		return windows;
	for (const struct text_step *step = description->steps; step->kind != TEXT_STEP_END;
		step++) {
		struct text_field *field = &description->fields[step->field];
		if (step->kind != TEXT_STEP_FIELD || field->column == POLY_COLUMN_COUNT ||
			(field->form != TEXT_HEX && field->form != TEXT_DECIMAL))
			continue;
		field->variable = column_table[field->column].size == 8 &&
				  !poly_columns_has(POLY_COLUMNS(STATIC), field->column) &&
				  has_plain_words(description, field) &&
				  ends_plainly(description, step);
		if (field->variable)
			poly_columns_add(&windows, field->column);
	}
	/*
	 * Without variable fields whole lines repeat: name an address, which they do not have.
	 */
	bool none = poly_columns_empty(windows) && !POLY_HAS(description->columns, address);
	return none ? POLY_COLUMNS(address) : windows;
}

/* Adds the digits of a field as a variable field. */
static void
add_variable_field(const struct text_field *field, const struct text_bytes *bytes,
	struct line_shape *shape)
{
	bool hex = field->form == TEXT_HEX;
	bool prefixed = hex && bytes->size > 2 && (bytes->text[1] | 0x20) == 'x';
	size_t prefix = prefixed ? 2 : 0, digits = bytes->size - prefix;
	/* A number with at most the minimum digits always has leading zeros. */
	unsigned zeros = digits <= field->digits ? WINDOW_ZEROS : 0;
	shape_window(shape, bytes->text + prefix, digits, (hex ? 0 : WINDOW_DECIMAL) | zeros,
		field->column);
}

void
text_set_template(const struct text_description *description, const struct text_values *values,
	struct line_shape *shape)
{
	shape->repeats = true;
	shape->place = POLY_HAS(description->columns, pc);
	for (const struct text_step *step = description->steps; step->kind != TEXT_STEP_END;
		step++) {
		const struct text_field *field = &description->fields[step->field];
		const struct text_bytes *bytes = &values->bytes[step->field];
		if (step->kind != TEXT_STEP_FIELD || !values->present[step->field])
			continue;
		if (field->variable)
			add_variable_field(field, bytes, shape);
		if (field->column == POLY_COLUMN_text) {
			shape->text = bytes->text;
			shape->text_length = bytes->size;
		}
	}
}
