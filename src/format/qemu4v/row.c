/* SPDX-License-Identifier: MIT */
/*
 * Rows of lines of QEMU4V and Tarmac traces.
 *
 * spec: QEMU4V Trace Format; Arm Fast Models, Tarmac Trace
 */
#include "format/qemu4v/cursor.h"

#include <stdio.h>

/* Finds the number of a name; false if it cannot be stored. */
static inline bool
find_name(struct reading *reading, const struct qemu4v_word *word, uint32_t *number)
{
	struct qemu4v_reader *reader = reading->state;
	uint64_t bytes = load_le64(word->text);
	if (word->length < 8)
		bytes &= ((uint64_t)1 << 8 * word->length) - 1;
	struct qemu4v_name *known =
		&reader->known[(bytes + word->length) * 0x9e3779b97f4a7c15u >> 56];
	if (known->text && known->length == word->length && known->bytes == bytes &&
		(word->length <= 8 || memcmp(known->text, word->text, word->length) == 0)) {
		*number = known->number;
		return true;
	}
	if (!info_keep_name(reading->info, (const char *)word->text, word->length, number))
		return false;
	*known = (struct qemu4v_name){
		poly_trace_name(&reading->info->view, *number), word->length, bytes, *number};
	return true;
}

bool
qemu4v_find_name(struct reading *reading, const struct qemu4v_word *word, uint32_t *number)
{
	return find_name(reading, word, number);
}

/* Stores a non-empty name in its column; sets good to false if it cannot be stored. */
#define STORE_NAME(column, word)                                         \
	do {                                                             \
		uint32_t name;                                           \
		if ((word).length && find_name(reading, &(word), &name)) \
			batch_put(batch, column, row, name);             \
		else if ((word).length)                                  \
			good = false;                                    \
	} while (0)

/* Stores digits that a column of 64 bits cannot hold. */
static void
store_payload(struct batch *batch, size_t row, const struct qemu4v *line)
{
	uint8_t bytes[QEMU4V_LINE_MAX / 2];
	size_t n = qemu4v_bytes(&line->data, bytes);
	if (line->swapped)
		qemu4v_swap_bytes(bytes, n);
	batch_put_bytes(batch, POLY_COLUMN_payload, row, bytes, n);
}

/*
 * Stores digits in a column of 64 bits or in the payload; false if the columns cannot reproduce
 * them.
 */
static inline bool
store_digits(struct batch *batch, size_t row, const struct qemu4v *line)
{
	const struct qemu4v_digits *data = &line->data;
	bool opcode = line->is == QEMU4V_INSTRUCTION;
	size_t digits = data->count + data->unknown;
	if (opcode && digits && digits % 2 == 0)
		batch_put(batch, opcode_size, row, (uint8_t)(digits / 2));
	if (data->unknown || data->count == 0)
		return false;
	if (data->count <= 16 && opcode)
		batch_put(batch, opcode, row, data->value);
	else if (data->count <= 16)
		batch_put(batch, value, row, data->value);
	else if (data->count % 2 == 0)
		store_payload(batch, row, line);
	return data->count % 2 == 0 && data->count <= QEMU4V_DATA_DIGITS;
}

static inline bool
store_instruction(
	struct reading *reading, struct batch *batch, size_t row, const struct qemu4v *line)
{
	if (line->has_executed)
		batch_put(batch, executed, row, line->executed);
	if (line->has_id)
		batch_put(batch, instruction_id, row, line->id);
	batch_put(batch, pc, row, line->address);
	if (line->has_real)
		batch_put(batch, real_pc, row, line->real);
	batch_put_bytes(batch, POLY_COLUMN_text, row, line->text.text, line->text.length);
	bool good = store_digits(batch, row, line);
	STORE_NAME(instruction_set, line->iset);
	STORE_NAME(mode, line->mode);
	STORE_NAME(security, line->security);
	return good;
}

/* Stores the attributes, preceded by the letter before R or W. */
static bool
store_attributes(
	struct reading *reading, struct batch *batch, size_t row, const struct qemu4v *line)
{
	char joined[64];
	struct qemu4v_word word = line->attributes;
	bool good = true;
	if (line->bus && word.length < sizeof joined - 8) {
		joined[0] = line->bus;
		memcpy(joined + 1, word.text, word.length);
		/* find_name reads eight bytes of a name, however short it is. */
		memset(joined + 1 + word.length, 0, 7);
		word = (struct qemu4v_word){(const uint8_t *)joined, word.length + 1};
	}
	STORE_NAME(access_attributes, word);
	return good;
}

