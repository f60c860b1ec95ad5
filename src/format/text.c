/* SPDX-License-Identifier: MIT */
/*
 * Text traces of any layout, whose columns the user describes.
 *
 * spec: polytrace-text(5)
 */
#include "format/text/text.h"

#include "base/num.h"
#include "model/columns.h"

#include <stdio.h>

/* Most lines that are passed over at the front. */
#define SKIP_MOST 1000000

static const char *const record_names[TEXT_RECORD_COUNT] = {
	[TEXT_LINE] = "line",
	[TEXT_HEADER] = "header",
	[TEXT_COMMENT] = "comment",
	[TEXT_BLANK] = "blank",
	[TEXT_DAMAGED] = "damaged",
};

/* The number of a name; false where it cannot be kept. */
static bool
find_name(struct reading *reading, const char *text, size_t n, uint32_t *number)
{
	return !memchr(text, 0, n) && info_keep_name(reading->info, text, n, number);
}

static inline void
put_number(struct batch *batch, enum poly_column column, size_t row, uint64_t value)
{
	switch ((unsigned)column) {
	case POLY_COLUMN_pc: batch_put(batch, pc, row, value); break;
	case POLY_COLUMN_address: batch_put(batch, address, row, value); break;
	default: batch_put_integer(batch, column, row, value); break;
	}
}

/* Fills the column of a field. False: it holds a name that can't be kept. */
static inline bool
put_field(struct reading *reading, struct batch *batch, size_t row, size_t number,
	const struct text_values *values)
{
	struct text_reader *reader = reading->state;
	const struct text_description *description = &reader->description;
	const struct text_field *field = &description->fields[number];
	const struct text_bytes *bytes = &values->bytes[number];
	const char *text = (const char *)bytes->text;
	size_t n = bytes->size;
	uint32_t name;
	switch (column_table[field->column].form) {
	case POLY_FORM_NAME:
		if (field->constant) {
			text = text_at(description, field->name);
			n = field->name.size;
		}
		if (!find_name(reading, text, n, &name))
			return false;
		batch_put_integer(batch, field->column, row, name);
		break;
	case POLY_FORM_TEXT: batch_put_bytes(batch, field->column, row, bytes->text, n); break;
	case POLY_FORM_KIND:
	case POLY_FORM_ACCESS:
	case POLY_FORM_BRANCH:
	case POLY_FORM_SYNC:
	case POLY_FORM_EVENT:
	case POLY_FORM_FLAGS:
	case POLY_FORM_BOOL:
	case POLY_FORM_DEC:
	case POLY_FORM_HEX:
	case POLY_FORM_RECORD:
	case POLY_FORM_BYTES:
		put_number(batch, field->column, row,
			field->constant ? field->value : values->value[number]);
		break;
	}
	return true;
}

/* What a row is by its columns, where no field says it. */
static uint8_t
kind_of(poly_columns columns)
{
	if (columns & POLY_HAS(pc))
		return POLY_KIND_INSTRUCTION;
	if (columns & POLY_HAS(address))
		return POLY_KIND_ACCESS;
	if (columns & POLY_HAS(reg))
		return POLY_KIND_REGISTER;
	if (columns & POLY_HAS(sync))
		return POLY_KIND_SYNC;
	return columns & POLY_HAS(event) ? POLY_KIND_EVENT : POLY_KIND_OTHER;
}

/* The columns of a line that was taken to pieces; false where it has to keep its bytes. */
static bool
put_fields(struct reading *reading, struct batch *batch, size_t row,
	const struct text_values *values)
{
	const struct text_reader *reader = reading->state;
	const struct text_description *description = &reader->description;
	poly_columns columns = 0;
	bool good = true;
	for (size_t i = 0; i < description->field_count; i++) {
		const struct text_field *field = &description->fields[i];
		if (field->column == POLY_COLUMN_COUNT ||
			(!field->constant && !values->present[i]))
			continue;
		columns |= (poly_columns)1 << field->column;
		good &= put_field(reading, batch, row, i, values);
	}
	if (!(columns & POLY_HAS(kind)))
		batch_put(batch, kind, row, kind_of(columns));
	return good;
}

