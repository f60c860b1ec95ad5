/* SPDX-License-Identifier: MIT */
/*
 * Output of valgrind's tool lackey with --trace-mem=yes: a line per instruction and per access,
 * valgrind's messages before and after them, and the program's own output anywhere.
 *
 *     line   = ( "I " | " L" | " S" | " M" ) " " address "," size
 *            | message | anything ;
 *     message = mark [ stamp " " ] number mark ( " " anything | ) ;
 *     mark = "==" | "--" | "**" ;   stamp = { digit | ":" | "." }-
 *
 * An address has at least 8 hexadecimal digits, a size is decimal. M is a load and a store of
 * the same address, which lackey's own counters count as both.
 *
 * spec: Valgrind User Manual, "Lackey: an example tool"; polytrace-lackey(5)
 */
#include "format/lackey/lackey.h"

#include "base/num.h"

#include <stdio.h>

/* Bytes of the longest line. */
#define LACKEY_LINE_MAX ((size_t)64 << 10)

/* Limits of the sample that the probe and the reader classify. */
#define SAMPLE_LINES 256
#define SAMPLE_BYTES ((size_t)16 << 10)

/* Maximum sizes that lackey writes. */
#define INSTRUCTION_MAX 20
#define ACCESS_MAX 512

enum lackey_rule { K02, K03, K04, K05, K06, K07, K08 };

const char *const lackey_records[LACKEY_RECORD_COUNT] = {
	[LACKEY_INSTRUCTION] = "instruction",
	[LACKEY_LOAD] = "load",
	[LACKEY_STORE] = "store",
	[LACKEY_MODIFY] = "modify",
	[LACKEY_MESSAGE] = "message",
	[LACKEY_OUTPUT] = "output",
	[LACKEY_CORRUPT] = "corrupt",
};

/* State of the check; of a decoder, what the batch has. */
struct lackey_check {
	uint64_t instructions;
	bool has_orphan; /* an access precedes the first instruction */
};

struct lackey_reader {
	struct lines lines;
	struct lackey_check check;
	uint64_t process; /* of the first message */
	bool has_process;
	bool has_several; /* messages come from several processes */
	bool unowned;	  /* K06 was reported: accesses precede the first instruction */
};

/* A record's fields. */
struct lackey {
	enum lackey_record is;
	uint64_t address;
	uint32_t size;
	unsigned digits; /* of the address; undefined if upper_case */
	bool exact;	 /* spelled as lackey writes it */
	bool upper_case; /* of the digits */
};

#define HEAD(a, b, c) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16)

/* Returns the record type of a line's first three bytes; LACKEY_OUTPUT for other lines. */
static inline enum lackey_record
record_of(const uint8_t *p)
{
	switch (load_le32(p) & 0xffffff) {
	case HEAD('I', ' ', ' '): return LACKEY_INSTRUCTION;
	case HEAD(' ', 'L', ' '): return LACKEY_LOAD;
	case HEAD(' ', 'S', ' '): return LACKEY_STORE;
	case HEAD(' ', 'M', ' '): return LACKEY_MODIFY;
	default: return LACKEY_OUTPUT;
	}
}

/* Parses a size and the end of the line. */
static inline bool
parse_size(const uint8_t *p, struct lackey *record)
{
	const uint8_t *start = p;
	uint32_t size = 0;
	for (unsigned digit; (digit = (unsigned)*p - '0') < 10 && p - start < 9; p++)
		size = size * 10 + digit;
	record->size = size;
	record->exact &= *p == '\n' && (*start != '0' || p == start + 1);
	return p != start && (*p == '\n' || (*p == '\r' && p[1] == '\n'));
}

/* Parses a record whose address has upper-case digits, which lackey does not write. */
static bool
parse_upper_case(const uint8_t *p, struct lackey *record)
{
	size_t n = 0;
	record->exact = false;
	record->upper_case = true;
	while (num_hex_digit((char)p[n]) >= 0)
		n++;
	return p[n] == ',' && num_parse_hex((const char *)p, n, &record->address) &&
	       parse_size(p + n + 1, record);
}