/* True for data in memory order: D after a letter of the bus. */
static bool
is_swapped(const struct qemu4v *line)
{
	const struct qemu4v_word *attributes = &line->attributes;
	return line->bus && attributes->length &&
	       attributes->text[attributes->length - 1] == 'D';
}

/* True if the writer of the trace's format can write the attributes of an access. */
static bool
can_be_written(const struct qemu4v_reader *reader, const struct qemu4v *line)
{
	if (reader->tarmac)
		return !line->fetch || line->access == 'R';
	return line->attributes.length == 1 && memchr("XTL", *line->attributes.text, 3);
}

static inline bool
store_memory(struct reading *reading, struct batch *batch, size_t row, struct qemu4v *line)
{
	const struct qemu4v_reader *reader = reading->state;
	struct qemu4v_digits *data = &line->data;
	bool whole = data->count + data->unknown == (uint64_t)2 * line->size;
	line->swapped = (reader->memory_order || is_swapped(line)) && whole;
	if (line->swapped && line->size <= 8)
		data->value = qemu4v_swap_value(data->value, line->size);
	uint8_t access = line->access == 'R' ? POLY_ACCESS_READ : POLY_ACCESS_WRITE;
	batch_put(batch, access, row, line->fetch ? POLY_ACCESS_FETCH : access);
	batch_put(batch, address, row, line->address);
	batch_put(batch, size, row, line->size);
	if (line->has_real)
		batch_put(batch, real_address, row, line->real);
	if (line->has_pc) {
		batch_put(batch, pc, row, line->pc);
		if (line->has_id)
			batch_put(batch, instruction_id, row, line->id);
	}
	if (line->text.length)
		batch_put_bytes(
			batch, POLY_COLUMN_text, row, line->text.text, line->text.length);
	bool good = !line->attributes.length && !line->bus;
	if (!good)
		good = store_attributes(reading, batch, row, line) &&
		       can_be_written(reader, line);
	/* Without a newline the data may be truncated. */
	if (!whole && !line->ended)
		return false;
	return store_digits(batch, row, line) && whole && good;
}

static inline bool
store_register(
	struct reading *reading, struct batch *batch, size_t row, const struct qemu4v *line)
{
	bool good = true;
	size_t digits = line->data.count + line->data.unknown;
	STORE_NAME(reg, line->reg);
	/* Without a newline the value may be truncated. */
	if (!line->ended)
		return false;
	if (digits % 2 == 0)
		batch_put(batch, size, row, (uint32_t)digits / 2);
	return store_digits(batch, row, line) && good;
}

/* Stores time and processor; false if the line's time is not in ticks of the trace's clock. */
static inline bool
store_context(
	struct reading *reading, struct batch *batch, size_t row, const struct qemu4v *line)
{
	const struct qemu4v_reader *reader = reading->state;
	uint64_t time = line->time;
	bool good = line->has_time && qemu4v_is_ticks(&reader->clock, line);
	if (good || (line->has_time && qemu4v_convert_time(&reader->clock, line, &time)))
		batch_put(batch, time, row, time);
	else if (batch->view.time)
		batch->view.time[row] = line->stamp == QEMU4V_STAMP_BEFORE
						? QEMU4V_TIME_BEFORE
						: QEMU4V_TIME_UNKNOWN;
	if (line->has_cpu)
		batch_put(batch, cpu, row, line->cpu);
	if (line->cpu_name.length)
		STORE_NAME(cpu_name, line->cpu_name);
	return good;
}

/* True if the writer of the trace's format reproduces processor and address. */
static inline bool
is_canonical(const struct qemu4v_reader *reader, const struct qemu4v *line)
{
	bool instruction = line->is == QEMU4V_INSTRUCTION, named = line->cpu_name.length != 0;
	/* QEMU4V names the processor of instructions alone, and Tarmac any or none. */
	if (reader->tarmac ? line->has_cpu && !named && !instruction
			   : named || line->has_cpu != instruction)
		return false;
	if (line->is == QEMU4V_REGISTER)
		return true;
	const bool translated =
		line->has_real &&
		(!reader->tarmac || line->real_text.length != qemu4v_address_digits(line->real,
								      QEMU4V_REAL_DIGITS));
	return !translated && line->address_digits == qemu4v_address_digits(line->address,
							      reader->address_digits);
}