/* What a line is, before its fields are looked at. */
static enum text_record
record_of(const struct text_reader *reader, const struct line *line, size_t size)
{
	const uint8_t *p = line->text, *end = p + size;
	if (line->offset < reader->header_end)
		return TEXT_HEADER;
	while (p != end && text_is_blank(*p))
		p++;
	if (p == end)
		return TEXT_BLANK;
	size_t n = strlen(reader->comment);
	bool comment = n && (size_t)(end - p) >= n && memcmp(p, reader->comment, n) == 0;
	return comment ? TEXT_COMMENT : TEXT_LINE;
}

static bool
text_take(struct reading *reading, struct batch *batch, size_t row, const struct line *line,
	struct line_fault *fault)
{
	const struct text_reader *reader = reading->state;
	struct text_values values;
	size_t size = line->size - line->ended;
	bool returned = size && line->text[size - 1] == '\r';
	size -= returned;
	enum text_record is = record_of(reader, line, size);
	bool exact = is == TEXT_LINE;
	if (exact && !text_parse(&reader->description, line->text, size, &values, fault))
		return false;
	batch_put(batch, record, row, (uint8_t)is);
	batch_put(batch, origin, row, line->offset);
	if (exact)
		exact = put_fields(reading, batch, row, &values) && values.exact &&
			line->ended && !returned;
	else
		batch_put(batch, kind, row, POLY_KIND_OTHER);
	if (line->shape && is == TEXT_LINE)
		text_shape(&reader->description, &values, line->shape);
	if (!exact)
		batch_put_bytes(batch, POLY_COLUMN_raw, row, line->text, line->size);
	if (!line->ended && in_status(reading->in, NULL) == POLY_END)
		findings_add(reading->findings, TEXT_T03, reading->record + row + 1,
			line->offset, "the last line has no newline, it may be cut off");
	return true;
}

static const struct line_format line_format = {
	.limit = TEXT_LINE_MOST,
	.corrupt_kind = TEXT_DAMAGED,
	.too_long = TEXT_T02,
	.parse_line = text_take,
};

/* Finds where the lines end that are passed over at the front. */
static enum poly_status
find_header(struct reading *reading, struct poly_error *error)
{
	struct text_reader *reader = reading->state;
	const uint64_t lines = reading->options[TEXT_OPTION_SKIP];
	size_t have = 0, at = 0;
	uint64_t passed = 0;
	for (size_t want = 4096; passed < lines;
		want = 4 * want < IN_PEEK_MAX ? 4 * want : IN_PEEK_MAX) {
		const uint8_t *p = in_peek(reading->in, want, &have);
		while (passed < lines && at < have) {
			const uint8_t *newline = memchr(p + at, '\n', have - at);
			if (!newline)
				break;
			at = (size_t)(newline - p) + 1;
			passed++;
		}
		if (passed < lines && have >= IN_PEEK_MAX)
			return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
				"the first %llu lines have more than %zu bytes, "
				"so they can't be passed over",
				(unsigned long long)lines, IN_PEEK_MAX);
		if (have < want)
			break;
	}
	/* Where there are fewer lines all of them are passed over. */
	reader->header_end = passed < lines ? have : at;
	return POLY_OK;
}

static enum poly_status
text_open(struct reading *reading, struct poly_error *error)
{
	struct text_reader *reader = reading->state;
	struct text_description *description = &reader->description;
	struct poly_trace_info *view = &reading->info->view;
	const char *columns = reading->texts[TEXT_OPTION_COLUMNS],
		   *separator = reading->texts[TEXT_OPTION_SEPARATOR],
		   *comment = reading->texts[TEXT_OPTION_COMMENT];
	if (!columns)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"format 'text' needs its columns, as in 'text:pc:hex,branch:T/N'; "
			"polytrace-text(5) tells how they are described");
	if (strlen(comment) >= sizeof reader->comment)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"option 'text.comment' has %zu bytes, expected at most %zu",
			strlen(comment), sizeof reader->comment - 1);
	enum poly_status status = text_describe(description, columns, separator, error);
	if (status == POLY_OK)
		status = find_header(reading, error);
	if (status != POLY_OK)
		return status;
	memcpy(reader->comment, comment, strlen(comment) + 1);
	reader->format = line_format;
	lines_open(reading, &reader->format);
	reader->format.predict.windows = text_plan_windows(description, comment);
	view->columns = description->columns | description->constants | POLY_HAS(kind) |
			POLY_HAS(record) | POLY_HAS(raw) | POLY_HAS(origin);
	view->clock = view->columns & POLY_HAS(time) ? "ticks" : NULL;
	view->records = record_names;
	view->record_count = TEXT_RECORD_COUNT;
	if (!info_fact(reading->info, "text.columns", columns) ||
		!info_fact(reading->info, "text.separator", separator))
		return err_memory(error);
	return POLY_OK;
}

