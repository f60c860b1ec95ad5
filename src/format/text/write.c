/* SPDX-License-Identifier: MIT */
/*
 * Writing lines as a description says.
 *
 * spec: polytrace-text(5)
 */
#include "format/text/text.h"

#include "base/num.h"
#include "model/columns.h"

#include <stdio.h>
#include <string.h>

/* A row that is being written. */
struct putting {
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
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"format 'text' needs its columns, as in 'text:pc:hex,branch:T/N'; "
			"polytrace-text(5) tells how they are described");
	enum poly_status status =
		text_describe(&writer->description, columns, separator, error);
	if (status != POLY_OK)
		return status;
	writer->keeps = own && strcmp(own, columns) == 0 && own_separator &&
			strcmp(own_separator, separator) == 0;
	writing->uses = writer->description.columns | writer->description.constants |
			POLY_HAS(kind) | POLY_HAS(record) | POLY_HAS(origin);
	if (writer->keeps)
		writing->uses |= POLY_HAS(raw);
	return POLY_OK;
}

void
text_wclose(struct writing *writing)
{
	struct text_writer *writer = writing->state;
	buf_free(&writer->line);
}

/* POLY_ERR_LOSS for a row whose value of a column can't stand in its field. */
static enum poly_status
refuse(const struct putting *it, enum poly_column column, const char *why)
{
	uint64_t origin = POLY_NO_OFFSET;
	char text[40];
	poly_batch_format(it->batch, column, it->row, text, sizeof text);
	if (poly_present(it->batch, POLY_COLUMN_origin, it->row))
		origin = it->batch->origin[it->row];
	err_set(it->error, POLY_ERR_LOSS, origin, "the record's '%s' is '%.*s', %s",
		column_table[column].name, line_shown((const uint8_t *)text, strlen(text)),
		text, why);
	if (it->error)
		it->error->record = it->batch->first + it->row + 1;
	return POLY_ERR_LOSS;
}

/* True where every constant is that of the row. */
static bool
has_constants(const struct putting *it)
{
	const struct text_description *description = it->description;
	for (size_t i = 0; i < description->field_count; i++) {
		const struct text_field *field = &description->fields[i];
		if (!field->constant)
			continue;
		if (!poly_present(it->batch, field->column, it->row))
			return false;
		uint64_t value = poly_batch_integer(it->batch, field->column, it->row);
		if (column_table[field->column].form != POLY_FORM_NAME) {
			if (value != field->value)
				return false;
			continue;
		}
		const char *name = poly_trace_name(it->batch->info, (uint32_t)value);
		if (!name || strlen(name) != field->name.size ||
			memcmp(name, text_at(description, field->name), field->name.size) != 0)
			return false;
	}
	return true;
}

/* Digits of a base, at least so many. */
static void
put_digits(struct buf *line, uint64_t value, unsigned base, unsigned least)
{
	char digits[32];
	size_t n = sizeof digits;
	do
		digits[--n] = "0123456789abcdef"[value % base];
	while (value /= base);
	while (sizeof digits - n < least)
		digits[--n] = '0';
	buf_append(line, digits + n, sizeof digits - n);
}

static void
put_number(const struct putting *it, const struct text_field *field, uint64_t value)
{
	const struct column_traits *traits = &column_table[field->column];
	bool automatic = field->form == TEXT_AUTO;
	bool hex = automatic ? traits->form == POLY_FORM_HEX : field->form == TEXT_HEX;
	if (traits->is_signed && (int64_t)value < 0) {
		buf_byte(it->line, '-');
		value = 0 - value;
	}
	if (hex && (automatic || field->prefix))
		buf_string(it->line, "0x");
	put_digits(it->line, value,
		hex			    ? 16
		: field->form == TEXT_OCTAL ? 8
					    : 10,
		field->digits);
}

/* A name or text, which must be what a reader would find in the field. */
static enum poly_status
put_text(const struct putting *it, const struct text_step *step)
{
	const struct text_description *description = it->description;
	const struct text_field *field = &description->fields[step->field];
	size_t n;
	const uint8_t *text;
	if (column_table[field->column].form == POLY_FORM_NAME) {
		uint64_t number = poly_batch_integer(it->batch, field->column, it->row);
		const char *name = poly_trace_name(it->batch->info, (uint32_t)number);
		text = (const uint8_t *)(name ? name : "");
		n = strlen((const char *)text);
	} else {
		text = poly_batch_bytes(it->batch, field->column, it->row, &n);
	}
	bool rest = field->form == TEXT_REST, good = n < TEXT_LINE_MOST && (n || rest);
	if (n && (text_is_blank(text[0]) || text[n - 1] == '\r'))
		good = false;
	if (step[1].kind == TEXT_STEP_LITERAL)
		good &= text_before(text, n, text_at(description, step[1].literal),
				step[1].literal.size) == n;
	for (size_t i = 0; i < n && good; i++) {
		bool ends = description->separator ? text[i] == (uint8_t)description->separator
						   : text_is_blank(text[i]);
		good = text[i] != '\n' && (rest || !ends);
	}
	if (n && !rest && text_is_blank(text[n - 1]))
		good = false;
	if (!good)
		return refuse(it, field->column, "which can't stand in its field");
	buf_append(it->line, text, n);
	return POLY_OK;
}