/* Parses a line; sets `is` to LACKEY_OUTPUT if it is not a record. */
static inline void
parse(const uint8_t *p, struct lackey *record)
{
	record->is = record_of(p);
	if (record->is == LACKEY_OUTPUT)
		return;
	unsigned n = num_hex_run(p + 3, &record->address);
	record->upper_case = false;
	record->digits = n;
	record->exact =
		n == LACKEY_ADDRESS_DIGITS || (n > LACKEY_ADDRESS_DIGITS && p[3] != '0');
	bool good = n && p[3 + n] == ',' ? parse_size(p + 4 + n, record)
					 : parse_upper_case(p + 3, record);
	if (!good || (record->is == LACKEY_INSTRUCTION && record->size > UINT8_MAX))
		record->is = LACKEY_OUTPUT;
}

/* Returns the offset of the process id: after the mark, and after the time if present. */
static size_t
process_at(const uint8_t *p, size_t n)
{
	size_t i = 2;
	while (i < n && ((p[i] >= '0' && p[i] <= ':') || p[i] == '.'))
		i++;
	return i > 2 && i < n && p[i] == ' ' ? i + 1 : 2;
}

/* Returns the text of a message after its marks, and its process id; NULL: not a message. */
static const char *
message_text(const uint8_t *p, size_t n, uint64_t *process)
{
	if (n < 6 || p[0] != p[1] || !strchr("=-*", p[0]) || !p[0])
		return NULL;
	size_t start = process_at(p, n), i = start;
	while (i < n && p[i] >= '0' && p[i] <= '9')
		i++;
	if (!num_parse((const char *)p + start, i - start, process) || n < i + 2 ||
		p[i] != p[0] || p[i + 1] != p[0])
		return NULL;
	i += 2;
	return (const char *)p + i + (i < n && p[i] == ' ');
}

/* Returns the size of a line without its newline. */
static size_t
text_size(const uint8_t *text, size_t n)
{
	n -= n && text[n - 1] == '\n';
	return n - (n && text[n - 1] == '\r');
}

/* Counts of the lines at the front of an input, by their class. */
struct lackey_sample {
	size_t records, messages, others;
};

/* Stores the command or the version of a message that has one, in printable characters. */
static bool
store_fact(struct info *info, const char *text, size_t n)
{
	static const char command[] = "Command: ", version[] = "Using Valgrind-";
	char value[300];
	for (size_t i = 0; i < n; i++) {
		if (text[i] < ' ' || text[i] > '~')
			return true;
	}
	if (n > sizeof command && memcmp(text, command, sizeof command - 1) == 0) {
		snprintf(value, sizeof value, "%.*s", (int)(n - (sizeof command - 1)),
			text + sizeof command - 1);
		return info_fact(info, "lackey.command", value);
	}
	if (n <= sizeof version || memcmp(text, version, sizeof version - 1) != 0)
		return true;
	text += sizeof version - 1;
	snprintf(value, sizeof value, "lackey of valgrind %.*s", (int)strcspn(text, " \n"),
		text);
	return (info->view.producer = info_string(info, value)) != NULL;
}

/* Classifies the lines at the front; info may be NULL. False: out of memory. */
static bool
classify_lines(struct lackey_sample *sample, const uint8_t *p, size_t n, struct info *info)
{
	bool good = true;
	*sample = (struct lackey_sample){.records = 0};
	n = n < SAMPLE_BYTES ? n : SAMPLE_BYTES;
	for (size_t i = 0, size; good && i < SAMPLE_LINES; i++, p += size, n -= size) {
		uint8_t line[64] = {0};
		struct lackey record;
		uint64_t process;
		size = line_size(p, n, LACKEY_LINE_MAX);
		if (size == 0)
			return true;
		/* The bytes of a probe may end directly after a line. */
		memcpy(line, p, size < sizeof line / 2 ? size : sizeof line / 2);
		parse(line, &record);
		const char *text = message_text(p, size, &process);
		sample->records += record.is != LACKEY_OUTPUT;
		sample->messages += text != NULL;
		sample->others += record.is == LACKEY_OUTPUT && !text;
		if (text && info)
			good = store_fact(info, text,
				text_size(p, size) - (size_t)((const uint8_t *)text - p));
	}
	return good;
}

