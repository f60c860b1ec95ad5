/* SPDX-License-Identifier: MIT */
/*
 * Writes lines by a description.
 *
 * spec: polytrace-text(5)
 */
#include "format/text/text.h"

#include "base/num.h"
#include "model/columns.h"

#include <stdio.h>
#include <string.h>

/* A row that is written as a line. */
struct text_output {
	const struct text_description *description;
	const struct poly_batch *batch;
	size_t row;
	struct buf *line;
	struct poly_error *error;
};

enum poly_status
text_wopen(struct writing *writing, struct poly_error *error)
{
	struct text_writer *writer = writing->state;
	const struct poly_trace_info *source = writing->source;
	const char *columns = writing->texts[TEXT_OPTION_COLUMNS],
		   *separator = writing->texts[TEXT_OPTION_SEPARATOR];
	const char *own = writing->own_raw ? poly_trace_fact(source, "text.columns") : NULL,
		   *own_separator = poly_trace_fact(source, "text.separator");
	if (!columns)
		columns = own;
	if (own && own_separator && !writing->is_set[TEXT_OPTION_SEPARATOR])
		separator = own_separator;
	if (!columns)
		return err_usage(error,
			"format 'text' needs a description of its columns, such as "
			"'text:pc:hex,branch:T/N'; see polytrace-text(5)");
	enum poly_status status =
		text_describe(&writer->description, columns, separator, error);
	if (status != POLY_OK)
		return status;
	writer->copies_raw = own && strcmp(own, columns) == 0 && own_separator &&
			     strcmp(own_separator, separator) == 0;
	writing->uses = poly_columns_union(
		poly_columns_union(writer->description.columns, writer->description.constants),
		POLY_COLUMNS(kind, record, origin));
	if (writer->copies_raw)
		poly_columns_add(&writing->uses, POLY_COLUMN_raw);
	return POLY_OK;
}

enum poly_status
text_preset_wopen(struct writing *writing, const char *columns, struct poly_error *error)
{
	struct text_writer *writer = writing->state;
	writer->is_preset = true;
	return text_describe(&writer->description, columns, "blank", error);
}

void
text_wclose(struct writing *writing)
{
	struct text_writer *writer = writing->state;
	buf_free(&writer->line);
}

/* Reports POLY_ERR_LOSS for a value that is not valid in its field. */
static enum poly_status
reject_value(const struct text_output *output, enum poly_column column, const char *why)
{
	uint64_t origin = POLY_NO_OFFSET;
	char text[40];
	poly_batch_format(output->batch, column, output->row, text, sizeof text);
	if (poly_present(output->batch, POLY_COLUMN_origin, output->row))
		origin = output->batch->origin[output->row];
	err_set(output->error, POLY_ERR_LOSS, origin, "the record's '%s' is '%.*s', %s",
		column_table[column].name, line_shown((const uint8_t *)text, strlen(text)),
		text, why);
	if (output->error)
		output->error->record = poly_batch_number(output->batch, output->row);
	return POLY_ERR_LOSS;
}

/* True if the row has the values of all constants. */
static bool
has_constants(const struct text_output *output)
{
	const struct text_description *description = output->description;
	for (size_t i = 0; i < description->field_count; i++) {
		const struct text_field *field = &description->fields[i];
		if (!field->constant)
			continue;
		if (!poly_present(output->batch, field->column, output->row))
			return false;
		uint64_t value = poly_batch_integer(output->batch, field->column, output->row);
		if (column_table[field->column].form != POLY_FORM_NAME) {
			if (value != field->value)
				return false;
			continue;
		}
		const char *name = poly_trace_name(output->batch->info, (uint32_t)value);
		if (!name || strlen(name) != field->name.size ||
			memcmp(name, text_at(description, field->name), field->name.size) != 0)
			return false;
	}
	return true;
}

/* Writes digits of a base, at least `min`. */
static void
append_digits(struct buf *line, uint64_t value, unsigned base, unsigned min)
{
	char digits[32];
	size_t n = sizeof digits;
	do
		digits[--n] = "0123456789abcdef"[value % base];
	while (value /= base);
	while (sizeof digits - n < min)
		digits[--n] = '0';
	buf_append(line, digits + n, sizeof digits - n);
}

