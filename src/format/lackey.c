/* SPDX-License-Identifier: MIT */
/*
 * What valgrind's tool lackey writes with --trace-mem=yes: a line for every instruction and
 * every access, with valgrind's messages before and behind them and the program's own output
 * anywhere.
 *
 *     line   = ( "I " | " L" | " S" | " M" ) " " address "," size
 *            | message | anything ;
 *     message = mark [ stamp " " ] number mark ( " " anything | ) ;
 *     mark = "==" | "--" | "**" ;   stamp = { digit | ":" | "." }-
 *
 * An address has at least 8 hexadecimal digits, a size is decimal. M is a load and a store of
 * the same place, which lackey's own counters count as both.
 *
 * spec: Valgrind User Manual, "Lackey: an example tool"; polytrace-lackey(5)
 */
#include "format/lackey/lackey.h"

#include "base/num.h"

#include <stdio.h>

/* Bytes of the longest line. */
#define LINE_MOST ((size_t)64 << 10)

/* Lines at the front that are looked at, and how many bytes of them. */
#define SAMPLE_LINES 256
#define SAMPLE_BYTES ((size_t)16 << 10)

/* The largest sizes that lackey knows. */
#define INSTRUCTION_MOST 20
#define ACCESS_MOST 512

enum rule { L01, L02, L03, L04, L05, L06, L07 };

const char *const lackey_records[LACKEY_RECORD_COUNT] = {
	[LACKEY_INSTRUCTION] = "instruction",
	[LACKEY_LOAD] = "load",
	[LACKEY_STORE] = "store",
	[LACKEY_MODIFY] = "modify",
	[LACKEY_MESSAGE] = "message",
	[LACKEY_OUTPUT] = "output",
	[LACKEY_DAMAGED] = "damaged",
};

struct lackey_reader {
	struct lines lines;
	uint64_t instructions; /* that the check has seen */
	uint64_t process;      /* of the first message */
	bool has_process;
	bool has_several; /* messages are of several processes */
	bool unowned;	  /* it was found that accesses come before instructions */
};

/* A record's fields. */
struct lackey {
	enum lackey_record is;
	uint64_t address;
	uint32_t size;
	unsigned digits; /* of the address; undefined where the line is unusual */
	bool exact;	 /* it is as lackey writes it */
	bool unusual;	 /* digits are in upper case */
};

#define HEAD(a, b, c) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16)

/* The record of a line's first three bytes; LACKEY_OUTPUT where it is none. */
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

/* A size and the end of the line; false where something else stands there. */
static inline bool
parse_size(const uint8_t *p, struct lackey *it)
{
	const uint8_t *start = p;
	uint32_t size = 0;
	for (unsigned digit; (digit = (unsigned)*p - '0') < 10 && p - start < 9; p++)
		size = size * 10 + digit;
	it->size = size;
	it->exact &= *p == '\n' && (*start != '0' || p == start + 1);
	return p != start && (*p == '\n' || (*p == '\r' && p[1] == '\n'));
}

/* A record whose address is otherwise than lackey writes it: upper-case digits. */
static bool
parse_unusual(const uint8_t *p, struct lackey *it)
{
	size_t n = 0;
	it->exact = false;
	it->unusual = true;
	while (num_hex_digit((char)p[n]) >= 0)
		n++;
	return p[n] == ',' && num_parse_hex((const char *)p, n, &it->address) &&
	       parse_size(p + n + 1, it);
}

/* A line of a record; is becomes LACKEY_OUTPUT where it is none. */
static inline void
parse(const uint8_t *p, struct lackey *it)
{
	it->is = record_of(p);
	if (it->is == LACKEY_OUTPUT)
		return;
	unsigned n = num_hex_run(p + 3, &it->address);
	it->unusual = false;
	it->digits = n;
	it->exact = n == LACKEY_ADDRESS_DIGITS || (n > LACKEY_ADDRESS_DIGITS && p[3] != '0');
	bool good = n && p[3 + n] == ',' ? parse_size(p + 4 + n, it) : parse_unusual(p + 3, it);
	if (!good || (it->is == LACKEY_INSTRUCTION && it->size > UINT8_MAX))
		it->is = LACKEY_OUTPUT;
}

/* Where the number of the process stands: behind the marks, and the time where it is told. */
static size_t
process_at(const uint8_t *p, size_t n)
{
	size_t i = 2;
	while (i < n && ((p[i] >= '0' && p[i] <= ':') || p[i] == '.'))
		i++;
	return i > 2 && i < n && p[i] == ' ' ? i + 1 : 2;
}

/* The text of a message, behind its marks, and the process that it is of; NULL: it is none. */
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

/* The bytes of a line without its end. */
static size_t
text_size(const uint8_t *text, size_t n)
{
	n -= n && text[n - 1] == '\n';
	return n - (n && text[n - 1] == '\r');
}