/* Stores the columns of a record; false if they cannot reproduce its line. */
static inline bool
store_record(struct reading *reading, struct batch *batch, size_t row, struct qemu4v *line)
{
	bool canonical = store_context(reading, batch, row, line) && line->plain &&
			 is_canonical(reading->state, line);
	if (line->is == QEMU4V_INSTRUCTION)
		return store_instruction(reading, batch, row, line) && canonical;
	if (line->is == QEMU4V_MEMORY)
		return store_memory(reading, batch, row, line) && canonical;
	return store_register(reading, batch, row, line) && canonical;
}

static void
add_variable_field(struct line_shape *shape, const struct qemu4v_word *word, unsigned form,
	enum poly_column column)
{
	shape_window(shape, word->text, word->length, form, column);
}

/*
 * Of data in two halves with a _ between them, only the lower one is variable, if the upper one
 * is 0.
 */
static void
add_value_field(struct line_shape *shape, const struct qemu4v_digits *data)
{
	struct qemu4v_word word = data->word;
	bool halves = data->count == 16 && word.length == 17 && word.text[8] == '_' &&
		      data->value <= UINT32_MAX;
	if (halves)
		word = (struct qemu4v_word){word.text + 9, 8};
	add_variable_field(shape, &word, WINDOW_ZEROS, POLY_COLUMN_value);
}

/*
 * Variable fields are time, number, and the address and data of an access. A line does not
 * repeat if its time is inherited or converted, or its data are in memory order.
 */
static void
set_template(
	const struct qemu4v_reader *reader, const struct qemu4v *line, struct line_shape *shape)
{
	const bool insn = line->is == QEMU4V_INSTRUCTION;
	shape->place = insn;
	/* Whether an address of another width is canonical depends on its value. */
	shape->repeats = line->has_time && qemu4v_is_ticks(&reader->clock, line) &&
			 !line->swapped &&
			 (line->is == QEMU4V_REGISTER || insn ||
				 (line->address_digits == reader->address_digits &&
					 !(line->has_real && line->real_text.length == 16)));
	if (!shape->repeats)
		return;
	add_variable_field(shape, &line->time_text, WINDOW_DECIMAL, POLY_COLUMN_time);
	if (insn && line->has_id && !line->has_pc)
		add_variable_field(
			shape, &line->id_text, WINDOW_DECIMAL, POLY_COLUMN_instruction_id);
	if (line->is == QEMU4V_MEMORY && !line->has_pc)
		add_variable_field(
			shape, &line->address_text, WINDOW_ZEROS, POLY_COLUMN_address);
	if (line->is == QEMU4V_MEMORY && !line->has_pc && line->has_real)
		add_variable_field(
			shape, &line->real_text, WINDOW_ZEROS, POLY_COLUMN_real_address);
	if (!insn && !line->data.unknown && line->data.count && line->data.count <= 16)
		add_value_field(shape, &line->data);
	if (insn) {
		shape->text = line->text.text;
		shape->text_length = line->text.length;
	}
}

/* Stores the target of a branch or another transfer of control. */
static bool
store_transfer(
	struct reading *reading, struct batch *batch, size_t row, const struct qemu4v *line)
{
	bool good = true;
	if (line->is == QEMU4V_FLOW && line->has_id)
		batch_put(batch, instruction_id, row, line->id);
	if (line->is == QEMU4V_FLOW)
		batch_put(batch, pc, row, line->address);
	batch_put(batch, target, row, line->pc);
	STORE_NAME(instruction_set, line->iset);
	return good;
}

/* Stores a run of a memory dump; the line has a row per run. */
static void
store_run(struct batch *batch, size_t row, const struct qemu4v *line, const struct line *text)
{
	struct qemu4v_run run;
	unsigned count = qemu4v_run(line, text->row_index, &run);
	*text->more_rows = text->row_index + 1 < count;
	if (text->row_index == 0 && line->text.length)
		batch_put_bytes(
			batch, POLY_COLUMN_text, row, line->text.text, line->text.length);
	batch_put(batch, address, row, line->address + (count ? run.place : 0));
	if (!count)
		return;
	batch_put(
		batch, access, row, line->access == 'R' ? POLY_ACCESS_READ : POLY_ACCESS_WRITE);
	batch_put(batch, size, row, run.size);
	if (!run.known)
		return;
	uint64_t value = 0;
	for (unsigned i = 0; i < run.size; i++)
		value = value << 8 | run.bytes[i];
	if (run.size <= 8)
		batch_put(batch, value, row, value);
	else
		batch_put_bytes(batch, POLY_COLUMN_payload, row, run.bytes, run.size);
}