static void
append_number(const struct text_output *output, const struct text_field *field, uint64_t value)
{
	const struct column_traits *traits = &column_table[field->column];
	bool automatic = field->form == TEXT_AUTO;
	bool hex = automatic ? traits->form == POLY_FORM_HEX : field->form == TEXT_HEX;
	if (traits->is_signed && (int64_t)value < 0) {
		buf_byte(output->line, '-');
		value = 0 - value;
	}
	if (hex && (automatic || field->prefix))
		buf_string(output->line, "0x");
	append_digits(output->line, value,
		hex			    ? 16
		: field->form == TEXT_OCTAL ? 8
					    : 10,
		field->digits);
}

/* Writes a name or text if a reader would find the same in the field. */
static enum poly_status
append_text(const struct text_output *output, const struct text_step *step)
{
	const struct text_description *description = output->description;
	const struct text_field *field = &description->fields[step->field];
	size_t n;
	const uint8_t *text;
	if (column_table[field->column].form == POLY_FORM_NAME) {
		uint64_t number = poly_batch_integer(output->batch, field->column, output->row);
		const char *name = poly_trace_name(output->batch->info, (uint32_t)number);
		text = (const uint8_t *)(name ? name : "");
		n = strlen((const char *)text);
	} else {
		text = poly_batch_bytes(output->batch, field->column, output->row, &n);
	}
	bool rest = field->form == TEXT_REST, good = n < TEXT_LINE_MAX && (n || rest);
	if (n && (text_is_blank(text[0]) || text[n - 1] == '\r'))
		good = false;
	if (step[1].kind == TEXT_STEP_LITERAL)
		good &= text_before(text, n, text_at(description, step[1].literal),
				step[1].literal.size) == n;
	for (size_t i = 0; i < n && good; i++) {
		bool at_end = description->separator
				      ? text[i] == (uint8_t)description->separator
				      : text_is_blank(text[i]);
		good = text[i] != '\n' && (rest || !at_end);
	}
	if (n && !rest && text_is_blank(text[n - 1]))
		good = false;
	if (!good)
		return reject_value(output, field->column, "which is not valid in its field");
	buf_append(output->line, text, n);
	return POLY_OK;
}

/* Reports a value that is absent and has no spelling. */
static enum poly_status
report_missing(const struct text_output *output, const char *column)
{
	enum poly_status status =
		writing_lacks(output->batch, output->row, column, output->error);
	size_t used = output->error ? strlen(output->error->message) : 0;
	if (output->error)
		snprintf(output->error->message + used, sizeof output->error->message - used,
			"; '|-' after the field writes '-' for an absent value, '?' omits the "
			"field at the end of a line");
	return status;
}

/* Writes the field's value, in one of its spellings if it has any. */
static enum poly_status
append_field(const struct text_output *output, const struct text_step *step)
{
	const struct text_field *field = &output->description->fields[step->field];
	enum poly_column column = field->column;
	if (column == POLY_COLUMN_COUNT) {
		buf_byte(output->line, '-');
		return POLY_OK;
	}
	bool present = poly_present(output->batch, column, output->row);
	enum poly_form form = column_table[column].form;
	bool text = form == POLY_FORM_NAME || form == POLY_FORM_TEXT;
	uint64_t value =
		present && !text ? poly_batch_integer(output->batch, column, output->row) : 0;
	const struct text_word *word =
		present && text ? NULL
				: text_word_of(output->description, field, present, value);
	if (word) {
		buf_append(output->line, text_at(output->description, word->spelling),
			word->spelling.size);
		return POLY_OK;
	}
	if (!present)
		return report_missing(output, column_table[column].name);
	if (text)
		return append_text(output, step);
	if (field->form != TEXT_WORDS) {
		append_number(output, field, value);
		return POLY_OK;
	}
	const char *name = form == POLY_FORM_BOOL ? (value ? "true" : "false")
						  : poly_enum_name(form, (unsigned)value);
	if (!field->named || !name)
		return reject_value(output, column, "which has no spelling in text.columns");
	buf_string(output->line, name);
	return POLY_OK;
}