/* Lines at the front of an input, by what they are. */
struct sample {
	size_t records, messages, others;
};

/* Keeps what a message says of the run, where it does, and in plain characters. */
static bool
keep_fact(struct info *info, const char *text, size_t n)
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

/* Looks at the front; info may be NULL. False: no memory. */
static bool
take_sample(struct sample *sample, const uint8_t *p, size_t n, struct info *info)
{
	bool good = true;
	*sample = (struct sample){.records = 0};
	n = n < SAMPLE_BYTES ? n : SAMPLE_BYTES;
	for (size_t i = 0, size; good && i < SAMPLE_LINES; i++, p += size, n -= size) {
		uint8_t line[64] = {0};
		struct lackey it;
		uint64_t process;
		size = line_size(p, n, LINE_MOST);
		if (size == 0)
			return true;
		/* The bytes of a probe may end right behind a line. */
		memcpy(line, p, size < sizeof line / 2 ? size : sizeof line / 2);
		parse(line, &it);
		const char *text = message_text(p, size, &process);
		sample->records += it.is != LACKEY_OUTPUT;
		sample->messages += text != NULL;
		sample->others += it.is == LACKEY_OUTPUT && !text;
		if (text && info)
			good = keep_fact(info, text,
				text_size(p, size) - (size_t)((const uint8_t *)text - p));
	}
	return good;
}

static int
lackey_probe(const uint8_t *p, size_t n, bool eof, struct probe_note *note)
{
	(void)eof;
	struct sample sample;
	take_sample(&sample, p, n, NULL);
	note->near = sample.records > 0;
	if (sample.records)
		snprintf(note->text, sizeof note->text,
			"%zu of the first %zu lines are instructions and accesses of lackey",
			sample.records, sample.records + sample.messages + sample.others);
	if (sample.records < 3 || 4 * sample.others > sample.records)
		return 0;
	return sample.others ? 20 : 24;
}

static void
find(struct reading *reading, enum rule rule, size_t row, const struct line *line)
{
	uint64_t record = reading->record + row + 1;
	if (rule == L01 && text_size(line->text, line->size) == 0)
		findings_add(reading->findings, rule, record, line->offset,
			"a blank line is no record");
	else if (rule == L01)
		findings_add(reading->findings, rule, record, line->offset,
			"'%.*s' is no record", line_shown(line->text, line->size),
			(const char *)line->text);
	else if (in_status(reading->in, NULL) == POLY_END)
		findings_add(reading->findings, rule, record, line->offset,
			"the last line has no newline, it may be cut off");
}

/* A line that is no record. */
static void
put_other(struct reading *reading, struct batch *batch, size_t row, const struct line *line)
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
		find(reading, L01, row, line);
}

static inline void
put_record(struct batch *batch, size_t row, const struct lackey *it, unsigned part)
{
	batch_put(batch, record, row, (uint8_t)it->is);
	if (it->is == LACKEY_INSTRUCTION) {
		batch_put(batch, kind, row, POLY_KIND_INSTRUCTION);
		batch_put(batch, pc, row, it->address);
		batch_put(batch, opcode_size, row, (uint8_t)it->size);
		return;
	}
	bool reads = it->is == LACKEY_LOAD || (it->is == LACKEY_MODIFY && part == 0);
	batch_put(batch, kind, row, POLY_KIND_ACCESS);
	batch_put(batch, access, row, reads ? POLY_ACCESS_READ : POLY_ACCESS_WRITE);
	batch_put(batch, address, row, it->address);
	batch_put(batch, size, row, it->size);
}

/* The address of an access may change; an instruction is the same as often as it is executed.
 */
static inline void
put_shape(const struct lackey *it, const uint8_t *text, struct line_shape *shape)
{
	shape->place = it->is == LACKEY_INSTRUCTION;
	shape->repeats = !it->unusual;
	if (!shape->place)
		shape_window(shape, text + 3, it->digits,
			it->digits <= LACKEY_ADDRESS_DIGITS ? WINDOW_ZEROS : 0,
			POLY_COLUMN_address);
}

static bool
lackey_take(struct reading *reading, struct batch *batch, size_t row, const struct line *line,
	struct line_fault *fault)
{
	(void)fault;
	struct lackey it;
	parse(line->text, &it);
	batch_put(batch, origin, row, line->offset);
	*line->more = it.is == LACKEY_MODIFY && line->part == 0;
	if (it.is == LACKEY_OUTPUT)
		put_other(reading, batch, row, line);
	else
		put_record(batch, row, &it, line->part);
	if (it.is != LACKEY_OUTPUT && line->shape)
		put_shape(&it, line->text, line->shape);
	if (line->part == 0 && (it.is == LACKEY_OUTPUT || !it.exact || !line->ended))
		batch_put_bytes(batch, POLY_COLUMN_raw, row, line->text, line->size);
	if (line->part == 0 && !line->ended)
		find(reading, L04, row, line);
	return true;
}

