/* SPDX-License-Identifier: MIT */
/*
 * QEMU4V traces: lines of text for instructions, memory accesses and written registers.
 *
 * spec: seed 002; reference qemu4v-tarmac 3 and 4
 */
#include "format/qemu4v/qemu4v.h"

#include "base/bits.h"
#include "base/num.h"

#include <stdio.h>

/* Lines at the front that are looked at, and how many bytes of them. */
#define SAMPLE_LINES 256
#define SAMPLE_BYTES ((size_t)32 << 10)

static const char *const record_names[QEMU4V_RECORD_COUNT] = {
	[QEMU4V_INSTRUCTION] = "instruction",
	[QEMU4V_MEMORY] = "memory",
	[QEMU4V_REGISTER] = "register",
	[QEMU4V_FLOW] = "flow",
	[QEMU4V_EVENT] = "event",
	[QEMU4V_BUS] = "bus",
	[QEMU4V_BLANK] = "blank",
	[QEMU4V_COMMENT] = "comment",
	[QEMU4V_OTHER] = "other",
	[QEMU4V_DAMAGED] = "damaged",
};

static const char *const owners[] = {"instruction", "none", NULL};
const char *const qemu4v_data_orders[] = {"value", "memory", NULL};

/* Lines at the front of an input, by what they are. */
struct sample {
	size_t records, others;
	char unit[16];		 /* of the first record; empty: none */
	unsigned address_digits; /* of the first address; 0: none */
};

static void
add_line(struct sample *sample, const struct qemu4v *line)
{
	size_t n = line->unit.length;
	if (line->is > QEMU4V_REGISTER) {
		sample->others += line->is >= QEMU4V_OTHER;
		return;
	}
	if (!sample->records && n < sizeof sample->unit)
		memcpy(sample->unit, line->unit.text, n);
	bool same = n && qemu4v_is_unit(line->unit.text, n) && n == strlen(sample->unit) &&
		    memcmp(sample->unit, line->unit.text, n) == 0;
	sample->records += same;
	sample->others += !same;
	if (line->is != QEMU4V_REGISTER && !sample->address_digits)
		sample->address_digits = line->address_digits;
}

static void
take_sample(struct sample *sample, const uint8_t *p, size_t n)
{
	memset(sample, 0, sizeof *sample);
	n = n < SAMPLE_BYTES ? n : SAMPLE_BYTES;
	for (size_t i = 0, size; i < SAMPLE_LINES; i++, p += size, n -= size) {
		struct qemu4v line;
		size = line_size(p, n, QEMU4V_LINE_MOST);
		if (size == 0)
			return;
		qemu4v_parse(p, size, true, &line);
		add_line(sample, &line);
	}
}

static int
qemu4v_probe(const uint8_t *p, size_t n, bool eof, struct probe_note *note)
{
	(void)eof;
	struct sample sample;
	take_sample(&sample, p, n);
	if (sample.records)
		snprintf(note->text, sizeof note->text,
			"%zu of the first %zu lines are instructions, accesses and registers "
			"with a time in '%s'",
			sample.records, sample.records + sample.others, sample.unit);
	if (sample.records < 3 || sample.others > sample.records)
		return 0;
	return sample.others ? 20 : 24;
}

/* The number of a name; false where it cannot be kept: the line then keeps its bytes. */
static inline bool
find_name(struct reading *reading, const struct qemu4v_word *word, uint32_t *number)
{
	struct qemu4v_reader *reader = reading->state;
	uint64_t bytes = load_le64(word->text);
	if (word->length < 8)
		bytes &= ((uint64_t)1 << 8 * word->length) - 1;
	struct qemu4v_known *known =
		&reader->known[(bytes + word->length) * 0x9e3779b97f4a7c15u >> 56];
	if (known->text && known->length == word->length &&
		memcmp(known->text, word->text, word->length) == 0) {
		*number = known->number;
		return true;
	}
	if (!info_keep_name(reading->info, (const char *)word->text, word->length, number))
		return false;
	*known = (struct qemu4v_known){
		poly_trace_name(&reading->info->view, *number), word->length, *number};
	return true;
}

/* Puts a name into its column, where there is one; good becomes false where it can't be kept.
 */
#define PUT_NAME(column, word)                                           \
	do {                                                             \
		uint32_t name;                                           \
		if ((word).length && find_name(reading, &(word), &name)) \
			batch_put(batch, column, row, name);             \
		else if ((word).length)                                  \
			good = false;                                    \
	} while (0)