/* Stores the columns of a Tarmac form; false if a name cannot be stored. */
static bool
store_form(struct reading *reading, struct batch *batch, size_t row, const struct qemu4v *line)
{
	bool good = true;
	if (line->is >= QEMU4V_BLANK)
		return true;
	store_context(reading, batch, row, line);
	if (line->is == QEMU4V_FLOW || line->is == QEMU4V_BRANCH) {
		good = store_transfer(reading, batch, row, line);
	} else if (line->is == QEMU4V_BUS || line->is == QEMU4V_COPROCESSOR) {
		if (line->is == QEMU4V_BUS)
			batch_put(batch, address, row, line->address);
		batch_put(batch, size, row, line->size);
		STORE_NAME(access_attributes, line->attributes);
		store_digits(batch, row, line);
	}
	if (line->is == QEMU4V_BUS || line->is == QEMU4V_EVENT ||
		(line->is >= QEMU4V_EXCEPTION && line->is != QEMU4V_BRANCH &&
			line->is != QEMU4V_COPROCESSOR))
		batch_put_bytes(
			batch, POLY_COLUMN_text, row, line->text.text, line->text.length);
	return good;
}

/* Reports a line that is not a record, or has no newline. */
static void
add_line_findings(
	struct reading *reading, size_t row, const struct line *text, const struct qemu4v *line)
{
	struct qemu4v orphan;
	uint64_t record = reading->record + row + 1;
	if (line->is == QEMU4V_OTHER)
		line_add_unknown(reading, row, text, NULL);
	if (line->is == QEMU4V_OTHER &&
		qemu4v_parse_rest(text->text, text->size, text->ended, &orphan))
		findings_add(reading->findings, QEMU4V_Q16, record, text->offset,
			"a memory dump continues without a first line");
	line_check_end(reading, row, text, QEMU4V_Q11);
}

/* Returns the column of the address in a line of a memory dump, from 0. */
static unsigned
address_column(const struct line *text, const struct qemu4v *line)
{
	size_t n = 0;
	const uint8_t *groups = line->data.word.text;
	while (groups - n > text->text && groups[-1 - (ptrdiff_t)n] > ' ')
		n++;
	return (unsigned)(groups - text->text - (ptrdiff_t)n);
}

/* Stores a memory dump for the lines that continue it. */
static void
remember_picture(struct reading *reading, const struct line *text, const struct qemu4v *line)
{
	struct qemu4v_reader *reader = reading->state;
	struct qemu4v_picture *picture = &reader->picture;
	*picture = (struct qemu4v_picture){.at = text->offset,
		.end = text->offset + text->size,
		.column = address_column(text, line),
		.access = line->access,
		.has_cpu = line->has_cpu,
		.cpu = line->cpu};
	picture->has_name = line->cpu_name.length &&
			    qemu4v_find_name(reading, &line->cpu_name, &picture->name);
}

/* True if a line continues the memory dump before it. */
static bool
continues_picture(struct reading *reading, const struct line *text, struct qemu4v *line)
{
	struct qemu4v_reader *reader = reading->state;
	struct qemu4v_picture *picture = &reader->picture;
	if (!picture->end)
		return false;
	bool next = text->row_index ? picture->continued && text->offset == picture->at
				    : text->offset == picture->end;
	picture->continued =
		next && qemu4v_parse_rest(text->text, text->size, text->ended, line);
	if (!picture->continued)
		return false;
	picture->at = text->offset;
	picture->end = text->offset + text->size;
	line->access = picture->access;
	line->has_cpu = picture->has_cpu;
	line->cpu = picture->cpu;
	return true;
}

