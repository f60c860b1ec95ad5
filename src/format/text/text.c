/* SPDX-License-Identifier: MIT */
/*
 * Text traces of any layout, by a description of their columns.
 *
 * spec: polytrace-text(5)
 */
#include "format/text/text.h"

#include "base/num.h"
#include "model/columns.h"

#include <stdio.h>

/* Maximum number of heading lines at the front. */
#define SKIP_MAX 1000000

static const char *const record_names[TEXT_RECORD_COUNT] = {
	[TEXT_LINE] = "line",
	[TEXT_HEADER] = "header",
	[TEXT_COMMENT] = "comment",
	[TEXT_BLANK] = "blank",
	[TEXT_CORRUPT] = "corrupt",
};

/* Finds the number of a name; false if it cannot be stored. */
static bool
find_name(struct reading *reading, const char *text, size_t n, uint32_t *number)
{
	return !memchr(text, 0, n) && info_keep_name(reading->info, text, n, number);
}

static inline void
store_number(struct batch *batch, enum poly_column column, size_t row, uint64_t value)
{
	switch ((unsigned)column) {
	case POLY_COLUMN_pc: batch_put(batch, pc, row, value); break;
	case POLY_COLUMN_address: batch_put(batch, address, row, value); break;
	default: batch_put_integer(batch, column, row, value); break;
	}
}

/* Stores the column of a field; false if a name cannot be stored. */
static inline bool
store_field(struct reading *reading, struct batch *batch, size_t row, size_t number,
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
		store_number(batch, field->column, row,
			field->constant ? field->value : values->value[number]);
		break;
	}
	return true;
}

/* Returns the kind of a row, by its columns. */
static uint8_t
kind_of(column_mask columns)
{
	if (columns & COLUMN_MASK(pc))
		return POLY_KIND_INSTRUCTION;
	if (columns & COLUMN_MASK(address))
		return POLY_KIND_ACCESS;
	if (columns & COLUMN_MASK(reg))
		return POLY_KIND_REGISTER;
	if (columns & COLUMN_MASK(sync))
		return POLY_KIND_SYNC;
	return columns & COLUMN_MASK(event) ? POLY_KIND_EVENT : POLY_KIND_OTHER;
}

/* Stores the columns of a parsed line; false if a name cannot be stored. */
static bool
store_fields(struct reading *reading, struct batch *batch, size_t row,
	const struct text_values *values)
{
	const struct text_reader *reader = reading->state;
	const struct text_description *description = &reader->description;
	column_mask columns = 0;
	bool good = true;
	for (size_t i = 0; i < description->field_count; i++) {
		const struct text_field *field = &description->fields[i];
		if (field->column == POLY_COLUMN_COUNT ||
			(!field->constant && !values->present[i]))
			continue;
		columns |= (column_mask)1 << field->column;
		good &= store_field(reading, batch, row, i, values);
	}
	if (!(columns & COLUMN_MASK(kind)))
		batch_put(batch, kind, row, kind_of(columns));
	return good;
}

/* Classifies a line before its fields are parsed. */
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
text_parse_line(struct reading *reading, struct batch *batch, size_t row,
	const struct line *line, struct line_fault *fault)
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
		exact = store_fields(reading, batch, row, &values) && values.exact &&
			line->ended && !returned;
	else
		batch_put(batch, kind, row, POLY_KIND_OTHER);
	if (line->shape && is == TEXT_LINE)
		text_set_template(&reader->description, &values, line->shape);
	if (!exact)
		batch_put_bytes(batch, POLY_COLUMN_raw, row, line->text, line->size);
	line_check_end(reading, row, line, TEXT_X03);
	return true;
}

static const struct line_format line_format = {
	.limit = TEXT_LINE_MAX,
	.corrupt_kind = TEXT_CORRUPT,
	.too_long = TEXT_X02,
	.parse_line = text_parse_line,
};

/* Finds the end of the heading lines. */
static enum poly_status
find_header(struct reading *reading, struct poly_error *error)
{
	struct text_reader *reader = reading->state;
	const uint64_t lines = reading->options[TEXT_OPTION_SKIP];
	size_t have = 0, at = 0;
	uint64_t skipped = 0;
	for (size_t want = 4096; skipped < lines;
		want = 4 * want < IN_PEEK_MAX ? 4 * want : IN_PEEK_MAX) {
		const uint8_t *p = in_peek(reading->in, want, &have);
		while (skipped < lines && at < have) {
			const uint8_t *newline = memchr(p + at, '\n', have - at);
			if (!newline)
				break;
			at = (size_t)(newline - p) + 1;
			skipped++;
		}
		if (skipped < lines && have >= IN_PEEK_MAX)
			return err_usage(error,
				"the first %llu lines have more than %zu bytes, the limit of "
				"text.skip",
				(unsigned long long)lines, IN_PEEK_MAX);
		if (have < want)
			break;
	}
	/* If the input has fewer lines, all of them are headings. */
	reader->header_end = skipped < lines ? have : at;
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
		return err_usage(error,
			"format 'text' needs a description of its columns, such as "
			"'text:pc:hex,branch:T/N'; see polytrace-text(5)");
	if (strlen(comment) >= sizeof reader->comment)
		return err_usage(error,
			"option 'text.comment' has %zu bytes, expected at most %zu",
			strlen(comment), sizeof reader->comment - 1);
	enum poly_status status = text_describe(description, columns, separator, error);
	if (status == POLY_OK)
		status = find_header(reading, error);
	if (status != POLY_OK)
		return status;
	memcpy(reader->comment, comment, strlen(comment) + 1);
	reader->format = line_format;
	lines_open(reading, &reader->lines, &reader->format);
	reader->format.predict.windows = text_plan_variable_fields(description, comment);
	view->columns = poly_columns_union(
		poly_columns_union(description->columns, description->constants),
		POLY_COLUMNS(kind, record, raw, origin));
	view->clock = POLY_HAS(view->columns, time) ? "ticks" : NULL;
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
			findings_add(reading->findings, TEXT_X04, batch->first + row + 1,
				batch->origin[row],
				"the writer spells the line differently: blanks, case, leading "
				"zeros or bytes that no column holds");
	}
}

