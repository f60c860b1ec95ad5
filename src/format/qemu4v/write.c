/* SPDX-License-Identifier: MIT */
/*
 * Writing QEMU4V and Tarmac traces: the three forms of the seed, from rows of any trace.
 *
 * spec: seed 002; reference qemu4v-tarmac 2.1, 4.2 and 4.3
 */
#include "format/qemu4v/qemu4v.h"

#include "base/num.h"

/* Room that a line takes, apart from its names, its text and its data. */
#define PRINT_ROOM 400

/* Bytes of the longest name of a processor. */
#define NAME_MOST 100

/* A line in the making. */
struct print {
	char *to;
	size_t used;
};

static void
put_text(struct print *print, const char *text, size_t n)
{
	memcpy(print->to + print->used, text, n);
	print->used += n;
}

static void
put_string(struct print *print, const char *text)
{
	put_text(print, text, strlen(text));
}

static void
put_decimal(struct print *print, uint64_t v)
{
	print->used += num_decimal(print->to + print->used, v);
}

static void
put_hex(struct print *print, uint64_t v, unsigned digits)
{
	num_hex(print->to + print->used, v, digits);
	print->used += digits;
}

/* True where the source's own lines are lines of the format that is written. */
static bool
keeps_lines(const struct writing *writing)
{
	const struct qemu4v_writer *writer = writing->state;
	const char *form = poly_trace_fact(writing->source, "qemu4v.form");
	/* Every line of QEMU4V is one of Tarmac. */
	return writing->own_raw && !writer->microtesk &&
	       (writer->tarmac || !form || strcmp(form, "qemu4v") == 0);
}

static enum poly_status
open_writer(struct writing *writing)
{
	struct qemu4v_writer *writer = writing->state;
	const struct poly_trace_info *source = writing->source;
	const char *clock = source->clock ? source->clock : "",
		   *digits = poly_trace_fact(source, "qemu4v.address"),
		   *order = poly_trace_fact(source, "tarmac.data");
	size_t length = strspn(clock, "abcdefghijklmnopqrstuvwxyz");
	uint64_t number;
	bool word = length && !clock[length] && length < sizeof writer->unit;
	memcpy(writer->unit, word ? clock : "clk", word ? length : 3);
	writer->address_digits = source->address_bits > 32 ? 16 : 8;
	if (digits && num_parse(digits, strlen(digits), &number) && number && number <= 16)
		writer->address_digits = (unsigned)number;
	writer->memory_order =
		order && strcmp(order, qemu4v_data_orders[QEMU4V_DATA_MEMORY]) == 0;
	writer->keeps = keeps_lines(writing);
	writer->keeps_order = true;
	if (writing->given[QEMU4V_OPTION_DATA]) {
		bool wanted = writing->options[QEMU4V_OPTION_DATA] == QEMU4V_DATA_MEMORY;
		writer->keeps_order = wanted == writer->memory_order;
		writer->memory_order = wanted;
	}
	return POLY_OK;
}

enum poly_status
qemu4v_wopen(struct writing *writing, struct poly_error *error)
{
	(void)error;
	struct qemu4v_writer *writer = writing->state;
	writer->microtesk = writing->options[QEMU4V_OPTION_PROFILE] == QEMU4V_PROFILE_MICROTESK;
	enum poly_status status = open_writer(writing);
	if (writer->microtesk) {
		memcpy(writer->unit, "clk", 4);
		writer->address_digits = 16;
	}
	return status;
}

enum poly_status
qemu4v_wopen_tarmac(struct writing *writing, struct poly_error *error)
{
	(void)error;
	struct qemu4v_writer *writer = writing->state;
	writer->tarmac = true;
	return open_writer(writing);
}

/* A name in a column, "" where there is none; *bad where it is one that can't stand in a line.
 */
static const char *
name_of(const struct poly_batch *batch, enum poly_column column, size_t row, bool *bad)
{
	if (!poly_present(batch, column, row))
		return "";
	uint32_t number = (uint32_t)poly_batch_integer(batch, column, row);
	const char *name = poly_trace_name(batch->info, number);
	for (const char *p = name ? name : ""; *p; p++)
		*bad |= *p <= ' ' || *p >= 0x7f || *p == ':';
	return name ? name : "";
}

