/* SPDX-License-Identifier: MIT */
/*
 * Writes QEMU4V and Tarmac traces: the three forms of QEMU4V Trace Format, from rows of any
 * trace.
 *
 * spec: QEMU4V Trace Format; Arm Fast Models, Tarmac Trace
 */
#include "format/qemu4v/line_buffer.h"
#include "format/qemu4v/tarmac.h"

/* Bytes that a line needs at most, without its names, its text and its data. */
#define PRINT_ROOM 400

/* Bytes of the longest name of a processor. */
#define CPU_NAME_MAX 100

/* True if the source's own lines are lines of the written format. */
static bool
can_copy_lines(const struct writing *writing)
{
	const struct qemu4v_writer *writer = writing->state;
	const char *form = poly_trace_fact(writing->source, "qemu4v.form");
	return writing->own_raw && !writer->microtesk &&
	       (!form || strcmp(form, writer->tarmac ? "tarmac" : "qemu4v") == 0);
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
	writer->copies_lines = can_copy_lines(writing);
	writer->same_order = true;
	if (writing->is_set[QEMU4V_OPTION_DATA]) {
		bool wanted = writing->options[QEMU4V_OPTION_DATA] == QEMU4V_DATA_MEMORY;
		writer->same_order = wanted == writer->memory_order;
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
	enum poly_status status = open_writer(writing);
	tarmac_open_writer(writing);
	return status;
}

/* Returns a name in a column, "" if absent; sets *bad if it is not valid in a line. */
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
value_of(const struct poly_batch *batch, enum poly_column column, size_t row, uint64_t absent)
{
	return poly_present(batch, column, row) ? poly_batch_integer(batch, column, row)
						: absent;
}

/* Returns the bytes in a column, none if absent. */
static struct qemu4v_word
bytes_of(const struct poly_batch *batch, enum poly_column column, size_t row)
{
	struct qemu4v_word word = {(const uint8_t *)"", 0};
	if (poly_present(batch, column, row))
		word.text = poly_batch_bytes(batch, column, row, &word.length);
	return word;
}

/*
 * Writes the processor of a row: its name or number in Tarmac, in QEMU4V the number for
 * instructions only.
 */
static void
append_cpu(struct writing *writing, struct line_buffer *line, const struct poly_batch *batch,
	size_t row)
{
	const struct qemu4v_writer *writer = writing->state;
	bool bad = false, instruction = batch->kind[row] == POLY_KIND_INSTRUCTION;
	if (writer->converts) {
		tarmac_append_cpu(writing, line, batch, row);
		return;
	}
	const char *name = name_of(batch, POLY_COLUMN_cpu_name, row, &bad);
	bool named = name[0] && !bad && strlen(name) <= CPU_NAME_MAX;
	if (name[0] && !(writer->tarmac && named))
		writing_note(writing, "names of processors were dropped");
	if (writer->tarmac && named) {
		append_text(line, " ", 1);
		append_string(line, name);
	} else if (instruction &&
		   (!writer->tarmac || poly_present(batch, POLY_COLUMN_cpu, row))) {
		append_text(line, " ", 1);
		if (name[0] && !poly_present(batch, POLY_COLUMN_cpu, row))
			writing_note(writing, "instructions without a processor number were "
					      "written with processor 0");
		append_decimal(line, value_of(batch, POLY_COLUMN_cpu, row, 0));
	}
}

/* Returns the number of written instructions, including copied ones. */
static uint64_t
count_instructions(const struct writing *writing)
{
	const struct qemu4v_writer *writer = writing->state;
	return writer->count + writing->copied[POLY_COLUMN_instruction_id].count;
}

/* Counts a line; returns its time, in the unit of the source. */
static inline uint64_t
count_line(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	struct qemu4v_writer *writer = writing->state;
	const struct writing_copied *times = &writing->copied[POLY_COLUMN_time];
	const bool counts = batch->kind[row] == POLY_KIND_INSTRUCTION;
	writer->count += counts;
	if (writer->copied != times->count)
		writer->last_time = times->last;
	writer->copied = times->count;
	const uint64_t number = counts ? count_instructions(writing) : 0;
	uint64_t time = value_of(batch, POLY_COLUMN_time, row,
		number > writer->last_time ? number : writer->last_time);
	if (counts && number <= writer->last_time &&
		!poly_present(batch, POLY_COLUMN_time, row))
		writing_note(writing, "instructions without a time were written with that of "
				      "the record before");
	/* MicroTESK counts instructions from 0. */
	if (writer->microtesk)
		time = count_instructions(writing) ? count_instructions(writing) - 1 : 0;
	writer->last_time = time;
	return time;
}

/* Writes time, unit and processor, and reserves room for the rest of the line. */
static struct line_buffer
begin_line(struct writing *writing, const struct poly_batch *batch, size_t row, size_t room)
{
	const struct qemu4v_writer *writer = writing->state;
	struct line_buffer line = {(char *)out_room(writing->out, PRINT_ROOM + room), 0};
	const uint64_t time = count_line(writing, batch, row);
	/* Copied lines are counted by their times and numbers. */
	writing_require_varying(writing, POLY_COLUMNS(time));
	append_decimal(&line, tarmac_time(writing, time));
	writing_patch_field(writing, POLY_COLUMN_time, WRITING_DECIMAL, line.text, line.used);
	append_text(&line, " ", 1);
	append_string(&line, writer->unit);
	append_cpu(writing, &line, batch, row);
	return line;
}

static void
end_line(struct writing *writing, struct line_buffer *line)
{
	append_text(line, "\n", 1);
	out_commit(writing->out, line->used);
}

/* Returns the least number of digits of an instruction's address, or an access's. */
static unsigned
least_digits(const struct writing *writing, const struct poly_batch *batch, size_t row,
	enum poly_column real)
{
	const struct qemu4v_writer *writer = writing->state;
	bool bad = false;
	if (!writer->converts || writer->rewrites || real != POLY_COLUMN_real_pc)
		return writer->address_digits;
	const char *iset = name_of(batch, POLY_COLUMN_instruction_set, row, &bad);
	return strcmp(iset, "O") == 0 ? 16 : writer->address_digits;
}

/* Writes an address, in Tarmac with its translation from the column `real`. */
static void
append_address(struct writing *writing, struct line_buffer *line,
	const struct poly_batch *batch, size_t row, enum poly_column real)
{
	const struct qemu4v_writer *writer = writing->state;
	uint64_t address = real == POLY_COLUMN_real_pc ? batch->pc[row] : batch->address[row];
	const unsigned digits =
		qemu4v_address_digits(address, least_digits(writing, batch, row, real));
	append_text(line, " ", 1);
	append_hex(line, address, digits);
	if (real != POLY_COLUMN_real_pc)
		writing_patch_field(writing, POLY_COLUMN_address, WRITING_HEX,
			line->text + line->used - digits, digits);
	if (poly_present(batch, real, row) && writer->tarmac) {
		uint64_t translation = poly_batch_integer(batch, real, row);
		const unsigned width = qemu4v_address_digits(translation, QEMU4V_REAL_DIGITS);
		append_text(line, ":", 1);
		append_hex(line, translation, width);
		writing_patch_field(
			writing, real, WRITING_HEX, line->text + line->used - width, width);
	} else if (poly_present(batch, real, row)) {
		writing_note(writing, "translations of addresses were dropped");
	}
	append_text(line, " ", 1);
}

/* Writes a value of size bytes. */
static void
append_value(struct line_buffer *line, uint64_t value, uint64_t size)
{
	for (; size > 8; size--)
		append_text(line, "00", 2);
	if (size)
		append_hex(line, value, (unsigned)(2 * size));
}

/* Instruction set, mode and text of an instruction. */
struct insn_labels {
	const char *iset, *mode, *security;
	struct qemu4v_word text;
};

static bool
find_labels(const struct poly_batch *batch, size_t row, struct insn_labels *labels)
{
	bool bad = false;
	labels->iset = name_of(batch, POLY_COLUMN_instruction_set, row, &bad);
	labels->mode = name_of(batch, POLY_COLUMN_mode, row, &bad);
	labels->security = name_of(batch, POLY_COLUMN_security, row, &bad);
	labels->text = bytes_of(batch, POLY_COLUMN_text, row);
	size_t n = labels->text.length;
	return !bad && !(n && memchr(labels->text.text, '\n', n)) &&
	       n + strlen(labels->iset) + strlen(labels->mode) + strlen(labels->security) <=
		       QEMU4V_LINE_MAX;
}

static void
append_labels(struct line_buffer *line, const struct insn_labels *labels)
{
	append_text(line, " ", 1);
	append_string(line, labels->iset);
	if (labels->mode[0]) {
		append_text(line, " ", 1);
		append_string(line, labels->mode);
	}
	if (labels->mode[0] && labels->security[0]) {
		append_text(line, "_", 1);
		append_string(line, labels->security);
	}
	append_text(line, " : ", 3);
	append_text(line, (const char *)labels->text.text, labels->text.length);
}

/* Sets the labels that MicroTESK always writes. */
static void
replace_labels(struct writing *writing, struct insn_labels *labels)
{
	bool same = strcmp(labels->iset, "A") == 0 &&
		    (!labels->mode[0] || strcmp(labels->mode, "svc") == 0) &&
		    (!labels->security[0] || strcmp(labels->security, "ns") == 0);
	if (!same)
		writing_note(
			writing, "instruction sets and modes were replaced by A and svc_ns");
	labels->iset = "A";
	labels->mode = "svc";
	labels->security = "ns";
}

/* The encoding of an instruction. */
struct insn_encoding {
	uint64_t opcode, size;
	struct qemu4v_word bytes; /* if it is larger than 8 bytes */
	bool known;
};

static struct insn_encoding
find_encoding(const struct poly_batch *batch, size_t row)
{
	struct insn_encoding encoding = {.bytes = bytes_of(batch, POLY_COLUMN_payload, row)};
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
append_encoding(struct line_buffer *line, const struct insn_encoding *encoding)
{
	if (encoding->bytes.length)
		append_bytes(line, encoding->bytes.text, encoding->bytes.length);
	else if (encoding->known)
		append_value(line, encoding->opcode, encoding->size);
	else
		append_string(line, "--------");
}

static struct insn_labels
choose_labels(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	const struct qemu4v_writer *writer = writing->state;
	struct insn_labels labels;
	if (!find_labels(batch, row, &labels)) {
		writing_note(
			writing, "modes and texts that are not valid in a line were dropped");
		labels = (struct insn_labels){"", "", "", {(const uint8_t *)"", 0}};
	}
	if (writer->converts)
		labels.iset = tarmac_iset(writing, labels.iset);
	else if (!labels.iset[0])
		labels.iset = "A";
	return labels;
}

/*
 * Writes an instruction whose opcode Tarmac cannot express, in the form of RTL simulations,
 * which may omit it. That form has no number, and always a mode.
 */
static void
append_without_opcode(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	bool taken = value_of(batch, POLY_COLUMN_executed, row, 1);
	struct insn_labels labels = choose_labels(writing, batch, row);
	writing_note(writing, "opcodes that are not 2 or 4 bytes were dropped, with the "
			      "instructions' numbers");
	if (poly_present(batch, POLY_COLUMN_real_pc, row))
		writing_note(writing, "translations of addresses were dropped");
	struct line_buffer line = begin_line(writing, batch, row, QEMU4V_LINE_MAX);
	append_string(&line, " ES (");
	append_hex(&line, batch->pc[row],
		qemu4v_address_digits(batch->pc[row],
			least_digits(writing, batch, row, POLY_COLUMN_real_pc)));
	append_string(&line, ":--------)");
	if (!labels.mode[0]) {
		labels.mode = "---";
		labels.security = "-";
	}
	append_labels(&line, &(struct insn_labels){labels.iset, labels.mode, labels.security,
				     {(const uint8_t *)"", 0}});
	append_string(&line, taken ? "" : "CCFAIL ");
	append_text(&line, (const char *)labels.text.text, labels.text.length);
	end_line(writing, &line);
}

static void
append_instruction(struct writing *writing, const struct poly_batch *batch, size_t row,
	const struct insn_encoding *encoding)
{
	const struct qemu4v_writer *writer = writing->state;
	bool taken = value_of(batch, POLY_COLUMN_executed, row, 1);
	struct insn_labels labels = choose_labels(writing, batch, row);
	if (poly_present(batch, POLY_COLUMN_access, row))
		writing_note(
			writing, "accesses of instructions were dropped as they have no data");
	if (writer->microtesk) {
		replace_labels(writing, &labels);
		if (!taken)
			writing_note(writing, "skipped instructions were written as taken");
		taken = true;
	}
	struct line_buffer line = begin_line(writing, batch, row, QEMU4V_LINE_MAX);
	append_string(&line, taken ? " IT (" : " IS (");
	const size_t number_at = line.used;
	append_decimal(&line, writer->microtesk ? writer->last_time
						: value_of(batch, POLY_COLUMN_instruction_id,
							  row, count_instructions(writing)));
	writing_require_varying(writing, POLY_COLUMNS(instruction_id));
	if (!writer->microtesk)
		writing_patch_field(writing, POLY_COLUMN_instruction_id, WRITING_DECIMAL,
			line.text + number_at, line.used - number_at);
	append_text(&line, ")", 1);
	append_address(writing, &line, batch, row, POLY_COLUMN_real_pc);
	append_encoding(&line, encoding);
	append_labels(&line, &labels);
	end_line(writing, &line);
}

static enum poly_status
write_instruction(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	const struct qemu4v_writer *writer = writing->state;
	struct insn_encoding encoding = find_encoding(batch, row);
	if (!poly_present(batch, POLY_COLUMN_pc, row))
		return writing_lacks(batch, row, "pc", error);
	if (!encoding.known && !writing->own_raw)
		return writing_lacks(batch, row, "opcode", error);
	const bool expressible = encoding.known && (encoding.size == 2 || encoding.size == 4) &&
				 encoding.opcode >> 8 * encoding.size == 0;
	if (writer->converts && !expressible)
		append_without_opcode(writing, batch, row);
	else if (encoding.known || writer->tarmac)
		append_instruction(writing, batch, row, &encoding);
	else
		writing_note(writing, "instructions without an opcode were dropped");
	return POLY_OK;
}

static bool
find_content(const struct poly_batch *batch, size_t row, struct row_content *content)
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
append_content(
	struct writing *writing, struct line_buffer *line, const struct row_content *content)
{
	const struct qemu4v_writer *writer = writing->state;
	const size_t size = content->size < 8 ? (size_t)content->size : 8;
	if (content->bytes.length) {
		append_bytes(line, content->bytes.text, content->bytes.length);
		return;
	}
	append_value(line, content->value, content->size);
	if (!writer->memory_order && !content->guessed)
		writing_patch_field(writing, POLY_COLUMN_value, WRITING_HEX,
			line->text + line->used - 2 * size, 2 * size);
}

/* Returns the attributes of an access; sets *bad if they are not valid after its size. */
static const char *
find_attributes(struct writing *writing, const struct poly_batch *batch, size_t row, bool *bad)
{
	const struct qemu4v_writer *writer = writing->state;
	const char *attributes = name_of(batch, POLY_COLUMN_access_attributes, row, bad);
	bool fetch = batch->access[row] == POLY_ACCESS_FETCH;
	size_t n = strlen(attributes);
	for (size_t i = 0; i < n; i++)
		*bad |= attributes[i] >= '0' && attributes[i] <= '9';
	if (writer->tarmac && fetch && (n == 0 || attributes[n - 1] != 'I' || writer->converts))
		return "_I";
	if ((writer->tarmac && !writer->converts) || n == 0 ||
		(n == 1 && strchr("XTL", attributes[0])))
		return attributes;
	writing_note(writing, writer->converts
				      ? "attributes other than X, T and L were dropped"
				      : "attributes that QEMU4V does not have were dropped");
	return "";
}

/* True for accesses that the format can express; Tarmac has fetches too. */
static bool
can_write_access(const struct writing *writing, const struct poly_batch *batch, size_t row)
{
	const struct qemu4v_writer *writer = writing->state;
	if (!poly_present(batch, POLY_COLUMN_access, row) ||
		!poly_present(batch, POLY_COLUMN_address, row))
		return false;
	uint8_t access = batch->access[row];
	return access == POLY_ACCESS_READ || access == POLY_ACCESS_WRITE ||
	       (writer->tarmac && access == POLY_ACCESS_FETCH);
}

/* Reverses the byte order of the data at the end of a line. */
static void
swap_data(struct line_buffer *line, size_t start, size_t size)
{
	uint8_t bytes[QEMU4V_DATA_DIGITS / 2];
	num_parse_bytes(line->text + start, line->used - start, bytes);
	qemu4v_swap_bytes(bytes, size);
	num_hex_bytes(line->text + start, bytes, size);
}

/* Writes data of a size that Arm's tools do not read as one number; most significant first. */
struct access_part {
	const uint8_t *bytes;
	uint64_t address;
	unsigned size;
	const char *attributes;
};

static void
append_part(struct writing *writing, const struct poly_batch *batch, size_t row,
	const struct access_part *part)
{
	const struct qemu4v_writer *writer = writing->state;
	uint8_t bytes[TARMAC_ACCESS_MAX];
	struct line_buffer line = begin_line(writing, batch, row, QEMU4V_LINE_MAX);
	memcpy(bytes, part->bytes, part->size);
	if (writer->memory_order)
		qemu4v_swap_bytes(bytes, part->size);
	append_string(&line, batch->access[row] == POLY_ACCESS_WRITE ? " MW" : " MR");
	append_decimal(&line, part->size);
	append_string(&line, part->attributes);
	append_text(&line, " ", 1);
	append_hex(&line, part->address,
		qemu4v_address_digits(part->address, writer->address_digits));
	append_text(&line, " ", 1);
	const size_t first = part->size == TARMAC_ACCESS_MAX ? part->size / 2 : part->size;
	append_bytes(&line, bytes, first);
	if (first < part->size) {
		append_text(&line, " ", 1);
		append_bytes(&line, bytes + first, part->size - first);
	}
	end_line(writing, &line);
}

/*
 * Writes an access as one or more that Arm's tools read, lowest address first. Data of a
 * little-endian processor end with the byte at the lowest address.
 */
static void
write_parts(struct writing *writing, const struct poly_batch *batch, size_t row,
	const struct row_content *content)
{
	uint8_t bytes[QEMU4V_DATA_DIGITS / 2] = {0};
	bool bad = false;
	const char *attributes = find_attributes(writing, batch, row, &bad);
	writing_no_cache(writing);
	if (content->bytes.length)
		memcpy(bytes, content->bytes.text, content->bytes.length);
	for (size_t i = 0; !content->bytes.length && i < content->size && i < 8; i++)
		bytes[content->size - 1 - i] = (uint8_t)(content->value >> 8 * i);
	if (content->size != TARMAC_ACCESS_MAX)
		writing_note(writing, "accesses of sizes that Tarmac does not have were split, "
				      "in little-endian order");
	if (poly_present(batch, POLY_COLUMN_real_address, row))
		writing_note(writing, "translations of addresses were dropped");
	for (uint64_t done = 0; done < content->size && !bad;) {
		const unsigned size = tarmac_access_size(content->size - done);
		append_part(writing, batch, row,
			&(struct access_part){.bytes = bytes + content->size - done - size,
				.address = batch->address[row] + done,
				.size = size,
				.attributes = attributes});
		done += size;
	}
}

static bool
is_one_number(const struct row_content *content)
{
	return content->size <= 8 && tarmac_access_size(content->size) == content->size;
}

static void
write_memory(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	const struct qemu4v_writer *writer = writing->state;
	struct row_content content;
	const char *attributes = "";
	bool bad =
		!can_write_access(writing, batch, row) || !find_content(batch, row, &content);
	if (!bad)
		attributes = find_attributes(writing, batch, row, &bad);
	size_t length = strlen(attributes);
	bad |= length > QEMU4V_LINE_MAX;
	/* Data that are longer than the access are not what it moved. */
	bad |= !bad && writer->converts && content.size < 8 &&
	       content.value >> 8 * content.size;
	if (bad) {
		writing_note(writing, "accesses that no line can hold were dropped");
		return;
	}
	if (writer->converts && !is_one_number(&content)) {
		write_parts(writing, batch, row, &content);
		return;
	}
	struct line_buffer line =
		begin_line(writing, batch, row, length + 2 * (size_t)content.size);
	append_string(&line, batch->access[row] == POLY_ACCESS_WRITE ? " MW" : " MR");
	append_decimal(&line, content.size);
	append_text(&line, attributes, length);
	append_address(writing, &line, batch, row, POLY_COLUMN_real_address);
	size_t start = line.used;
	append_content(writing, &line, &content);
	if (writer->memory_order)
		swap_data(&line, start, (size_t)content.size);
	end_line(writing, &line);
}

/*
 * Writes the name of a register, in Tarmac with a blank before its bank, and from Tarmac to
 * QEMU4V in lower case; false if the name is not valid.
 */
static bool
append_register_name(const struct writing *writing, struct line_buffer *line, const char *name)
{
	const struct qemu4v_writer *writer = writing->state;
	const bool folds = !writer->tarmac && !writer->copies_lines;
	bool good = name[0] > ' ';
	for (const char *p = name; *p; p++) {
		const bool is_bank = *p == ' ' && p[1] == '(';
		const char c = folds && *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : *p;
		good &= (*p > ' ' && *p < 0x7f) || is_bank;
		if (!is_bank || writer->tarmac)
			append_text(line, &c, 1);
	}
	return good;
}

/* Writes a register that Arm's tools read. */
static void
append_register(struct writing *writing, const struct poly_batch *batch, size_t row,
	const struct row_content *content, const struct tarmac_register *reg)
{
	const unsigned digits = reg->digits < 16 ? reg->digits : 16;
	struct line_buffer line = begin_line(writing, batch, row, QEMU4V_LINE_MAX);
	append_string(&line, " R ");
	append_string(&line, reg->name);
	append_text(&line, " ", 1);
	if (content->bytes.length) {
		append_bytes(&line, content->bytes.text, content->bytes.length);
	} else {
		for (unsigned i = digits; i < reg->digits; i++)
			append_text(&line, "0", 1);
		append_hex(&line, content->value, digits);
		if (!content->guessed)
			writing_patch_field(writing, POLY_COLUMN_value, WRITING_HEX,
				line.text + line.used - digits, digits);
	}
	end_line(writing, &line);
}

static void
write_register(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	struct row_content content;
	bool bad = !find_content(batch, row, &content);
	const char *name = "";
	if (!bad && poly_present(batch, POLY_COLUMN_reg, row))
		name = poly_trace_name(batch->info, batch->reg[row]);
	size_t length = name ? strlen(name) : 0;
	const struct qemu4v_writer *writer = writing->state;
	struct tarmac_register reg;
	bad |= length == 0 || length > QEMU4V_LINE_MAX;
	if (!bad && writer->converts && !writer->rewrites) {
		if (tarmac_find_register(writer, name, &content, &reg))
			append_register(writing, batch, row, &content, &reg);
		else
			writing_note(writing, "registers that are not known as an Arm "
					      "processor's were dropped");
		return;
	}
	if (!bad) {
		struct line_buffer line =
			begin_line(writing, batch, row, length + 2 * (size_t)content.size);
		append_string(&line, " R ");
		bad = !append_register_name(writing, &line, name);
		append_text(&line, " ", 1);
		append_content(writing, &line, &content);
		if (!bad)
			end_line(writing, &line);
	}
	if (bad)
		writing_note(writing, "registers that no line can hold were dropped");
}

/* Writes an exception with its address, number and name; false if the row is none. */
static bool
write_event(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	const struct qemu4v_writer *writer = writing->state;
	static const char prefix[] = "CoreEvent_";
	const struct qemu4v_word text = bytes_of(batch, POLY_COLUMN_text, row);
	struct tarmac_event event;
	if (!writer->converts || !tarmac_parse_event(&text, &event))
		return false;
	struct line_buffer line = begin_line(writing, batch, row, TARMAC_EVENT_MAX);
	append_string(&line, " E ");
	append_hex(&line, event.address,
		qemu4v_address_digits(event.address, writer->address_digits));
	append_text(&line, " ", 1);
	append_hex(&line, event.number, 8);
	append_text(&line, " ", 1);
	const size_t n = event.name.length, known = sizeof prefix - 1;
	if (n < known || memcmp(event.name.text, prefix, known) != 0)
		append_string(&line, prefix);
	for (size_t i = 0; i < n; i++) {
		const char c = (char)event.name.text[i];
		const bool word = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
				  (c >= 'a' && c <= 'z');
		append_text(&line, word ? &c : "_", 1);
	}
	end_line(writing, &line);
	return true;
}

/* True if a row's own bytes are copied. */
static bool
copies_raw(const struct writing *writing, const struct poly_batch *batch, size_t row)
{
	const struct qemu4v_writer *writer = writing->state;
	struct row_content content;
	bool swaps = !writer->same_order && poly_present(batch, POLY_COLUMN_access, row) &&
		     find_content(batch, row, &content);
	return writer->copies_lines && !swaps && poly_present(batch, POLY_COLUMN_raw, row);
}

bool
qemu4v_predict_state(
	struct writing *writing, const struct poly_batch *batch, size_t row, size_t count)
{
	const struct qemu4v_writer *writer = writing->state;
	/* The first row determines it. */
	if (writer->converts && writer->cpus == TARMAC_CPUS_UNKNOWN)
		return false;
	/* Rows that are dropped, and events, are rare. */
	for (size_t i = row; i < row + count; i++) {
		if (value_of(batch, POLY_COLUMN_kind, i, POLY_KIND_OTHER) <=
				POLY_KIND_REGISTER &&
			!copies_raw(writing, batch, i))
			count_line(writing, batch, i);
	}
	return true;
}

enum poly_status
qemu4v_write_row(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	if (copies_raw(writing, batch, row)) {
		struct qemu4v_word raw = bytes_of(batch, POLY_COLUMN_raw, row);
		out_write(writing->out, raw.text, raw.length);
		return POLY_OK;
	}
	const struct qemu4v_writer *writer = writing->state;
	unsigned kind = (unsigned)value_of(batch, POLY_COLUMN_kind, row, POLY_KIND_OTHER);
	if (writer->converts && (kind <= POLY_KIND_REGISTER || kind == POLY_KIND_EVENT)) {
		enum poly_status status = tarmac_choose_cpus(writing, batch, row, error);
		if (status != POLY_OK)
			return status;
	}
	if (kind == POLY_KIND_INSTRUCTION)
		return write_instruction(writing, batch, row, error);
	if (kind == POLY_KIND_ACCESS)
		write_memory(writing, batch, row);
	else if (kind == POLY_KIND_REGISTER)
		write_register(writing, batch, row);
	else if (kind != POLY_KIND_EVENT || !write_event(writing, batch, row))
		writing_note(writing, "records that are not instructions, accesses or "
				      "registers were dropped");
	return POLY_OK;
}
