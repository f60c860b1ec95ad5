/* SPDX-License-Identifier: MIT */
/*
 * Dinero's "din" traces: a label and an address per line, or in the form of Dinero IV a letter,
 * an address and a size.
 *
 *     line   = ( label gap address | letter gap address gap size ) [ gap anything ] ;
 *     label  = "0" | "1" | "2" | "3" | "4" ;
 *     letter = "r" | "w" | "i" | "m" | "c" | "v" ;
 *
 * Labels mean reads, writes, fetches, other references and flushes; letters mean the first
 * four, copy-backs and invalidations of cache lines.
 *
 * spec: manual pages of Dinero III and Dinero IV; polytrace-din(5)
 */
#include "format/din/din.h"

#include "base/num.h"

#include <stdio.h>

/* Bytes of the longest line. */
#define DIN_LINE_MAX ((size_t)16 << 10)

/* Limits of the sample that the probe and the reader classify. */
#define SAMPLE_LINES 64
#define SAMPLE_BYTES 8192

enum din_rule { D01, D02, D03, D04, D05, D06, D07, D08 };

const char *const din_records[DIN_RECORD_COUNT] = {
	[DIN_READ] = "read",
	[DIN_WRITE] = "write",
	[DIN_FETCH] = "fetch",
	[DIN_MISC] = "misc",
	[DIN_FLUSH] = "flush",
	[DIN_COPY_BACK] = "copy_back",
	[DIN_INVALIDATE] = "invalidate",
	[DIN_BLANK] = "blank",
	[DIN_CORRUPT] = "corrupt",
};

const char *const din_forms[] = {"plain", "sized", "auto", NULL};

struct din_reader {
	struct lines lines;
	enum din_form form;
	unsigned digits;
	bool mixed; /* D07 was reported: lines of both forms occur */
};

/* A line's fields. */
struct din {
	enum din_record is;
	enum din_form form;
	unsigned digits; /* of the address */
	uint64_t address, size;
	bool exact;    /* as the writer writes it, except for leading zeros of the address */
	bool has_note; /* text follows the fields */
};

static inline bool
is_blank(uint8_t c)
{
	return c == ' ' || c == '\t';
}

/* True if a field ends at c. */
static inline bool
ends_field(uint8_t c)
{
	return is_blank(c) || c == '\n' || c == '\r';
}

/* Returns the record type of a first byte; DIN_CORRUPT if it is not a label or letter. */
static inline enum din_record
record_of(uint8_t c, enum din_form *form)
{
	*form = DIN_PLAIN;
	if ((uint8_t)(c - '0') < 5)
		return (enum din_record)(c - '0');
	*form = DIN_SIZED;
	switch (c | 0x20) {
	case 'r': return DIN_READ;
	case 'w': return DIN_WRITE;
	case 'i': return DIN_FETCH;
	case 'm': return DIN_MISC;
	case 'c': return DIN_COPY_BACK;
	case 'v': return DIN_INVALIDATE;
	default: return DIN_CORRUPT;
	}
}

/* Sets a fault of the field at a position. */
static bool
set_field_fault(
	struct line_fault *fault, const struct line *line, const uint8_t *at, const char *field)
{
	return line_set_fault(fault, *field == 's' ? D03 : D02, (size_t)(at - line->text) + 1,
		"%s is '%.*s', expected hexadecimal digits", field,
		line_shown(at, (size_t)(line->text + line->size - at)), (const char *)at);
}

static const uint8_t *
past_blanks(const uint8_t *p)
{
	while (is_blank(*p))
		p++;
	return p;
}

/*
 * Parses a field of hexadecimal digits of any case, with or without 0x; returns its end, or
 * NULL.
 */
static const uint8_t *
parse_number(const uint8_t *p, uint64_t *value, unsigned *digits)
{
	const uint8_t *end = p;
	p = past_blanks(p);
	if (p == end)
		return NULL;
	if (p[0] == '0' && (p[1] | 0x20) == 'x')
		p += 2;
	for (end = p; num_hex_digit((char)*end) >= 0; end++)
		;
	*digits = (unsigned)(end - p);
	bool good = num_parse_hex((const char *)p, *digits, value) && ends_field(*end);
	return good ? end : NULL;
}