static int
lackey_probe(const uint8_t *p, size_t n, bool eof, struct probe_note *note)
{
	(void)eof;
	struct lackey_sample sample;
	classify_lines(&sample, p, n, NULL);
	note->near = sample.records > 0;
	note->consistent = (sample.records || sample.messages) && !sample.others;
	note->distinct = note->near && note->consistent;
	if (sample.records)
		snprintf(note->text, sizeof note->text,
			"%zu of the first %zu lines are instructions and accesses of lackey",
			sample.records, sample.records + sample.messages + sample.others);
	if (sample.records < 3 || 4 * sample.others > sample.records)
		return 0;
	return sample.others ? 20 : 24;
}

static void
add_other(struct reading *reading, size_t row, const struct line *line)
{
	uint64_t record = reading->record + row + 1;
	if (!line->ended) {
		if (in_ended(reading->in))
			findings_add_truncation(reading->findings, K08, record, line->offset,
				"the last line is truncated: '%.*s' is not a record",
				line_shown(line->text, line->size), (const char *)line->text);
	} else {
		line_add_unknown(reading, row, line, NULL);
	}
}

/* Stores a line that is not a record. */
static void
store_other(struct reading *reading, struct batch *batch, size_t row, const struct line *line)
{
	uint64_t process;
	bool message = message_text(line->text, line->size, &process) != NULL;
	batch_put(batch, kind, row, POLY_KIND_OTHER);
	batch_put(batch, record, row, message ? LACKEY_MESSAGE : LACKEY_OUTPUT);
	if (message)
		batch_put(batch, process, row, process);
	batch_put_bytes(
		batch, POLY_COLUMN_text, row, line->text, text_size(line->text, line->size));
	if (!message)
		add_other(reading, row, line);
}

static inline void
store_record(struct batch *batch, size_t row, const struct lackey *record, unsigned part)
{
	batch_put(batch, record, row, (uint8_t)record->is);
	if (record->is == LACKEY_INSTRUCTION) {
		batch_put(batch, kind, row, POLY_KIND_INSTRUCTION);
		batch_put(batch, pc, row, record->address);
		batch_put(batch, opcode_size, row, (uint8_t)record->size);
		return;
	}
	bool reads = record->is == LACKEY_LOAD || (record->is == LACKEY_MODIFY && part == 0);
	batch_put(batch, kind, row, POLY_KIND_ACCESS);
	batch_put(batch, access, row, reads ? POLY_ACCESS_READ : POLY_ACCESS_WRITE);
	batch_put(batch, address, row, record->address);
	batch_put(batch, size, row, record->size);
}

/* The address of an access is a variable field; an instruction line repeats unchanged. */
static inline void
set_template(const struct lackey *record, const uint8_t *text, struct line_shape *shape)
{
	shape->place = record->is == LACKEY_INSTRUCTION;
	shape->repeats = !record->upper_case;
	if (!shape->place)
		shape_window(shape, text + 3, record->digits,
			record->digits <= LACKEY_ADDRESS_DIGITS ? WINDOW_ZEROS : 0,
			POLY_COLUMN_address);
}

static bool
lackey_parse_line(struct reading *reading, struct batch *batch, size_t row,
	const struct line *line, struct line_fault *fault)
{
	(void)fault;
	struct lackey record;
	parse(line->text, &record);
	batch_put(batch, origin, row, line->offset);
	*line->more_rows = record.is == LACKEY_MODIFY && line->row_index == 0;
	if (record.is == LACKEY_OUTPUT)
		store_other(reading, batch, row, line);
	else
		store_record(batch, row, &record, line->row_index);
	if (record.is != LACKEY_OUTPUT && line->shape)
		set_template(&record, line->text, line->shape);
	if (line->row_index == 0 &&
		(record.is == LACKEY_OUTPUT || !record.exact || !line->ended))
		batch_put_bytes(batch, POLY_COLUMN_raw, row, line->text, line->size);
	if (line->row_index == 0)
		line_check_end(reading, row, line, K04);
	return true;
}