static const char *const default_separator[] = {"blank", NULL};
static const char *const default_comment[] = {"#", NULL};

static const struct poly_option options[] = {
	[TEXT_OPTION_COLUMNS] = {"text.columns", POLY_OPTION_TEXT,
		POLY_OPTION_READ | POLY_OPTION_WRITE,
		.help = "describe the fields of a line, such as 'pc:hex,branch:T/N'; the "
			"format name 'text:pc:hex,branch:T/N' sets this option",
		.source = "polytrace-text(5)"},
	[TEXT_OPTION_SEPARATOR] = {"text.separator", POLY_OPTION_TEXT,
		POLY_OPTION_READ | POLY_OPTION_WRITE, .choices = default_separator,
		.help = "separate fields by blank (any white space), tab, or a character "
			"(default blank)",
		.source = "polytrace-text(5)"},
	[TEXT_OPTION_COMMENT] = {"text.comment", POLY_OPTION_TEXT, POLY_OPTION_READ,
		.choices = default_comment,
		.help = "treat lines that begin with this text as comments; empty: no comments "
			"(default '#')",
		.source = "polytrace-text(5)"},
	[TEXT_OPTION_SKIP] = {"text.skip", POLY_OPTION_NUMBER, POLY_OPTION_READ,
		.maximum = SKIP_MAX,
		.help = "skip the first N lines, which are headings (default 0)",
		.source = "polytrace-text(5)"},
	{.name = NULL},
};

static const struct poly_rule rules[] = {
	[TEXT_X01] = {"X01", POLY_ERROR, "a line matches the description", "polytrace-text(5)"},
	[TEXT_X02] = {"X02", POLY_ERROR, "a line has at most 16384 bytes", "polytrace-text(5)"},
	[TEXT_X03] = {"X03", POLY_WARNING, "the last line ends in a newline",
		"polytrace-text(5)"},
	[TEXT_X04] = {"X04", POLY_NOTE, "lines are spelled as the writer spells them",
		"polytrace-text(5)"},
	{.code = NULL},
};

static const struct format text = {
	.content = {.users = "Pin tools, scripts", .kinds = POLY_KINDS_ALL},
	.info =
		{
			.name = "text",
			.family = "text",
			.title = "text with columns that the user describes",
			.extensions = "",
			.spec = "polytrace-text(5)",
			.can_read = true,
			.can_write = true,
			/* Those that a description may name, and those that all records have.
			 */
			.columns = POLY_COLUMNS_EXCEPT_INIT(payload, verbatim, site),
			.options = options,
			.rules = rules,
		},
	.is_text = true,
	.reader_size = sizeof(struct text_reader),
	.writer_size = sizeof(struct text_writer),
	.rows_independent = true,
	.open = text_open,
	.read = lines_read,
	.resync = lines_resync,
	.find_split = lines_find_split,
	.check = text_check,
	.checks_chunks = true,
	.close = lines_close,
	.wopen = text_wopen,
	.write = text_write,
	.wclose = text_wclose,
};

static const struct poly_option no_options[] = {{.name = NULL}};
static const struct poly_rule no_rules[] = {{.code = NULL}};

/* A format that is text with fixed columns, and is only written. */
#define PRESET(word, simulator, what, fields, ...)                               \
	static enum poly_status word##_wopen(                                    \
		struct writing *writing, struct poly_error *error)               \
	{                                                                        \
		return text_preset_wopen(writing, fields, error);                \
	}                                                                        \
	static const struct format word = {                                      \
		.content = {.users = simulator, .kinds = POLY_KIND_BIT(ACCESS)}, \
		.is_text = true,                                                 \
		.info = {.name = #word,                                          \
			.family = #word,                                         \
			.title = what,                                           \
			.extensions = "",                                        \
			.spec = "polytrace-text(5)",                             \
			.can_write = true,                                       \
			.columns = POLY_COLUMNS_INIT(kind, __VA_ARGS__),         \
			.needs = POLY_COLUMNS_INIT(access, address),             \
			.options = no_options,                                   \
			.rules = no_rules},                                      \
		.effects = EFFECTS_SEPARATE,                                     \
		.writer_size = sizeof(struct text_writer),                       \
		.rows_independent = true,                                        \
		.wopen = word##_wopen,                                           \
		.write = text_write,                                             \
		.wclose = text_wclose,                                           \
	}

PRESET(ramulator, "Ramulator 1", "memory trace of the DRAM simulator Ramulator 1",
	"address:0x,access:R=read|W=write", access, address);
PRESET(ramulator2, "Ramulator 2", "load-store trace of the DRAM simulator Ramulator 2",
	"access:LD=read|ST=write,address:0x", access, address);
PRESET(dramsim2, "DRAMSim2", "trace k6 of the DRAM simulator DRAMSim2",
	"address:0x,access:P_MEM_RD=read|P_MEM_WR=write|P_FETCH=fetch,time:dec|0", time, access,
	address);
PRESET(dramsim3, "DRAMsim3", "trace of the DRAM simulator DRAMsim3",
	"address:0x,access:READ=read|WRITE=write,time:dec|0", time, access, address);

const struct format *const formats_text[] = {
	&text, &ramulator, &ramulator2, &dramsim2, &dramsim3, NULL};