/* Parses a line of any spelling. */
static bool
parse_any(const struct line *line, struct din *din, struct line_fault *fault)
{
	const uint8_t *p = past_blanks(line->text);
	unsigned digits;
	din->exact = din->has_note = false;
	if (*p == '\n' || (*p == '\r' && p[1] == '\n')) {
		din->is = DIN_BLANK;
		return true;
	}
	din->is = record_of(*p, &din->form);
	if (din->is == DIN_CORRUPT || !ends_field(p[1]))
		return line_set_fault(fault, D01, (size_t)(p - line->text) + 1,
			"label is '%.*s', expected 0 to 4 or one of r, w, i, m, c, v",
			line_shown(p, (size_t)(line->text + line->size - p)), (const char *)p);
	const uint8_t *end = parse_number(p + 1, &din->address, &din->digits);
	if (!end)
		return set_field_fault(fault, line, past_blanks(p + 1), "address");
	if (din->form == DIN_SIZED) {
		const uint8_t *size = past_blanks(end);
		end = parse_number(end, &din->size, &digits);
		if (!end || din->size > UINT32_MAX)
			return set_field_fault(fault, line, size, "size");
	}
	end = past_blanks(end);
	din->has_note = *end != '\n' && (*end != '\r' || end[1] != '\n');
	return true;
}

/* Parses a line that is spelled as writers spell it; false for every other line. */
static inline bool
parse_exact(const uint8_t *p, struct din *din)
{
	din->is = record_of(*p, &din->form);
	din->digits = num_hex_run(p + 2, &din->address);
	din->exact = *p < 'A' || *p > 'Z';
	const uint8_t *end = p + 2 + din->digits;
	if (din->is == DIN_CORRUPT || p[1] != ' ' || !din->digits)
		return false;
	if (din->form == DIN_PLAIN)
		return *end == '\n';
	unsigned digits = num_hex_run8(end + 1, &din->size);
	din->exact &= digits == num_hex_width(din->size);
	return *end == ' ' && digits && end[1 + digits] == '\n';
}

/* Counts of the lines at the front of an input, by their class. */
struct din_sample {
	size_t records;	    /* without text after the fields */
	size_t noted;	    /* with text after the fields */
	size_t others;	    /* neither a record nor blank */
	enum din_form form; /* of the first record */
	unsigned digits;    /* of the first address with leading zeros; 0: none */
};

static void
add_line(struct din_sample *sample, const struct line *line)
{
	struct line_fault fault;
	struct din din;
	bool good = parse_any(line, &din, &fault);
	if (good && din.is == DIN_BLANK)
		return;
	sample->others += !good;
	if (!good)
		return;
	if (!sample->records && !sample->noted)
		sample->form = din.form;
	if (!sample->digits && din.digits > num_hex_width(din.address))
		sample->digits = din.digits;
	sample->records += !din.has_note;
	sample->noted += din.has_note;
}

static void
classify_lines(struct din_sample *sample, const uint8_t *p, size_t n)
{
	*sample = (struct din_sample){.records = 0};
	n = n < SAMPLE_BYTES ? n : SAMPLE_BYTES;
	for (size_t i = 0, size; i < SAMPLE_LINES; i++, p += size, n -= size) {
		size = line_size(p, n, DIN_LINE_MAX);
		if (size == 0)
			return;
		add_line(sample, &(struct line){.text = p, .size = size, .ended = true});
	}
}

static int
din_probe(const uint8_t *p, size_t n, bool eof, struct probe_note *note)
{
	(void)eof;
	struct din_sample sample;
	classify_lines(&sample, p, n);
	size_t good = sample.records + sample.noted;
	note->near = good > 0;
	note->consistent = note->near && !sample.noted && !sample.others;
	if (good)
		snprintf(note->text, sizeof note->text,
			"%zu of the first %zu lines are a label and an address%s", good,
			good + sample.others, sample.form == DIN_SIZED ? ", with a size" : "");
	/*
	 * Any two columns of numbers can match, so this bid is lower than that of any other
	 * format.
	 */
	return sample.records >= 3 && sample.noted <= sample.records && !sample.others ? 10 : 0;
}