static uint64_t
value_of(
	const struct poly_batch *batch, enum poly_column column, size_t row, uint64_t otherwise)
{
	return poly_present(batch, column, row) ? poly_batch_integer(batch, column, row)
						: otherwise;
}

/* Bytes in a column, none where it is absent. */
static struct qemu4v_word
bytes_of(const struct poly_batch *batch, enum poly_column column, size_t row)
{
	struct qemu4v_word word = {(const uint8_t *)"", 0};
	if (poly_present(batch, column, row))
		word.text = poly_batch_bytes(batch, column, row, &word.length);
	return word;
}

/* The processor of a row: its name or number in Tarmac, in QEMU4V the number of instructions.
 */
static void
put_cpu(struct writing *writing, struct print *print, const struct poly_batch *batch,
	size_t row)
{
	const struct qemu4v_writer *writer = writing->state;
	bool bad = false, instruction = batch->kind[row] == POLY_KIND_INSTRUCTION;
	const char *name = name_of(batch, POLY_COLUMN_cpu_name, row, &bad);
	bool named = name[0] && !bad && strlen(name) <= NAME_MOST;
	if (name[0] && !(writer->tarmac && named))
		writing_note(writing, "names of processors were dropped");
	if (writer->tarmac && named) {
		put_text(print, " ", 1);
		put_string(print, name);
	} else if (instruction &&
		   (!writer->tarmac || poly_present(batch, POLY_COLUMN_cpu, row))) {
		put_text(print, " ", 1);
		if (name[0] && !poly_present(batch, POLY_COLUMN_cpu, row))
			writing_note(writing, "instructions of no processor that is numbered "
					      "became those of processor 0");
		put_decimal(print, value_of(batch, POLY_COLUMN_cpu, row, 0));
	}
}

/* Instructions that were written, of which copied ones have numbers that move. */
static uint64_t
instructions(const struct writing *writing)
{
	const struct qemu4v_writer *writer = writing->state;
	return writer->count + writing->copied[POLY_COLUMN_instruction_id].count;
}

/* Time, unit and processor, with room for the rest of the line. */
static struct print
begin(struct writing *writing, const struct poly_batch *batch, size_t row, size_t room)
{
	struct qemu4v_writer *writer = writing->state;
	const struct writing_copied *times = &writing->copied[POLY_COLUMN_time];
	struct print print = {(char *)out_room(writing->out, PRINT_ROOM + room), 0};
	bool counts = batch->kind[row] == POLY_KIND_INSTRUCTION;
	writer->count += counts;
	if (writer->copied != times->count)
		writer->last_time = times->last;
	writer->copied = times->count;
	uint64_t time = value_of(batch, POLY_COLUMN_time, row,
		counts ? instructions(writing) : writer->last_time);
	/* MicroTESK counts instructions from 0. */
	if (writer->microtesk)
		time = instructions(writing) ? instructions(writing) - 1 : 0;
	writer->last_time = time;
	/* Copied lines are heard of by their times and numbers. */
	writing_moves(writing, POLY_HAS(time));
	put_decimal(&print, time);
	writing_mark(writing, POLY_COLUMN_time, WRITING_DECIMAL, print.to, print.used);
	put_text(&print, " ", 1);
	put_string(&print, writer->unit);
	put_cpu(writing, &print, batch, row);
	return print;
}

static void
finish(struct writing *writing, struct print *print)
{
	put_text(print, "\n", 1);
	out_commit(writing->out, print->used);
}

/* An address, in Tarmac with its translation, which the column real may have. */
static void
put_address(struct writing *writing, struct print *print, const struct poly_batch *batch,
	size_t row, enum poly_column real)
{
	const struct qemu4v_writer *writer = writing->state;
	uint64_t address = real == POLY_COLUMN_real_pc ? batch->pc[row] : batch->address[row];
	const unsigned digits = qemu4v_address_digits(address, writer->address_digits);
	put_text(print, " ", 1);
	put_hex(print, address, digits);
	if (real != POLY_COLUMN_real_pc)
		writing_mark(writing, POLY_COLUMN_address, WRITING_HEX,
			print->to + print->used - digits, digits);
	if (poly_present(batch, real, row) && writer->tarmac) {
		uint64_t translation = poly_batch_integer(batch, real, row);
		const unsigned width = qemu4v_address_digits(translation, QEMU4V_REAL_DIGITS);
		put_text(print, ":", 1);
		put_hex(print, translation, width);
		writing_mark(
			writing, real, WRITING_HEX, print->to + print->used - width, width);
	} else if (poly_present(batch, real, row)) {
		writing_note(writing, "translations of addresses were dropped");
	}
	put_text(print, " ", 1);
}