/* The record has nothing for a field, and the description does not say how that is written. */
static enum poly_status
lacks(const struct putting *it, const char *column)
{
	enum poly_status status = writing_lacks(it->batch, it->row, column, it->error);
	size_t used = it->error ? strlen(it->error->message) : 0;
	if (it->error)
		snprintf(it->error->message + used, sizeof it->error->message - used,
			"; '|-' behind the field writes '-' for it, '?' leaves it out where "
			"nothing follows");
	return status;
}

/* The field's value in the row, in one of its spellings where it has them. */
static enum poly_status
put_field(const struct putting *it, const struct text_step *step)
{
	const struct text_field *field = &it->description->fields[step->field];
	enum poly_column column = field->column;
	if (column == POLY_COLUMN_COUNT) {
		buf_byte(it->line, '-');
		return POLY_OK;
	}
	bool present = poly_present(it->batch, column, it->row);
	enum poly_form form = column_table[column].form;
	bool text = form == POLY_FORM_NAME || form == POLY_FORM_TEXT;
	uint64_t value = present && !text ? poly_batch_integer(it->batch, column, it->row) : 0;
	const struct text_word *word =
		present && text ? NULL : text_word_of(it->description, field, present, value);
	if (word) {
		buf_append(it->line, text_at(it->description, word->spelling),
			word->spelling.size);
		return POLY_OK;
	}
	if (!present)
		return lacks(it, column_table[column].name);
	if (text)
		return put_text(it, step);
	if (field->form != TEXT_WORDS) {
		put_number(it, field, value);
		return POLY_OK;
	}
	const char *name = form == POLY_FORM_BOOL ? (value ? "true" : "false")
						  : poly_enum_name(form, (unsigned)value);
	if (!field->named || !name)
		return refuse(it, column, "for which the columns have no spelling");
	buf_string(it->line, name);
	return POLY_OK;
}

/* True where the row has something for a field from a step on. */
static bool
has_more(const struct putting *it, const struct text_step *step)
{
	for (; step->kind != TEXT_STEP_END; step++) {
		const struct text_field *field = &it->description->fields[step->field];
		if (step->kind == TEXT_STEP_FIELD && field->column != POLY_COLUMN_COUNT &&
			poly_present(it->batch, field->column, it->row))
			return true;
	}
	return false;
}

/* True where the row has something for any field. */
static bool
has_any(const struct putting *it)
{
	return has_more(it, it->description->steps);
}

static enum poly_status
put_line(const struct putting *it)
{
	const struct text_description *description = it->description;
	const struct text_step *step = description->steps;
	enum poly_status status = POLY_OK;
	for (; status == POLY_OK && step->kind != TEXT_STEP_END; step++) {
		switch (step->kind) {
		case TEXT_STEP_FIELD: status = put_field(it, step); break;
		case TEXT_STEP_LITERAL:
			buf_append(it->line, text_at(description, step->literal),
				step->literal.size);
			break;
		case TEXT_STEP_GAP:
			if (step->optional && !has_more(it, step)) {
				buf_byte(it->line, '\n');
				return status;
			}
			buf_byte(it->line,
				(uint8_t)(description->separator ? description->separator
								 : ' '));
			break;
		case TEXT_STEP_END: break;
		}
	}
	buf_byte(it->line, '\n');
	return status;
}

static enum poly_status
write_row(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	struct text_writer *writer = writing->state;
	const struct putting it = {&writer->description, batch, row, &writer->line, error};
	if (writer->keeps && poly_present(batch, POLY_COLUMN_raw, row)) {
		size_t n;
		const uint8_t *raw = poly_batch_bytes(batch, POLY_COLUMN_raw, row, &n);
		out_write(writing->out, raw, n);
		return POLY_OK;
	}
	bool other = poly_present(batch, POLY_COLUMN_kind, row) &&
		     batch->kind[row] == POLY_KIND_OTHER;
	if (!has_constants(&it)) {
		writing_note(writing, "records without the constants of the columns were "
				      "dropped");
		return POLY_OK;
	}
	if (other && !has_any(&it)) {
		writing_note(writing, "records that have nothing for any column were dropped");
		return POLY_OK;
	}
	buf_clear(&writer->line);
	enum poly_status status = put_line(&it);
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
