/* SPDX-License-Identifier: MIT */
/*
 * The shapes of records: the text of each row, and the numbers in it that vary.
 *
 * An instruction's row has the text up to its first effect, an effect's row that up to the next
 * effect.
 */
#include "format/riscv_log/scan.h"

/* Most digits of a decimal window. */
#define DECIMAL_MAX 16

/* Returns whether digits are all 0 or all f, as extended values begin with. */
static bool
are_extended(const uint8_t *digits, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (digits[i] != digits[0])
			return false;
	}
	return digits[0] == '0' || (digits[0] | 0x20) == 'f';
}

/*
 * Declares the digits of a value, of which the last ones are stored. The others decide whether
 * a written line has its bytes.
 */
static void
add_value(
	struct line_shape *shape, const struct rv_field *field, size_t digits, bool is_written)
{
	const size_t high = field->size - digits;
	if (!is_written)
		shape_window(shape, field->start, high, field->form, WINDOW_NO_COLUMN);
	else if (!are_extended(field->start, high))
		shape->repeats = false;
	shape_window(shape, field->start + high, digits, field->form, POLY_COLUMN_value);
}

/* Declares a number of a row a window; effect NULL: the row has none. */
static void
add_field(struct line_shape *shape, const struct rv_field *field,
	const struct rv_effect *effect, bool is_written)
{
	const uint8_t *start = field->start;
	size_t size = field->size;
	if (field->form & WINDOW_DECIMAL && size > DECIMAL_MAX) {
		start += size - DECIMAL_MAX;
		size = DECIMAL_MAX;
	}
	const size_t stored = effect ? 2 * (size_t)effect->size : 0;
	if (field->column == POLY_COLUMN_value && stored && stored < size)
		add_value(shape, field, stored, is_written);
	else
		shape_window(shape, start, size, field->form, (enum poly_column)field->column);
}

/* Declares the numbers of a row: those in its text, and holes ahead of it. */
static void
add_fields(struct line_shape *shape, const struct rv_fields *fields,
	const struct rv_effect *effect, bool is_written)
{
	const uint8_t *end = shape->line + shape->size;
	for (unsigned i = 0; i < fields->count; i++) {
		const struct rv_field *field = &fields->field[i];
		if (field->start >= end)
			shape_hole(shape, field->start, field->size);
		else if (field->start >= shape->line)
			add_field(shape, field, effect, is_written);
	}
}

/* Sets the shape of an instruction or a line without one. */
static void
set_head(const struct rv_dialect *dialect, const struct rv_record *record,
	const struct line *line)
{
	const struct rv_span text = {line->text, line->size}, none = {NULL, 0};
	struct line_shape *shape = line->shape;
	shape->place = record->is == RV_INSTRUCTION;
	shape->text = record->text.size ? record->text.text : NULL;
	shape->text_length = record->text.size;
	if (record->has_id && dialect->has_state)
		shape_derived(shape, WINDOW_COUNTER, POLY_COLUMN_instruction_id);
	if (dialect->is_one_line) {
		const size_t ahead = line->size - shape->size;
		shape->ahead = (uint8_t)ahead;
		shape->repeats &= ahead <= SHAPE_BYTES;
		return;
	}
	if (!shape->place || !dialect->joins || !dialect->joins(text, none))
		return;
	/* An execution line after it shows that no line continues the record. */
	static const char start[] = "core    : 0x";
	const uint8_t *next = line->text + line->size;
	shape->ahead = sizeof start - 1;
	shape->repeats &= memcmp(next, start, 7) == 0 && memcmp(next + 8, start + 8, 4) == 0;
}

/* Sets the shape of an effect. */
static void
set_effect(const struct rv_record *record, const struct rv_effect *effect,
	struct line_shape *shape)
{
	if (effect->file == RV_STATE) {
		shape->text = effect->name.text;
		shape->text_length = effect->name.size;
	}
	shape->repeats &= effect->file != RV_TRAP;
	/* The time is in the text of the instruction. */
	if (record->has_time)
		shape_derived(shape, WINDOW_SAME, POLY_COLUMN_time);
}

void
rv_set_shape(const struct rv_dialect *dialect, const struct rv_record *record, bool is_written,
	const struct line *line)
{
	struct line_shape *shape = line->shape;
	const bool has_head = record->is != RV_REGISTER;
	const unsigned row = line->row_index, next = row + !has_head;
	const struct rv_effect *effect = next ? &record->effects[next - 1] : NULL;
	const uint8_t *start = row ? effect->start : line->text;
	const uint8_t *end =
		next < record->count ? record->effects[next].start : line->text + line->size;
	const bool repeats = record->is == RV_INSTRUCTION || record->is == RV_SYMBOL ||
			     record->is == RV_REGISTER;
	if (!repeats || record->is_shapeless || next > record->count || !start || end <= start)
		return;
	shape->line = start;
	shape->size = (size_t)(end - start);
	shape->repeats = record->fields->count <= RV_FIELDS_MAX;
	if (effect)
		set_effect(record, effect, shape);
	else
		set_head(dialect, record, line);
	if (shape->repeats)
		add_fields(shape, record->fields, effect, is_written);
}