/* Stores the next row of a memory dump. */
static void
store_picture(struct reading *reading, struct batch *batch, size_t row, const struct line *text,
	const struct qemu4v *line)
{
	const struct qemu4v_reader *reader = reading->state;
	const struct qemu4v_picture *picture = &reader->picture;
	store_context(reading, batch, row, line);
	if (picture->continued && picture->has_name)
		batch_put(batch, cpu_name, row, picture->name);
	store_run(batch, row, line, text);
	if (picture->continued && text->row_index == 0 &&
		address_column(text, line) != picture->column)
		findings_add(reading->findings, QEMU4V_Q16, reading->record + row + 1,
			text->offset, "the address begins at column %u, expected %u",
			address_column(text, line) + 1, picture->column + 1);
}

static const uint8_t kinds[QEMU4V_RECORD_COUNT] = {
	[QEMU4V_INSTRUCTION] = POLY_KIND_INSTRUCTION,
	[QEMU4V_MEMORY] = POLY_KIND_ACCESS,
	[QEMU4V_REGISTER] = POLY_KIND_REGISTER,
	[QEMU4V_FLOW] = POLY_KIND_OTHER,
	[QEMU4V_EVENT] = POLY_KIND_EVENT,
	[QEMU4V_BUS] = POLY_KIND_OTHER,
	[QEMU4V_PICTURE] = POLY_KIND_ACCESS,
	[QEMU4V_EXCEPTION] = POLY_KIND_EVENT,
	[QEMU4V_BRANCH] = POLY_KIND_OTHER,
	[QEMU4V_OPERATION] = POLY_KIND_OTHER,
	[QEMU4V_COPROCESSOR] = POLY_KIND_OTHER,
	[QEMU4V_TEXT] = POLY_KIND_OTHER,
	[QEMU4V_BLANK] = POLY_KIND_OTHER,
	[QEMU4V_COMMENT] = POLY_KIND_OTHER,
	[QEMU4V_OTHER] = POLY_KIND_OTHER,
};

/* Stores the row of a Tarmac form or of a line that is not a record. */
static bool
store_line(struct reading *reading, struct batch *batch, size_t row, const struct line *text,
	struct qemu4v *line)
{
	const struct qemu4v_reader *reader = reading->state;
	bool picture = line->is == QEMU4V_PICTURE;
	if (picture && text->row_index == 0 && !reader->picture.continued)
		remember_picture(reading, text, line);
	if (picture)
		store_picture(reading, batch, row, text, line);
	else
		store_form(reading, batch, row, line);
	if (line->is == QEMU4V_OTHER)
		add_line_findings(reading, row, text, line);
	/* The first of a line's rows stores its bytes. */
	batch_put_bytes(
		batch, POLY_COLUMN_raw, row, text->text, text->row_index ? 0 : text->size);
	return true;
}

/*
 * Returns what the row of a record does not have of its line, to follow the quoted line; NULL:
 * nothing.
 */
static const char *
find_unread(const struct qemu4v_reader *reader, const struct qemu4v *line)
{
	uint64_t time;
	if (line->is >= QEMU4V_BLANK)
		return NULL;
	if (line->is == QEMU4V_REGISTER && line->rest)
		return "has more than a register and its value";
	if (line->stamp == QEMU4V_STAMP_OWN && !qemu4v_time(&reader->clock, line, &time))
		return "has a time that cannot be converted to the trace's unit";
	return NULL;
}

bool
qemu4v_parse_line(struct reading *reading, struct batch *batch, size_t row,
	const struct line *text, struct line_fault *fault)
{
	struct qemu4v line;
	if (!continues_picture(reading, text, &line))
		qemu4v_parse(text->text, text->size, text->ended, &line);
	if (!text->ended && line.is > QEMU4V_REGISTER)
		return line_set_fault(
			fault, QEMU4V_Q19, 0, "it has no newline and is not a record");
	batch_put(batch, kind, row, kinds[line.is]);
	batch_put(batch, record, row, (uint8_t)line.is);
	batch_put(batch, origin, row, text->offset);
	const char *unread = text->row_index ? NULL : find_unread(reading->state, &line);
	if (unread)
		line_add_partly_read(reading, row, text, unread);
	if (line.is > QEMU4V_REGISTER)
		return store_line(reading, batch, row, text, &line);
	bool exact = store_record(reading, batch, row, &line);
	if (text->shape && !unread)
		set_template(reading->state, &line, text->shape);
	if (!exact)
		batch_put_bytes(batch, POLY_COLUMN_raw, row, text->text, text->size);
	if (!text->ended) {
		struct qemu4v_reader *reader = reading->state;
		reader->unended = true;
		add_line_findings(reading, row, text, &line);
	}
	return true;
}