/* A value of size bytes. */
static void
put_value(struct print *print, uint64_t value, size_t size)
{
	for (; size > 8; size--)
		put_text(print, "00", 2);
	if (size)
		put_hex(print, value, (unsigned)(2 * size));
}

static void
put_bytes(struct print *print, const struct qemu4v_word *bytes)
{
	num_hex_bytes(print->to + print->used, bytes->text, bytes->length);
	print->used += 2 * bytes->length;
}

/* Instruction set and mode of an instruction, and its text. */
struct labels {
	const char *iset, *mode, *security;
	struct qemu4v_word text;
};

static bool
find_labels(const struct poly_batch *batch, size_t row, struct labels *labels)
{
	bool bad = false;
	labels->iset = name_of(batch, POLY_COLUMN_instruction_set, row, &bad);
	labels->mode = name_of(batch, POLY_COLUMN_mode, row, &bad);
	labels->security = name_of(batch, POLY_COLUMN_security, row, &bad);
	labels->text = bytes_of(batch, POLY_COLUMN_text, row);
	if (labels->iset[0] == 0)
		labels->iset = "A";
	size_t n = labels->text.length;
	return !bad && !(n && memchr(labels->text.text, '\n', n)) &&
	       n + strlen(labels->iset) + strlen(labels->mode) + strlen(labels->security) <=
		       QEMU4V_LINE_MOST;
}

static void
put_labels(struct print *print, const struct labels *labels)
{
	put_text(print, " ", 1);
	put_string(print, labels->iset);
	if (labels->mode[0]) {
		put_text(print, " ", 1);
		put_string(print, labels->mode);
	}
	if (labels->mode[0] && labels->security[0]) {
		put_text(print, "_", 1);
		put_string(print, labels->security);
	}
	put_text(print, " : ", 3);
	put_text(print, (const char *)labels->text.text, labels->text.length);
}

/* What MicroTESK always writes. */
static void
replace_labels(struct writing *writing, struct labels *labels)
{
	bool same = strcmp(labels->iset, "A") == 0 &&
		    (!labels->mode[0] || strcmp(labels->mode, "svc") == 0) &&
		    (!labels->security[0] || strcmp(labels->security, "ns") == 0);
	if (!same)
		writing_note(writing, "instruction sets and modes became A and svc_ns");
	labels->iset = "A";
	labels->mode = "svc";
	labels->security = "ns";
}

/* The encoding of an instruction. */
struct encoding {
	uint64_t opcode, size;
	struct qemu4v_word bytes; /* where it is larger than 8 bytes */
	bool known;
};

static struct encoding
find_encoding(const struct poly_batch *batch, size_t row)
{
	struct encoding encoding = {.bytes = bytes_of(batch, POLY_COLUMN_payload, row)};
	encoding.opcode = value_of(batch, POLY_COLUMN_opcode, row, 0);
	encoding.size =
		value_of(batch, POLY_COLUMN_opcode_size, row, encoding.opcode >> 32 ? 8 : 4);
	if (poly_present(batch, POLY_COLUMN_opcode, row)) {
		encoding.known = encoding.size && encoding.size <= 8;
		encoding.bytes.length = 0;
	} else {
		encoding.known = encoding.size > 8 &&
				 encoding.size <= QEMU4V_OPCODE_DIGITS / 2 &&
				 encoding.bytes.length == encoding.size;
	}
	return encoding;
}

static void
put_encoding(struct print *print, const struct encoding *encoding)
{
	if (encoding->bytes.length)
		put_bytes(print, &encoding->bytes);
	else if (encoding->known)
		put_value(print, encoding->opcode, encoding->size);
	else
		put_string(print, "--------");
}