/* Digits into a column of 64 bits or into the payload; false where they are not as usual. */
static bool
put_digits(struct batch *batch, size_t row, const struct qemu4v *line)
{
	const struct qemu4v_digits *data = &line->data;
	uint8_t bytes[QEMU4V_LINE_MOST / 2];
	bool opcode = line->is == QEMU4V_INSTRUCTION;
	if (!data->known || data->count == 0)
		return false;
	if (data->count <= 16 && opcode)
		batch_put(batch, opcode, row, data->value);
	else if (data->count <= 16)
		batch_put(batch, value, row, data->value);
	else if (data->count % 2 == 0) {
		size_t n = qemu4v_bytes(data, bytes);
		if (line->turned)
			qemu4v_turn(bytes, n);
		batch_put_bytes(batch, POLY_COLUMN_payload, row, bytes, n);
	}
	if (opcode && data->count % 2 == 0)
		batch_put(batch, opcode_size, row, (uint8_t)(data->count / 2));
	return data->count % 2 == 0 && data->count <= QEMU4V_DATA_DIGITS;
}

static inline bool
put_instruction(
	struct reading *reading, struct batch *batch, size_t row, const struct qemu4v *line)
{
	if (line->has_executed)
		batch_put(batch, executed, row, line->executed);
	if (line->has_id)
		batch_put(batch, number, row, line->id);
	batch_put(batch, pc, row, line->address);
	if (line->has_real)
		batch_put(batch, real_pc, row, line->real);
	batch_put_bytes(batch, POLY_COLUMN_text, row, line->text.text, line->text.length);
	bool good = put_digits(batch, row, line);
	PUT_NAME(instruction_set, line->iset);
	PUT_NAME(mode, line->mode);
	PUT_NAME(security, line->security);
	return good;
}

static inline bool
put_memory(struct reading *reading, struct batch *batch, size_t row, struct qemu4v *line)
{
	const struct qemu4v_reader *reader = reading->state;
	struct qemu4v_digits *data = &line->data;
	bool whole = data->count == (uint64_t)2 * line->size;
	line->turned = reader->memory_order && whole;
	if (line->turned && line->size <= 8)
		data->value = qemu4v_turned(data->value, line->size);
	batch_put(
		batch, access, row, line->access == 'R' ? POLY_ACCESS_READ : POLY_ACCESS_WRITE);
	batch_put(batch, address, row, line->address);
	batch_put(batch, size, row, line->size);
	if (line->has_real)
		batch_put(batch, real_address, row, line->real);
	bool good = true;
	PUT_NAME(attributes, line->attributes);
	/* Where the line has no end its data may have lost digits. */
	if (!whole && !line->ended)
		return false;
	return put_digits(batch, row, line) && whole && good;
}

static inline bool
put_register(
	struct reading *reading, struct batch *batch, size_t row, const struct qemu4v *line)
{
	bool good = true;
	PUT_NAME(reg, line->reg);
	/* Where the line has no end its value may have lost digits. */
	if (!line->ended)
		return false;
	if (line->data.known && line->data.count && line->data.count % 2 == 0)
		batch_put(batch, size, row, (uint32_t)line->data.count / 2);
	return put_digits(batch, row, line) && good;
}

/* Time and processor; false where the line has them otherwise than the trace. */
static inline bool
put_place(const struct qemu4v_reader *reader, struct batch *batch, size_t row,
	const struct qemu4v *line)
{
	uint64_t time;
	/* A time in another unit, or in none, is no time of the trace's clock. */
	bool same = qemu4v_time(reader, line, &time);
	if (same)
		batch_put(batch, time, row, time);
	if (line->has_cpu)
		batch_put(batch, cpu, row, line->cpu);
	return same && (line->is == QEMU4V_REGISTER ||
			       line->address_digits == qemu4v_address_digits(line->address,
							       reader->address_digits));
}

/* The columns of a record; false where its line has to keep its bytes. */
static inline bool
put_record(struct reading *reading, struct batch *batch, size_t row, struct qemu4v *line)
{
	bool plain = put_place(reading->state, batch, row, line) && line->plain;
	if (line->is == QEMU4V_INSTRUCTION)
		return put_instruction(reading, batch, row, line) && plain;
	if (line->is == QEMU4V_MEMORY)
		return put_memory(reading, batch, row, line) && plain;
	return put_register(reading, batch, row, line) && plain;
}

static void
put_window(struct line_shape *shape, const struct qemu4v_word *word, unsigned form,
	enum poly_column column)
{
	shape_window(shape, word->text, word->length, form, column);
}