static inline void
store_record(struct batch *batch, size_t row, const struct din *din)
{
	static const uint8_t kinds[DIN_RECORD_COUNT] = {POLY_KIND_ACCESS, POLY_KIND_ACCESS,
		POLY_KIND_INSTRUCTION, POLY_KIND_OTHER, POLY_KIND_EVENT, POLY_KIND_ACCESS,
		POLY_KIND_ACCESS, POLY_KIND_OTHER, POLY_KIND_OTHER};
	static const uint8_t accesses[DIN_RECORD_COUNT] = {[DIN_READ] = POLY_ACCESS_READ,
		[DIN_WRITE] = POLY_ACCESS_WRITE,
		[DIN_COPY_BACK] = POLY_ACCESS_CACHE,
		[DIN_INVALIDATE] = POLY_ACCESS_CACHE};
	batch_put(batch, kind, row, kinds[din->is]);
	if (din->is == DIN_BLANK)
		return;
	if (din->is == DIN_FETCH) {
		batch_put(batch, pc, row, din->address);
		if (din->form == DIN_SIZED && din->size <= UINT8_MAX)
			batch_put(batch, opcode_size, row, (uint8_t)din->size);
		return;
	}
	if (kinds[din->is] == POLY_KIND_ACCESS)
		batch_put(batch, access, row, accesses[din->is]);
	if (din->is == DIN_FLUSH)
		batch_put(batch, event, row, POLY_EVENT_FLUSH);
	batch_put(batch, address, row, din->address);
	if (din->form == DIN_SIZED)
		batch_put(batch, size, row, (uint32_t)din->size);
}

/*
 * The address of an access is a variable field; that of an instruction is part of the template.
 */
static inline void
set_template(const struct din_reader *reader, const struct din *din, const uint8_t *text,
	struct line_shape *shape)
{
	shape->place = din->is == DIN_FETCH;
	shape->repeats = true;
	if (!shape->place)
		shape_window(shape, text + 2, din->digits,
			din->digits <= reader->digits ? WINDOW_ZEROS : 0, POLY_COLUMN_address);
}

static bool
din_parse_line(struct reading *reading, struct batch *batch, size_t row,
	const struct line *line, struct line_fault *fault)
{
	const struct din_reader *reader = reading->state;
	struct din din;
	bool fast = parse_exact(line->text, &din);
	if (!fast && !parse_any(line, &din, fault))
		return false;
	bool exact = fast && din.exact && line->ended && din.form == reader->form &&
		     din.digits == address_digits(din.address, reader->digits) &&
		     (din.is != DIN_FETCH || din.form == DIN_PLAIN || din.size <= UINT8_MAX);
	batch_put(batch, record, row, (uint8_t)din.is);
	batch_put(batch, origin, row, line->offset);
	store_record(batch, row, &din);
	if (fast && line->shape)
		set_template(reader, &din, line->text, line->shape);
	if (!exact)
		batch_put_bytes(batch, POLY_COLUMN_raw, row, line->text, line->size);
	line_check_end(reading, row, line, D08);
	return true;
}

static const struct line_format line_format = {
	.limit = DIN_LINE_MAX,
	.corrupt_kind = DIN_CORRUPT,
	.too_long = D04,
	.predict = {.windows = POLY_COLUMNS_INIT(address), .typical_size = 40},
	.parse_line = din_parse_line,
};

static enum poly_status
din_open(struct reading *reading, struct poly_error *error)
{
	struct din_reader *reader = reading->state;
	struct poly_trace_info *view = &reading->info->view;
	struct din_sample sample;
	char digits[4] = "";
	size_t have;
	const uint8_t *p = in_peek(reading->in, SAMPLE_BYTES, &have);
	classify_lines(&sample, p, have);
	reader->form = sample.form;
	reader->digits = sample.digits;
	digits[num_decimal(digits, reader->digits)] = 0;
	if (!info_fact(reading->info, "din.form", din_forms[sample.form]) ||
		(sample.digits && !info_fact(reading->info, "din.digits", digits)))
		return err_memory(error);
	lines_open(reading, &reader->lines, &line_format);
	view->records = din_records;
	view->record_count = DIN_RECORD_COUNT;
	return POLY_OK;
}