static void
put_instruction(struct writing *writing, const struct poly_batch *batch, size_t row,
	const struct encoding *encoding)
{
	const struct qemu4v_writer *writer = writing->state;
	bool taken = value_of(batch, POLY_COLUMN_executed, row, 1);
	struct labels labels;
	if (!find_labels(batch, row, &labels)) {
		writing_note(
			writing, "modes and texts that can't stand in a line were dropped");
		labels = (struct labels){"A", "", "", {(const uint8_t *)"", 0}};
	}
	if (poly_present(batch, POLY_COLUMN_access, row))
		writing_note(
			writing, "accesses of instructions were dropped, they have no data");
	if (writer->microtesk) {
		replace_labels(writing, &labels);
		if (!taken)
			writing_note(writing, "skipped instructions became taken ones");
		taken = true;
	}
	struct print print = begin(writing, batch, row, QEMU4V_LINE_MOST);
	put_string(&print, taken ? " IT (" : " IS (");
	const size_t number_at = print.used;
	put_decimal(&print, writer->microtesk ? writer->last_time
					      : value_of(batch, POLY_COLUMN_instruction_id, row,
							instructions(writing)));
	writing_moves(writing, POLY_HAS(instruction_id));
	if (!writer->microtesk)
		writing_mark(writing, POLY_COLUMN_instruction_id, WRITING_DECIMAL,
			print.to + number_at, print.used - number_at);
	put_text(&print, ")", 1);
	put_address(writing, &print, batch, row, POLY_COLUMN_real_pc);
	put_encoding(&print, encoding);
	put_labels(&print, &labels);
	finish(writing, &print);
}

static enum poly_status
write_instruction(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	const struct qemu4v_writer *writer = writing->state;
	struct encoding encoding = find_encoding(batch, row);
	if (!poly_present(batch, POLY_COLUMN_pc, row))
		return writing_lacks(batch, row, "pc", error);
	if (!encoding.known && !writing->own_raw)
		return writing_lacks(batch, row, "opcode", error);
	if (encoding.known || writer->tarmac)
		put_instruction(writing, batch, row, &encoding);
	else
		writing_note(writing, "instructions without an opcode were dropped");
	return POLY_OK;
}

/* What an access or a register holds. */
struct content {
	uint64_t value, size;
	bool guessed;		  /* its size depends on the value */
	struct qemu4v_word bytes; /* where it is larger than 8 bytes */
};

static bool
find_content(const struct poly_batch *batch, size_t row, struct content *content)
{
	content->value = value_of(batch, POLY_COLUMN_value, row, 0);
	content->size = value_of(batch, POLY_COLUMN_size, row, content->value >> 32 ? 8 : 4);
	content->guessed = !poly_present(batch, POLY_COLUMN_size, row);
	content->bytes = bytes_of(batch, POLY_COLUMN_payload, row);
	bool value = poly_present(batch, POLY_COLUMN_value, row);
	if (value)
		content->bytes.length = 0;
	return content->size && content->size <= QEMU4V_DATA_DIGITS / 2 &&
	       (value || content->bytes.length == content->size);
}

static void
put_content(struct writing *writing, struct print *print, const struct content *content)
{
	const struct qemu4v_writer *writer = writing->state;
	const size_t size = content->size < 8 ? content->size : 8;
	if (content->bytes.length) {
		put_bytes(print, &content->bytes);
		return;
	}
	put_value(print, content->value, content->size);
	if (!writer->memory_order && !content->guessed)
		writing_mark(writing, POLY_COLUMN_value, WRITING_HEX,
			print->to + print->used - 2 * size, 2 * size);
}

/* Attributes of an access; *bad where they can't stand behind its size. */
static const char *
find_attributes(struct writing *writing, const struct poly_batch *batch, size_t row, bool *bad)
{
	const struct qemu4v_writer *writer = writing->state;
	const char *attributes = name_of(batch, POLY_COLUMN_access_attributes, row, bad);
	bool fetch = batch->access[row] == POLY_ACCESS_FETCH;
	size_t n = strlen(attributes);
	for (size_t i = 0; i < n; i++)
		*bad |= attributes[i] >= '0' && attributes[i] <= '9';
	if (writer->tarmac && fetch && (n == 0 || attributes[n - 1] != 'I'))
		return "_I";
	if (writer->tarmac || n == 0 || (n == 1 && strchr("XTL", attributes[0])))
		return attributes;
	writing_note(writing, "attributes that QEMU4V does not have were dropped");
	return "";
}