/* What may change from line to line: time, number, and the address and data of an access. */
static void
put_shape(
	const struct qemu4v_reader *reader, const struct qemu4v *line, struct line_shape *shape)
{
	uint64_t time;
	const bool insn = line->is == QEMU4V_INSTRUCTION;
	shape->place = insn;
	/* Whether an address of other digits is plain depends on its value. */
	shape->repeats = line->is == QEMU4V_REGISTER || insn ||
			 line->address_digits == reader->address_digits;
	if (qemu4v_time(reader, line, &time))
		put_window(shape, &line->time_text, WINDOW_DECIMAL, POLY_COLUMN_time);
	if (insn && line->has_id)
		put_window(shape, &line->id_text, WINDOW_DECIMAL, POLY_COLUMN_number);
	if (line->is == QEMU4V_MEMORY)
		put_window(shape, &line->address_text, WINDOW_ZEROS, POLY_COLUMN_address);
	if (!insn && line->data.known && line->data.count <= 16)
		put_window(shape, &line->data.word, WINDOW_ZEROS, POLY_COLUMN_value);
	if (insn) {
		shape->text = line->text.text;
		shape->text_length = line->text.length;
	}
}

static bool
blame_end(struct line_fault *fault)
{
	fault->rule = QEMU4V_Q11;
	fault->column = 0;
	snprintf(fault->text, sizeof fault->text, "the last line has no end, and is no record");
	return false;
}

static void
find_in_line(
	struct reading *reading, size_t row, const struct line *text, const struct qemu4v *line)
{
	uint64_t record = reading->record + row + 1;
	if (line->is == QEMU4V_OTHER)
		findings_add(reading->findings, QEMU4V_Q01, record, text->offset,
			"'%.*s' is no record", line_shown(text->text, text->size), text->text);
	if (!text->ended && in_status(reading->in, NULL) == POLY_END)
		findings_add(reading->findings, QEMU4V_Q11, record, text->offset,
			"the last line has no newline, it may be cut off");
}

static bool
qemu4v_take(struct reading *reading, struct batch *batch, size_t row, const struct line *text,
	struct line_fault *fault)
{
	static const uint8_t kinds[QEMU4V_RECORD_COUNT] = {
		[QEMU4V_INSTRUCTION] = POLY_KIND_INSTRUCTION,
		[QEMU4V_MEMORY] = POLY_KIND_ACCESS,
		[QEMU4V_REGISTER] = POLY_KIND_REGISTER,
		[QEMU4V_FLOW] = POLY_KIND_OTHER,
		[QEMU4V_EVENT] = POLY_KIND_EVENT,
		[QEMU4V_BUS] = POLY_KIND_OTHER,
		[QEMU4V_BLANK] = POLY_KIND_OTHER,
		[QEMU4V_COMMENT] = POLY_KIND_OTHER,
		[QEMU4V_OTHER] = POLY_KIND_OTHER,
	};
	struct qemu4v line;
	qemu4v_parse(text->text, text->size, text->ended, &line);
	if (!text->ended && line.is > QEMU4V_REGISTER)
		return blame_end(fault);
	batch_put(batch, kind, row, kinds[line.is]);
	batch_put(batch, record, row, (uint8_t)line.is);
	batch_put(batch, origin, row, text->offset);
	bool exact = line.is <= QEMU4V_REGISTER && put_record(reading, batch, row, &line);
	if (line.is <= QEMU4V_REGISTER && text->shape)
		put_shape(reading->state, &line, text->shape);
	if (!exact)
		batch_put_bytes(batch, POLY_COLUMN_raw, row, text->text, text->size);
	if (!text->ended || line.is == QEMU4V_OTHER) {
		struct qemu4v_reader *reader = reading->state;
		reader->unended |= !text->ended;
		text->remarks->tied = true;
		find_in_line(reading, row, text, &line);
	}
	return true;
}

static const struct line_format line_format = {
	.limit = QEMU4V_LINE_MOST,
	.damaged = QEMU4V_DAMAGED,
	.too_long = QEMU4V_Q01,
	.predict = {.windows = POLY_HAS(time) | POLY_HAS(number) | POLY_HAS(address) |
			       POLY_HAS(value)},
	.take = qemu4v_take,
};