static const struct line_format line_format = {
	.limit = LACKEY_LINE_MAX,
	.corrupt_kind = LACKEY_CORRUPT,
	.too_long = K02,
	.predict = {.windows = POLY_COLUMNS_INIT(address), .typical_size = 40},
	.parse_line = lackey_parse_line,
};

static enum poly_status
lackey_open(struct reading *reading, struct poly_error *error)
{
	struct lackey_reader *reader = reading->state;
	struct poly_trace_info *view = &reading->info->view;
	struct lackey_sample sample;
	size_t have;
	const uint8_t *p = in_peek(reading->in, SAMPLE_BYTES, &have);
	if (!classify_lines(&sample, p, have, reading->info))
		return err_memory(error);
	lines_open(reading, &reader->lines, &line_format);
	view->addresses = POLY_ADDRESS_VIRTUAL;
	view->records = lackey_records;
	view->record_count = LACKEY_RECORD_COUNT;
	return POLY_OK;
}

/* Parses the number, with commas, of a message "guest instrs:"; false for other messages. */
static bool
parse_instruction_count(const char *text, size_t n, uint64_t *count)
{
	static const char words[] = "  guest instrs:";
	size_t i = sizeof words - 1;
	bool good = false;
	if (n < i || memcmp(text, words, i) != 0)
		return false;
	for (*count = 0; i < n; i++) {
		if (text[i] >= '0' && text[i] <= '9') {
			*count = *count * 10 + (uint64_t)(text[i] - '0');
			good = true;
		}
	}
	return good;
}

/* Compares lackey's own count with the instructions before it, if only one process writes. */
static void
check_message(struct reading *reading, const struct poly_batch *batch, size_t row)
{
	struct lackey_reader *reader = reading->state;
	uint64_t process, count;
	size_t n;
	const uint8_t *line = poly_batch_bytes(batch, POLY_COLUMN_text, row, &n);
	const char *text = message_text(line, n, &process);
	if (!text)
		return;
	reader->has_several |= reader->has_process && process != reader->process;
	reader->process = reader->has_process ? reader->process : process;
	reader->has_process = true;
	if (reader->has_several ||
		!parse_instruction_count(text, (size_t)((const char *)line + n - text), &count))
		return;
	if (count != reader->check.instructions)
		findings_add(reading->findings, K07, batch->first + row + 1, batch->origin[row],
			"lackey counted %llu instructions, found %llu",
			(unsigned long long)count,
			(unsigned long long)reader->check.instructions);
}

static void
check_record(struct reading *reading, const struct poly_batch *batch, size_t row)
{
	struct lackey_reader *reader = reading->state;
	uint64_t record = batch->first + row + 1, origin = batch->origin[row];
	bool instruction = batch->record[row] == LACKEY_INSTRUCTION;
	uint32_t size = instruction ? batch->opcode_size[row] : batch->size[row];
	uint32_t max = instruction ? INSTRUCTION_MAX : ACCESS_MAX;
	reader->check.instructions += instruction;
	if (size == 0 || size > max)
		findings_add(reading->findings, K03, record, origin,
			"size is %u bytes, expected 1 to %u", size, max);
	if (poly_present(batch, POLY_COLUMN_raw, row))
		findings_add(reading->findings, K05, record, origin,
			"lackey writes digits in lower case, at least %d of an address, and "
			"nothing after the size",
			LACKEY_ADDRESS_DIGITS);
	if (instruction || reader->check.instructions)
		return;
	reader->check.has_orphan = true;
	if (!reading->deferred && !reader->unowned) {
		reader->unowned = true;
		findings_add(reading->findings, K06, record, origin,
			"no instruction precedes the first access");
	}
}