static void
check_row(struct reading *reading, const struct poly_batch *batch, size_t row)
{
	struct din_reader *reader = reading->state;
	uint64_t record = batch->first + row + 1, origin = batch->origin[row];
	if (batch->record[row] >= DIN_BLANK) {
		if (batch->record[row] == DIN_BLANK)
			findings_add(reading->findings, D06, record, origin, "a blank line");
		return;
	}
	bool sized = poly_present(batch, POLY_COLUMN_size, row) ||
		     poly_present(batch, POLY_COLUMN_opcode_size, row);
	if (reading->deferred && sized != (reader->form == DIN_SIZED)) {
		check_defer(reading->deferred, row);
	} else if (!reader->mixed && sized != (reader->form == DIN_SIZED)) {
		reader->mixed = true;
		findings_add(reading->findings, D07, record, origin,
			"a line with%s size, the first line has %s", sized ? " a" : "out",
			sized ? "none" : "one");
	} else if (poly_present(batch, POLY_COLUMN_raw, row)) {
		findings_add(reading->findings, D05, record, origin,
			"other blanks, digits or case than written, or text after the fields");
	}
}

static void
check_deferred(
	struct reading *reading, const struct poly_batch *batch, size_t prefix, size_t row)
{
	(void)prefix;
	check_row(reading, batch, row);
}

static void
din_check(struct reading *reading, const struct poly_batch *batch)
{
	for (size_t row = 0; batch && row < batch->rows; row++)
		check_row(reading, batch, row);
}

static const struct poly_option options[] = {
	[DIN_OPTION_FORM] = {"din.form", POLY_OPTION_CHOICE, POLY_OPTION_WRITE,
		.initial = DIN_FORMS, .choices = din_forms,
		.help = "write lines with a label and an address, or with a letter, an address "
			"and a size (default auto: as in the source, else plain)",
		.source = "polytrace-din(5)"},
	{.name = NULL},
};

static const struct poly_rule rules[] = {
	[D01] = {"D01", POLY_ERROR,
		"a line begins with a label, which is 0 to 4 or one of r, w, i, m, c, v",
		"polytrace-din(5)"},
	[D02] = {"D02", POLY_ERROR, "an address has 1 to 16 hexadecimal digits",
		"polytrace-din(5)"},
	[D03] = {"D03", POLY_ERROR,
		"a line with a letter has a hexadecimal size of at most 32 bits",
		"polytrace-din(5)"},
	[D04] = {"D04", POLY_ERROR, "a line has at most 16384 bytes", "polytrace-din(5)"},
	[D05] = {"D05", POLY_NOTE, "lines have one spelling, and no text follows their fields",
		"polytrace-din(5)"},
	[D06] = {"D06", POLY_NOTE, "no line is blank", "polytrace-din(5)"},
	[D07] = {"D07", POLY_WARNING, "either all lines have sizes or none has",
		"polytrace-din(5)"},
	[D08] = {"D08", POLY_WARNING, "the last line ends in a newline", "polytrace-din(5)"},
	{.code = NULL},
};

static const struct format din = {
	.content = {.users = "Dinero III, IV",
		.kinds = POLY_KIND_BIT(INSTRUCTION) | POLY_KIND_BIT(ACCESS) |
			 POLY_KIND_BIT(EVENT),
		.own_kinds = POLY_KIND_BIT(EVENT),
		.own_columns = POLY_COLUMNS_INIT(opcode_size, size, event),
		.fills = POLY_COLUMNS_INIT(pc)},
	.info =
		{
			.name = "din",
			.family = "din",
			.title = "Dinero trace of memory references",
			.extensions = "din xdin",
			.spec = "manual pages of Dinero III and IV",
			.can_read = true,
			.can_write = true,
			.columns = POLY_COLUMNS_INIT(kind, record, pc, opcode_size, access,
				address, size, event, raw, origin),
			.options = options,
			.rules = rules,
		},
	.is_text = true,
	.reader_size = sizeof(struct din_reader),
	.writer_size = sizeof(struct din_writer),
	.rows_independent = true,
	.probe = din_probe,
	.open = din_open,
	.read = lines_read,
	.resync = lines_resync,
	.find_split = lines_find_split,
	.check = din_check,
	.checks_chunks = true,
	.check_deferred = check_deferred,
	.close = lines_close,
	.wopen = din_wopen,
	.write = din_write,
};

const struct format *const formats_din[] = {&din, NULL};