/* True if the row has a value for a field from a step on. */
static bool
has_value_from(const struct text_output *output, const struct text_step *step)
{
	for (; step->kind != TEXT_STEP_END; step++) {
		const struct text_field *field = &output->description->fields[step->field];
		if (step->kind == TEXT_STEP_FIELD && field->column != POLY_COLUMN_COUNT &&
			poly_present(output->batch, field->column, output->row))
			return true;
	}
	return false;
}

/* True if the row has a value for any field. */
static bool
has_values(const struct text_output *output)
{
	return has_value_from(output, output->description->steps);
}

static enum poly_status
append_line(const struct text_output *output)
{
	const struct text_description *description = output->description;
	const struct text_step *step = description->steps;
	enum poly_status status = POLY_OK;
	for (; status == POLY_OK && step->kind != TEXT_STEP_END; step++) {
		switch (step->kind) {
		case TEXT_STEP_FIELD: status = append_field(output, step); break;
		case TEXT_STEP_LITERAL:
			buf_append(output->line, text_at(description, step->literal),
				step->literal.size);
			break;
		case TEXT_STEP_GAP:
			if (step->optional && !has_value_from(output, step)) {
				buf_byte(output->line, '\n');
				return status;
			}
			buf_byte(output->line,
				(uint8_t)(description->separator ? description->separator
								 : ' '));
			break;
		case TEXT_STEP_END: break;
		}
	}
	buf_byte(output->line, '\n');
	return status;
}

/* Returns whether a column has a field with a spelling of a value. */
static bool
has_spelling(
	const struct text_description *description, enum poly_column column, uint64_t value)
{
	for (size_t i = 0; i < description->field_count; i++) {
		const struct text_field *field = &description->fields[i];
		if (field->column == column && text_word_of(description, field, true, value))
			return true;
	}
	return false;
}

/* Returns whether a row is written by a preset: a memory access. */
static bool
is_memory_access(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	const struct text_writer *writer = writing->state;
	if (!poly_present(batch, POLY_COLUMN_access, row) ||
		!poly_present(batch, POLY_COLUMN_address, row)) {
		writing_note(writing, "records that are not accesses were dropped");
		return false;
	}
	if (!has_spelling(&writer->description, POLY_COLUMN_access, batch->access[row])) {
		writing_note(writing,
			"accesses dropped of types that the simulator's traces do not have");
		return false;
	}
	if (POLY_HAS(writer->description.columns, time) &&
		!poly_present(batch, POLY_COLUMN_time, row))
		writing_note(writing, "accesses without a time, written at cycle 0");
	return true;
}

static enum poly_status
write_row(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	struct text_writer *writer = writing->state;
	const struct text_output output = {
		&writer->description, batch, row, &writer->line, error};
	if (writer->copies_raw && poly_present(batch, POLY_COLUMN_raw, row)) {
		size_t n;
		const uint8_t *raw = poly_batch_bytes(batch, POLY_COLUMN_raw, row, &n);
		out_write(writing->out, raw, n);
		return POLY_OK;
	}
	if (writer->is_preset && !is_memory_access(writing, batch, row))
		return POLY_OK;
	bool is_other = poly_present(batch, POLY_COLUMN_kind, row) &&
			batch->kind[row] == POLY_KIND_OTHER;
	if (!has_constants(&output)) {
		writing_note(writing, "records without the constants of the columns were "
				      "dropped");
		return POLY_OK;
	}
	if (is_other && !has_values(&output)) {
		writing_note(writing, "records without a value for any column were dropped");
		return POLY_OK;
	}
	buf_clear(&writer->line);
	enum poly_status status = append_line(&output);
	if (status != POLY_OK)
		return status;
	if (writer->line.failed)
		return err_memory(error);
	out_write(writing->out, writer->line.data, writer->line.size);
	return POLY_OK;
}

enum poly_status
text_write(struct writing *writing, const struct poly_batch *batch, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	for (size_t row = 0; status == POLY_OK && row < batch->rows; row++)
		status = write_row(writing, batch, row, error);
	return status;
}