static bool
check_fits(const struct reading *reading, const void *state)
{
	const struct lackey_reader *reader = reading->state;
	const struct lackey_check *counted = state;
	return !counted->has_orphan || reader->check.instructions;
}

static void
check_adopt(struct reading *reading, const struct poly_batch *batch, const void *state,
	uint64_t first)
{
	struct lackey_reader *reader = reading->state;
	const struct lackey_check *counted = state;
	(void)batch, (void)first;
	reader->check.instructions += counted->instructions;
}

static void
lackey_check(struct reading *reading, const struct poly_batch *batch)
{
	struct lackey_reader *reader = reading->state;
	if (reading->deferred)
		reader->check = (struct lackey_check){.instructions = 0};
	for (size_t row = 0; batch && row < batch->rows; row++) {
		if (batch->record[row] <= LACKEY_MODIFY)
			check_record(reading, batch, row);
		else if (batch->record[row] == LACKEY_MESSAGE && reading->deferred)
			/* It states the number of all instructions before. */
			check_defer_batch(reading);
		else if (batch->record[row] == LACKEY_MESSAGE)
			check_message(reading, batch, row);
	}
}

static const struct poly_option no_options[] = {{.name = NULL}};

static const struct poly_rule rules[] = {
	[K02] = {"K02", POLY_ERROR, "a line has at most 65536 bytes", "polytrace-lackey(5)"},
	[K03] = {"K03", POLY_WARNING,
		"an instruction has 1 to 20 bytes, and an access moves 1 to 512",
		"polytrace-lackey(5)"},
	[K04] = {"K04", POLY_WARNING, "the last line ends in a newline", "polytrace-lackey(5)"},
	[K05] = {"K05", POLY_NOTE, "records are written as lackey writes them",
		"polytrace-lackey(5)"},
	[K06] = {"K06", POLY_NOTE, "an instruction precedes accesses", "polytrace-lackey(5)"},
	[K07] = {"K07", POLY_WARNING,
		"the number of instructions equals the one that lackey reports",
		"polytrace-lackey(5)"},
	[K08] = {"K08", POLY_ERROR, "the last line is complete", "polytrace-lackey(5)"},
	{.code = NULL},
};

static const struct format lackey = {
	.content = {.users = "valgrind",
		.kinds = POLY_KIND_BIT(INSTRUCTION) | POLY_KIND_BIT(ACCESS) |
			 POLY_KIND_BIT(OTHER),
		.own_kinds = POLY_KIND_BIT(OTHER),
		.own_columns = POLY_COLUMNS_INIT(process, text)},
	.info =
		{
			.name = "lackey",
			.family = "lackey",
			.title = "valgrind lackey trace of instructions and accesses",
			.extensions = "lackey",
			.spec = "Valgrind User Manual, Lackey",
			.can_read = true,
			.can_write = true,
			.columns = POLY_COLUMNS_INIT(kind, record, process, pc, opcode_size,
				access, address, size, text, raw, origin),
			.options = no_options,
			.rules = rules,
		},
	.is_text = true,
	.reader_size = sizeof(struct lackey_reader),
	.writer_size = sizeof(struct lackey_writer),
	.probe = lackey_probe,
	.open = lackey_open,
	.read = lines_read,
	.resync = lines_resync,
	.find_split = lines_find_split,
	.check = lackey_check,
	.checks_chunks = true,
	.check_offset = offsetof(struct lackey_reader, check),
	.check_size = sizeof(struct lackey_check),
	.check_fits = check_fits,
	.check_adopt = check_adopt,
	.close = lines_close,
	.wopen = lackey_wopen,
	.write = lackey_write,
	.continues_line = lackey_continues_line,
	.predict_state = lackey_predict_state,
	.numbers_size = sizeof(struct lackey_writer),
	.wfinish = lackey_wfinish,
};

const struct format *const formats_lackey[] = {&lackey, NULL};