/* True for accesses that lines can say; Tarmac has fetches too. */
static bool
can_move(const struct writing *writing, const struct poly_batch *batch, size_t row)
{
	const struct qemu4v_writer *writer = writing->state;
	if (!poly_present(batch, POLY_COLUMN_access, row) ||
		!poly_present(batch, POLY_COLUMN_address, row))
		return false;
	uint8_t access = batch->access[row];
	return access == POLY_ACCESS_READ || access == POLY_ACCESS_WRITE ||
	       (writer->tarmac && access == POLY_ACCESS_FETCH);
}

/* Turns the data at the end of a line round. */
static void
turn_data(struct print *print, size_t start, size_t size)
{
	uint8_t bytes[QEMU4V_DATA_DIGITS / 2];
	num_parse_bytes(print->to + start, print->used - start, bytes);
	qemu4v_turn(bytes, size);
	num_hex_bytes(print->to + start, bytes, size);
}

static void
write_memory(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	const struct qemu4v_writer *writer = writing->state;
	struct content content;
	const char *attributes = "";
	bool bad = !can_move(writing, batch, row) || !find_content(batch, row, &content);
	if (!bad)
		attributes = find_attributes(writing, batch, row, &bad);
	size_t length = strlen(attributes);
	if (bad || length > QEMU4V_LINE_MOST) {
		writing_note(writing, "accesses that no line can hold were dropped");
		return;
	}
	struct print print = begin(writing, batch, row, length + 2 * content.size);
	put_string(&print, batch->access[row] == POLY_ACCESS_WRITE ? " MW" : " MR");
	put_decimal(&print, content.size);
	put_text(&print, attributes, length);
	put_address(writing, &print, batch, row, POLY_COLUMN_real_address);
	size_t start = print.used;
	put_content(writing, &print, &content);
	if (writer->memory_order)
		turn_data(&print, start, content.size);
	finish(writing, &print);
}

/* The name of a register, whose bank may stand apart in Tarmac; false where it can't be
 * written.
 */
static bool
put_register_name(const struct writing *writing, struct print *print, const char *name)
{
	const struct qemu4v_writer *writer = writing->state;
	bool good = name[0] > ' ';
	for (const char *p = name; *p; p++) {
		bool apart = *p == ' ' && p[1] == '(';
		good &= (*p > ' ' && *p < 0x7f) || apart;
		if (!apart || writer->tarmac)
			put_text(print, p, 1);
	}
	return good;
}

static void
write_register(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	struct content content;
	bool bad = !find_content(batch, row, &content);
	const char *name = "";
	if (!bad && poly_present(batch, POLY_COLUMN_reg, row))
		name = poly_trace_name(batch->info, batch->reg[row]);
	size_t length = name ? strlen(name) : 0;
	bad |= length == 0 || length > QEMU4V_LINE_MOST;
	if (!bad) {
		struct print print = begin(writing, batch, row, length + 2 * content.size);
		put_string(&print, " R ");
		bad = !put_register_name(writing, &print, name);
		put_text(&print, " ", 1);
		put_content(writing, &print, &content);
		if (!bad)
			finish(writing, &print);
	}
	if (bad)
		writing_note(writing, "registers that no line can hold were dropped");
}

/* True where a row's own bytes are to be written as they are. */
static bool
keeps_raw(const struct writing *writing, const struct poly_batch *batch, size_t row)
{
	const struct qemu4v_writer *writer = writing->state;
	struct content content;
	bool turns = !writer->keeps_order && poly_present(batch, POLY_COLUMN_access, row) &&
		     find_content(batch, row, &content);
	return writer->keeps && !turns && poly_present(batch, POLY_COLUMN_raw, row);
}

enum poly_status
qemu4v_write_row(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	if (keeps_raw(writing, batch, row)) {
		struct qemu4v_word raw = bytes_of(batch, POLY_COLUMN_raw, row);
		out_write(writing->out, raw.text, raw.length);
		return POLY_OK;
	}
	unsigned kind = (unsigned)value_of(batch, POLY_COLUMN_kind, row, POLY_KIND_OTHER);
	if (kind == POLY_KIND_INSTRUCTION)
		return write_instruction(writing, batch, row, error);
	if (kind == POLY_KIND_ACCESS)
		write_memory(writing, batch, row);
	else if (kind == POLY_KIND_REGISTER)
		write_register(writing, batch, row);
	else
		writing_note(writing, "records that are no instruction, access or register "
				      "were dropped");
	return POLY_OK;
}