static enum poly_status
qemu4v_open(struct reading *reading, struct poly_error *error)
{
	struct qemu4v_reader *reader = reading->state;
	struct poly_trace_info *view = &reading->info->view;
	const uint64_t order = reading->options[QEMU4V_OPTION_DATA];
	struct sample sample;
	char digits[4] = "";
	size_t have;
	const uint8_t *p = in_peek(reading->in, SAMPLE_BYTES, &have);
	take_sample(&sample, p, have);
	reader->address_digits = sample.address_digits ? sample.address_digits : 8;
	reader->memory_order = order == QEMU4V_DATA_MEMORY;
	reader->owns = reading->options[QEMU4V_OPTION_OWNER] == QEMU4V_OWNER_INSTRUCTION;
	digits[num_decimal(digits, reader->address_digits)] = 0;
	lines_open(reading, &line_format);
	view->clock = info_string(reading->info, sample.unit[0] ? sample.unit : "clk");
	if (!view->clock || !info_fact(reading->info, "qemu4v.address", digits) ||
		!info_fact(reading->info, "tarmac.data", qemu4v_data_orders[order]))
		return err_memory(error);
	reader->unit = (struct qemu4v_word){(const uint8_t *)view->clock, strlen(view->clock)};
	view->address_bits = reader->address_digits <= 8 ? 32 : 64;
	view->addresses = POLY_ADDRESS_VIRTUAL;
	view->records = record_names;
	view->record_count = QEMU4V_RECORD_COUNT;
	return POLY_OK;
}

/* The processor of a record is found by times, and by where its instruction stands. */
static poly_columns
qemu4v_also(const struct reading *reading, poly_columns wanted)
{
	(void)reading;
	return wanted & POLY_HAS(cpu) ? POLY_HAS(kind) | POLY_HAS(time) | POLY_HAS(origin) : 0;
}

static enum poly_status
qemu4v_read(struct reading *reading, struct batch *batch, struct poly_error *error)
{
	struct qemu4v_reader *reader = reading->state;
	enum poly_status status = lines_read(reading, batch, error);
	qemu4v_settle(reading, &reader->around, batch);
	return status;
}

static void
qemu4v_check_batch(struct reading *reading, const struct poly_batch *batch)
{
	struct qemu4v_reader *reader = reading->state;
	if (batch)
		qemu4v_check(reading, &reader->check, batch);
}

static void
qemu4v_close(struct reading *reading)
{
	struct qemu4v_reader *reader = reading->state;
	lines_close(reading);
	map_free(&reader->check.opcodes);
}

static const struct poly_option options[] = {
	[QEMU4V_OPTION_OWNER] = {"tarmac.owner", POLY_OPTION_CHOICE, POLY_OPTION_READ,
		QEMU4V_OWNER_INSTRUCTION, 0, 0, owners,
		"which processor a record without one is of: that of the instruction of its "
		"time, "
		"or none",
		"reference qemu4v-tarmac 3/2"},
	[QEMU4V_OPTION_DATA] = {"tarmac.data", POLY_OPTION_CHOICE,
		POLY_OPTION_READ | POLY_OPTION_WRITE, QEMU4V_DATA_VALUE, 0, 0,
		qemu4v_data_orders,
		"whether data of memory stand as a value or in the order of memory",
		"reference qemu4v-tarmac 3/16"},
	{.name = NULL},
};

static const struct format qemu4v = {
	.info =
		{
			.name = "qemu4v",
			.family = "qemu4v",
			.title = "QEMU4V text trace",
			.extensions = "q4v",
			.spec = "seed 002",
			.can_read = true,
			.can_write = true,
			.columns = POLY_HAS(kind) | POLY_HAS(record) | POLY_HAS(time) |
				   POLY_HAS(cpu) | POLY_HAS(pc) | POLY_HAS(opcode) |
				   POLY_HAS(opcode_size) | POLY_HAS(access) |
				   POLY_HAS(address) | POLY_HAS(size) | POLY_HAS(value) |
				   POLY_HAS(reg) | POLY_HAS(mode) | POLY_HAS(security) |
				   POLY_HAS(instruction_set) | POLY_HAS(number) |
				   POLY_HAS(attributes) | POLY_HAS(executed) |
				   POLY_HAS(real_pc) | POLY_HAS(real_address) | POLY_HAS(text) |
				   POLY_HAS(payload) | POLY_HAS(raw) | POLY_HAS(origin),
			.needs = POLY_HAS(pc) | POLY_HAS(opcode),
			.options = options,
			.rules = qemu4v_rules,
		},
	.reader_size = sizeof(struct qemu4v_reader),
	.writer_size = sizeof(struct qemu4v_writer),
	.probe = qemu4v_probe,
	.open = qemu4v_open,
	.also = qemu4v_also,
	.read = qemu4v_read,
	.resync = lines_resync,
	.cut = qemu4v_cut,
	.check = qemu4v_check_batch,
	.close = qemu4v_close,
	.wopen = qemu4v_wopen,
	.write = qemu4v_write,
};

const struct format *const formats_qemu4v[] = {&qemu4v, NULL};