static const struct line_format line_format = {
	.limit = LINE_MOST,
	.damaged = LACKEY_DAMAGED,
	.too_long = L02,
	.predict = {.windows = POLY_HAS(address), .usual = 40},
	.take = lackey_take,
};

static enum poly_status
lackey_open(struct reading *reading, struct poly_error *error)
{
	struct poly_trace_info *view = &reading->info->view;
	struct sample sample;
	size_t have;
	const uint8_t *p = in_peek(reading->in, SAMPLE_BYTES, &have);
	if (!take_sample(&sample, p, have, reading->info))
		return err_memory(error);
	lines_open(reading, &line_format);
	view->addresses = POLY_ADDRESS_VIRTUAL;
	view->records = lackey_records;
	view->record_count = LACKEY_RECORD_COUNT;
	return POLY_OK;
}

/* The number, with commas, behind the words that begin a message; false where others do. */
static bool
counted(const char *text, size_t n, uint64_t *count)
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

/* What lackey counted must be what stands before it, where only one process writes. */
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
		!counted(text, (size_t)((const char *)line + n - text), &count))
		return;
	if (count != reader->instructions)
		findings_add(reading->findings, L07, batch->first + row + 1, batch->origin[row],
			"lackey counted %llu instructions, found %llu",
			(unsigned long long)count, (unsigned long long)reader->instructions);
}

static void
check_record(struct reading *reading, const struct poly_batch *batch, size_t row)
{
	struct lackey_reader *reader = reading->state;
	uint64_t record = batch->first + row + 1, origin = batch->origin[row];
	bool instruction = batch->record[row] == LACKEY_INSTRUCTION;
	uint32_t size = instruction ? batch->opcode_size[row] : batch->size[row];
	uint32_t most = instruction ? INSTRUCTION_MOST : ACCESS_MOST;
	reader->instructions += instruction;
	if (size == 0 || size > most)
		findings_add(reading->findings, L03, record, origin,
			"size is %u bytes, expected 1 to %u", size, most);
	if (poly_present(batch, POLY_COLUMN_raw, row))
		findings_add(reading->findings, L05, record, origin,
			"lackey writes digits in lower case, at least %d of an address, and "
			"nothing behind the size",
			LACKEY_ADDRESS_DIGITS);
	if (!instruction && !reader->instructions && !reader->unowned) {
		reader->unowned = true;
		findings_add(reading->findings, L06, record, origin,
			"no instruction stands before the first access");
	}
}

static void
lackey_check(struct reading *reading, const struct poly_batch *batch)
{
	for (size_t row = 0; batch && row < batch->rows; row++) {
		if (batch->record[row] <= LACKEY_MODIFY)
			check_record(reading, batch, row);
		else if (batch->record[row] == LACKEY_MESSAGE)
			check_message(reading, batch, row);
	}
}

static const struct poly_option no_options[] = {{.name = NULL}};

static const struct poly_rule rules[] = {
	[L01] = {"L01", POLY_WARNING,
		"a line is an instruction, an access or a message of valgrind",
		"polytrace-lackey(5)"},
	[L02] = {"L02", POLY_ERROR, "a line has at most 65536 bytes", "polytrace-lackey(5)"},
	[L03] = {"L03", POLY_WARNING,
		"an instruction has 1 to 20 bytes, and an access moves 1 to 512",
		"polytrace-lackey(5)"},
	[L04] = {"L04", POLY_WARNING, "the last line ends in a newline", "polytrace-lackey(5)"},
	[L05] = {"L05", POLY_NOTE, "records are written as lackey writes them",
		"polytrace-lackey(5)"},
	[L06] = {"L06", POLY_NOTE, "accesses stand behind an instruction",
		"polytrace-lackey(5)"},
	[L07] = {"L07", POLY_WARNING,
		"there are as many instructions as lackey says that it counted",
		"polytrace-lackey(5)"},
	{.code = NULL},
};

static const struct format lackey = {
	.info =
		{
			.name = "lackey",
			.family = "lackey",
			.title = "valgrind lackey trace of instructions and accesses",
			.extensions = "lackey",
			.spec = "Valgrind User Manual, Lackey",
			.can_read = true,
			.can_write = true,
			.columns = POLY_HAS(kind) | POLY_HAS(record) | POLY_HAS(process) |
				   POLY_HAS(pc) | POLY_HAS(opcode_size) | POLY_HAS(access) |
				   POLY_HAS(address) | POLY_HAS(size) | POLY_HAS(text) |
				   POLY_HAS(raw) | POLY_HAS(origin),
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
	.cut = lines_cut,
	.check = lackey_check,
	.close = lines_close,
	.wopen = lackey_wopen,
	.write = lackey_write,
	.wfinish = lackey_wfinish,
};

const struct format *const formats_lackey[] = {&lackey, NULL};
