/* SPDX-License-Identifier: MIT */
/*
 * Writing QEMU4V traces: the three forms of the seed, from rows of any trace.
 *
 * spec: seed 002; reference qemu4v-tarmac 4.2
 */
#include "format/qemu4v/qemu4v.h"

#include "base/num.h"

/* Room that a line takes, apart from its names, its text and its data. */
#define PRINT_ROOM 256

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

enum poly_status
qemu4v_wopen(struct writing *writing, struct poly_error *error)
{
	(void)error;
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
	writer->keeps = true;
	if (writing->given[QEMU4V_OPTION_DATA]) {
		bool wanted = writing->options[QEMU4V_OPTION_DATA] == QEMU4V_DATA_MEMORY;
		writer->keeps = wanted == writer->memory_order;
		writer->memory_order = wanted;
	}
	return POLY_OK;
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

/* Time and unit, with room for the rest of the line. */
static struct print
begin(struct writing *writing, const struct poly_batch *batch, size_t row, size_t room)
{
	struct qemu4v_writer *writer = writing->state;
	struct print print = {(char *)out_room(writing->out, PRINT_ROOM + room), 0};
	bool counts = batch->kind[row] == POLY_KIND_INSTRUCTION;
	writer->count += counts;
	uint64_t time = value_of(
		batch, POLY_COLUMN_time, row, counts ? writer->count : writer->last_time);
	writer->last_time = time;
	put_decimal(&print, time);
	put_text(&print, " ", 1);
	put_string(&print, writer->unit);
	return print;
}

static void
finish(struct writing *writing, struct print *print)
{
	put_text(print, "\n", 1);
	out_commit(writing->out, print->used);
}

static void
put_address(const struct writing *writing, struct print *print, uint64_t address)
{
	const struct qemu4v_writer *writer = writing->state;
	put_text(print, " ", 1);
	put_hex(print, address, qemu4v_address_digits(address, writer->address_digits));
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

static enum poly_status
write_instruction(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	const struct qemu4v_writer *writer = writing->state;
	struct labels labels;
	struct qemu4v_word bytes = bytes_of(batch, POLY_COLUMN_payload, row);
	uint64_t opcode = value_of(batch, POLY_COLUMN_opcode, row, 0),
		 size = value_of(batch, POLY_COLUMN_opcode_size, row, opcode >> 32 ? 8 : 4);
	bool known = poly_present(batch, POLY_COLUMN_opcode, row) && size && size <= 8,
	     given = size > 8 && size <= QEMU4V_OPCODE_DIGITS / 2 && bytes.length == size;
	if (!poly_present(batch, POLY_COLUMN_pc, row))
		return writing_lacks(batch, row, "pc", error);
	if (!known && !given)
		return writing_lacks(batch, row, "opcode", error);
	if (!find_labels(batch, row, &labels)) {
		writing_note(
			writing, "modes and texts that can't stand in a line were dropped");
		labels = (struct labels){"A", "", "", {(const uint8_t *)"", 0}};
	}
	if (poly_present(batch, POLY_COLUMN_access, row))
		writing_note(
			writing, "accesses of instructions were dropped, they have no data");
	struct print print = begin(writing, batch, row, QEMU4V_LINE_MOST);
	put_text(&print, " ", 1);
	put_decimal(&print, value_of(batch, POLY_COLUMN_cpu, row, 0));
	put_string(&print, value_of(batch, POLY_COLUMN_executed, row, 1) ? " IT (" : " IS (");
	put_decimal(&print, value_of(batch, POLY_COLUMN_number, row, writer->count));
	put_text(&print, ")", 1);
	put_address(writing, &print, batch->pc[row]);
	if (given)
		put_bytes(&print, &bytes);
	else
		put_value(&print, opcode, size);
	put_labels(&print, &labels);
	finish(writing, &print);
	return POLY_OK;
}

/* What an access or a register holds. */
struct content {
	uint64_t value, size;
	struct qemu4v_word bytes; /* where it is larger than 8 bytes */
};

static bool
find_content(const struct poly_batch *batch, size_t row, struct content *content)
{
	content->value = value_of(batch, POLY_COLUMN_value, row, 0);
	content->size = value_of(batch, POLY_COLUMN_size, row, content->value >> 32 ? 8 : 4);
	content->bytes = bytes_of(batch, POLY_COLUMN_payload, row);
	bool value = poly_present(batch, POLY_COLUMN_value, row);
	if (value)
		content->bytes.length = 0;
	return content->size && content->size <= QEMU4V_DATA_DIGITS / 2 &&
	       (value || content->bytes.length == content->size);
}

static void
put_content(struct print *print, const struct content *content)
{
	if (content->bytes.length)
		put_bytes(print, &content->bytes);
	else
		put_value(print, content->value, content->size);
}

static void
write_memory(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	const struct qemu4v_writer *writer = writing->state;
	struct content content;
	bool bad = !poly_present(batch, POLY_COLUMN_access, row) || batch->access[row] > 1 ||
		   !poly_present(batch, POLY_COLUMN_address, row) ||
		   !find_content(batch, row, &content);
	const char *attributes = name_of(batch, POLY_COLUMN_attributes, row, &bad);
	size_t length = strlen(attributes);
	for (size_t i = 0; i < length; i++)
		bad |= attributes[i] >= '0' && attributes[i] <= '9';
	if (bad || length > QEMU4V_LINE_MOST) {
		writing_note(writing, "accesses that no line can hold were dropped");
		return;
	}
	struct print print = begin(writing, batch, row, length + 2 * content.size);
	put_string(&print, batch->access[row] == POLY_ACCESS_READ ? " MR" : " MW");
	put_decimal(&print, content.size);
	put_text(&print, attributes, length);
	put_address(writing, &print, batch->address[row]);
	if (writer->memory_order && content.size <= 8)
		content.value = qemu4v_turned(content.value, (uint32_t)content.size);
	size_t start = print.used;
	put_content(&print, &content);
	if (writer->memory_order && content.size > 8) {
		uint8_t bytes[QEMU4V_DATA_DIGITS / 2];
		num_parse_bytes(print.to + start, print.used - start, bytes);
		qemu4v_turn(bytes, content.size);
		num_hex_bytes(print.to + start, bytes, content.size);
	}
	finish(writing, &print);
}

static void
write_register(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	struct content content;
	bool bad = !find_content(batch, row, &content), colon = false;
	const char *name = name_of(batch, POLY_COLUMN_reg, row, &colon);
	size_t length = strlen(name);
	bad |= length == 0 || length > QEMU4V_LINE_MOST;
	for (size_t i = 0; i < length; i++)
		bad |= name[i] <= ' ' || name[i] >= 0x7f;
	if (bad) {
		writing_note(writing, "registers that no line can hold were dropped");
		return;
	}
	struct print print = begin(writing, batch, row, length + 2 * content.size);
	put_string(&print, " R ");
	put_text(&print, name, length);
	put_text(&print, " ", 1);
	put_content(&print, &content);
	finish(writing, &print);
}

/* True where a row's own bytes are to be written as they are. */
static bool
keeps_raw(const struct writing *writing, const struct poly_batch *batch, size_t row)
{
	const struct qemu4v_writer *writer = writing->state;
	struct content content;
	bool turns = !writer->keeps && poly_present(batch, POLY_COLUMN_access, row) &&
		     find_content(batch, row, &content);
	return writing->own_raw && !turns && poly_present(batch, POLY_COLUMN_raw, row);
}

static enum poly_status
write_row(struct writing *writing, const struct poly_batch *batch, size_t row,
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

enum poly_status
qemu4v_write(struct writing *writing, const struct poly_batch *batch, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	for (size_t row = 0; status == POLY_OK && row < batch->rows; row++)
		status = write_row(writing, batch, row, error);
	return status;
}