static void
text_check(struct reading *reading, const struct poly_batch *batch)
{
	for (size_t row = 0; batch && row < batch->rows; row++) {
		if (batch->record[row] == TEXT_LINE &&
			poly_present(batch, POLY_COLUMN_raw, row))
			findings_add(reading->findings, TEXT_T04, batch->first + row + 1,
				batch->origin[row],
				"it would be written otherwise: blanks, case, zeros in front "
				"or what no column holds");
	}
}

static const char *const usual_separator[] = {"blank", NULL};
static const char *const usual_comment[] = {"#", NULL};

static const struct poly_option options[] = {
	[TEXT_OPTION_COLUMNS] = {"text.columns", POLY_OPTION_TEXT,
		POLY_OPTION_READ | POLY_OPTION_WRITE, 0, 0, 0, NULL,
		"what the fields of a line are, as in 'pc:hex,branch:T/N'; the same as "
		"'text:pc:hex,branch:T/N' in place of the format's name",
		"polytrace-text(5)"},
	[TEXT_OPTION_SEPARATOR] = {"text.separator", POLY_OPTION_TEXT,
		POLY_OPTION_READ | POLY_OPTION_WRITE, 0, 0, 0, usual_separator,
		"what stands between fields: blank (any white space), tab, or a character",
		"polytrace-text(5)"},
	[TEXT_OPTION_COMMENT] = {"text.comment", POLY_OPTION_TEXT, POLY_OPTION_READ, 0, 0, 0,
		usual_comment, "what lines begin with that are comments; empty: none are",
		"polytrace-text(5)"},
	[TEXT_OPTION_SKIP] = {"text.skip", POLY_OPTION_NUMBER, POLY_OPTION_READ, 0, 0,
		SKIP_MOST, NULL, "how many lines at the front are headings",
		"polytrace-text(5)"},
	{.name = NULL},
};

static const struct poly_rule rules[] = {
	[TEXT_T01] = {"T01", POLY_ERROR, "a line is as it was described", "polytrace-text(5)"},
	[TEXT_T02] = {"T02", POLY_ERROR, "a line has at most 16384 bytes", "polytrace-text(5)"},
	[TEXT_T03] = {"T03", POLY_WARNING, "the last line ends in a newline",
		"polytrace-text(5)"},
	[TEXT_T04] = {"T04", POLY_NOTE, "lines are as the description writes them",
		"polytrace-text(5)"},
	{.code = NULL},
};

/* What a description may name, and what all records have. */
#define TEXT_COLUMNS \
	(POLY_ALL_COLUMNS & ~(POLY_HAS(payload) | POLY_HAS(verbatim) | POLY_HAS(site)))

static const struct format text = {
	.info =
		{
			.name = "text",
			.family = "text",
			.title = "text of any columns, which the user describes",
			.extensions = "",
			.spec = "polytrace-text(5)",
			.can_read = true,
			.can_write = true,
			.columns = TEXT_COLUMNS,
			.options = options,
			.rules = rules,
		},
	.is_text = true,
	.reader_size = sizeof(struct text_reader),
	.writer_size = sizeof(struct text_writer),
	.open = text_open,
	.read = lines_read,
	.resync = lines_resync,
	.find_split = lines_find_split,
	.check = text_check,
	.close = lines_close,
	.wopen = text_wopen,
	.write = text_write,
	.wclose = text_wclose,
};

const struct format *const formats_text[] = {&text, NULL};
