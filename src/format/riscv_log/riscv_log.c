/* SPDX-License-Identifier: MIT */
/*
 * Reads logs of RISC-V simulators and cores: finds the dialect, and turns its records into
 * rows.
 *
 * spec: polytrace-riscv-log(5)
 */
#include "format/riscv_log/scan.h"

#include "base/mem.h"

#include <stdio.h>

/* Bytes and lines of the sample at the front. */
#define SAMPLE_BYTES ((size_t)256 << 10)
#define SAMPLE_LINES 2048

/* Lines of the sample that are parsed. */
#define PARSED_LINES 512

/* Columns that all dialects may fill. */
#define COLUMNS                                                                              \
	kind, record, time, cpu, pc, opcode, opcode_size, access, address, size, value, reg, \
		mnemonic, mode, instruction_id, executed, text, payload, raw, origin

/* State of the check between rows. */
struct rv_check {
	bool has_instruction, has_orphan, has_id;
	uint64_t id;
	/* In decoders: the first id of the chunk, if that is in this batch. */
	bool has_first;
	uint64_t first;
};

struct rv_reader {
	struct lines lines; /* first: the functions of line.h use it */
	const struct rv_dialect *dialect;
	struct rv_form form;
	bool is_written; /* the writer writes this form of the dialect by default */
	/* The record of the last line. */
	bool has_record, is_parsed, is_exact, is_reported;
	uint64_t offset;
	const uint8_t *text;
	struct rv_state before, after; /* of it */
	struct rv_record record;
	struct rv_fields fields;
	struct buf line; /* the record as the writer writes it */
	struct rv_csrs csrs;
	uint32_t names[3][32];	     /* numbers of x, f and v plus 1 */
	uint32_t csr_names[RV_CSRS]; /* likewise */
	struct rv_check check;
};

/* What the lines at the front show. */
struct rv_sample {
	const struct rv_dialect *dialect; /* NULL: none */
	size_t records, others, recognised;
	unsigned style;	      /* bits of enum rv_style */
	unsigned value_bytes; /* of integer registers; 0: none is written */
	unsigned pc_digits;
	bool is_wide; /* an address has more than 32 bits */
};

/* Returns the next line of n bytes at *p; text NULL: none is complete. */
static struct rv_span
next_line(const uint8_t **p, size_t *n)
{
	const size_t size = line_size(*p, *n, RV_RECORD_MAX);
	struct rv_span line = {size ? *p : NULL, size};
	*p += size;
	*n -= size;
	line.size -= size != 0;
	line.size -= line.size && line.text[line.size - 1] == '\r';
	return line;
}

/* Finds the dialect with most lines that only it has. */
static void
find_dialect(struct rv_sample *sample, const uint8_t *p, size_t n)
{
	size_t counts[16] = {0}, best = 0;
	struct rv_span line;
	for (size_t i = 0; i < SAMPLE_LINES && (line = next_line(&p, &n)).text; i++) {
		for (size_t d = 0; rv_dialects[d]; d++)
			counts[d] += rv_dialects[d]->recognise(line);
	}
	for (size_t d = 0; rv_dialects[d]; d++) {
		/* A variant of Spike has few lines that only it has. */
		const bool is_variant =
			rv_dialects[d]->is_variant && counts[d] && 64 * counts[d] >= best;
		if (counts[d] > best || is_variant) {
			best = counts[d];
			sample->dialect = rv_dialects[d];
		}
	}
	sample->recognised = best;
}

static void
add_sampled(struct rv_sample *sample, const struct rv_record *record)
{
	const struct rv_effect *effect = record->scratch;
	if (effect->file == RV_X && effect->has_value && !sample->value_bytes)
		sample->value_bytes = effect->size;
	if (record->pc_digits > sample->pc_digits)
		sample->pc_digits = record->pc_digits;
	sample->is_wide |= record->pc > UINT32_MAX;
}

/* Classifies the lines at the front. */
static void
classify(struct rv_sample *sample, const uint8_t *p, size_t n)
{
	struct rv_state state = {.hart = 0};
	struct rv_effect scratch;
	struct rv_record record = {.scratch = &scratch};
	struct rv_span line;
	*sample = (struct rv_sample){.dialect = NULL};
	n = n < SAMPLE_BYTES ? n : SAMPLE_BYTES;
	find_dialect(sample, p, n);
	for (size_t i = 0; sample->dialect && i < PARSED_LINES; i++) {
		line = next_line(&p, &n);
		if (!line.text)
			return;
		rv_clear(&record);
		scratch = (struct rv_effect){.file = RV_TRAP};
		const bool good = sample->dialect->parse(line, &state, &record);
		sample->records += good;
		sample->others += !good && line.size;
		sample->style |= rv_spike_style(line);
		if (good)
			add_sampled(sample, &record);
	}
}

static int
rv_probe(const uint8_t *p, size_t n, bool eof, struct probe_note *note)
{
	(void)eof;
	struct rv_sample sample;
	classify(&sample, p, n);
	note->near = sample.records > 0;
	note->distinct = note->near && !sample.others;
	/* Warnings and the program's own output may be among the lines. */
	note->consistent = n > 0;
	if (!note->near)
		return 0;
	snprintf(note->text, sizeof note->text,
		"%zu of the first %zu lines are records of the dialect %s", sample.records,
		sample.records + sample.others, sample.dialect->name);
	if (sample.records < 3 || sample.others > sample.records)
		return 0;
	return sample.others ? 22 : 24;
}

/* Returns the name of the dialect: those of old versions of Spike are not written. */
static const char *
name_of_dialect(const struct rv_sample *sample)
{
	const unsigned style = sample->style;
	if (sample->dialect != &rv_spike || !(style & RV_STYLE_COMMIT))
		return sample->dialect ? sample->dialect->name : rv_spike.name;
	if (!(style & RV_STYLE_BARE))
		return style & RV_STYLE_SPACED ? "spike-d" : "spike";
	return style & RV_STYLE_MEMORY ? "spike-c" : "spike-b";
}

/* Returns what the log does not record, for comparisons; NULL: nothing. */
static const char *
find_unrecorded(const struct rv_sample *sample)
{
	const unsigned style = sample->style;
	if (sample->dialect && sample->dialect != &rv_spike)
		return sample->dialect->unrecorded;
	if (!(style & RV_STYLE_COMMIT))
		return "registers,memory";
	if (!(style & RV_STYLE_BARE))
		return NULL;
	const bool has_csrs = style & RV_STYLE_CSR;
	return style & RV_STYLE_MEMORY ? has_csrs ? NULL : "csrs"
	       : has_csrs	       ? "memory"
				       : "memory,csrs";
}

/* Removes the columns that a log without certain effects does not have. */
static void
narrow(struct poly_trace_info *view, const char *unrecorded)
{
	if (!unrecorded)
		return;
	if (strstr(unrecorded, "memory"))
		view->columns =
			poly_columns_minus(view->columns, POLY_COLUMNS(access, address));
	if (strstr(unrecorded, "registers"))
		view->columns = poly_columns_minus(
			view->columns, POLY_COLUMNS(reg, size, payload, mode));
}

static size_t rv_record_size(const struct reading *reading, const uint8_t *text, size_t n,
	size_t limit, bool is_all);
static bool rv_parse_line(struct reading *reading, struct batch *batch, size_t row,
	const struct line *line, struct line_fault *fault);

static const struct line_format line_format = {
	.limit = RV_RECORD_MAX,
	.corrupt_kind = RV_CORRUPT,
	.too_long = R03,
	.record_size = rv_record_size,
	.parse_line = rv_parse_line,
};

/* That of dialects whose effects have their text, and whose numbers have fields. */
static const struct line_format predicted_format = {
	.limit = RV_RECORD_MAX,
	.corrupt_kind = RV_CORRUPT,
	.too_long = R03,
	.predict = {.windows = POLY_COLUMNS_INIT(time, instruction_id, address, value)},
	.record_size = rv_record_size,
	.parse_line = rv_parse_line,
};

static enum poly_status
rv_open(struct reading *reading, struct poly_error *error)
{
	struct rv_reader *reader = reading->state;
	struct poly_trace_info *view = &reading->info->view;
	struct rv_sample sample;
	size_t have;
	const uint8_t *p = in_peek(reading->in, SAMPLE_BYTES, &have);
	classify(&sample, p, have);
	const char *name = name_of_dialect(&sample), *unrecorded = find_unrecorded(&sample);
	reader->dialect = sample.dialect ? sample.dialect : &rv_spike;
	lines_open(reading, &reader->lines,
		reader->dialect->is_predicted ? &predicted_format : &line_format);
	reader->form = (struct rv_form){.xlen = 64,
		.has_execution = sample.style & RV_STYLE_EXECUTION,
		.has_commit = sample.style & RV_STYLE_COMMIT};
	if (sample.value_bytes == 4 || (!sample.value_bytes && sample.pc_digits == 8))
		reader->form.xlen = sample.is_wide && sample.pc_digits != 16 ? 64 : 32;
	reader->is_written =
		reader->dialect->format && strcmp(name, reader->dialect->name) == 0;
	reading->unsplittable = reader->dialect->has_state;
	view->isa = reader->form.xlen == 32 ? "riscv32" : "riscv64";
	view->address_bits = reader->form.xlen;
	view->addresses = POLY_ADDRESS_VIRTUAL;
	view->producer = reader->dialect->producer;
	view->records = rv_kinds;
	view->record_count = RV_KIND_COUNT;
	narrow(view, unrecorded);
	if (reader->dialect != &rv_riscv_dv)
		view->columns = poly_columns_minus(view->columns, POLY_COLUMNS(mnemonic));
	const char *lines = !reader->form.has_execution ? "commit"
			    : reader->form.has_commit	? "both"
							: "execution";
	if (!info_fact(reading->info, "dialect", name) ||
		(reader->dialect == &rv_spike &&
			!info_fact(reading->info, "riscv.lines", lines)) ||
		(unrecorded && !info_fact(reading->info, "unrecorded", unrecorded)))
		return err_memory(error);
	return POLY_OK;
}

static size_t
rv_record_size(
	const struct reading *reading, const uint8_t *text, size_t n, size_t limit, bool is_all)
{
	const struct rv_reader *reader = reading->state;
	n = n < limit ? n : limit;
	size_t size = line_size(text, n, n);
	if (!reader->dialect->joins)
		return size;
	const struct rv_span none = {NULL, 0};
	while (size && reader->dialect->joins((struct rv_span){text, size}, none)) {
		const size_t next = line_size(text + size, n - size, n - size);
		if (!next)
			return is_all ? size : 0;
		if (!reader->dialect->joins(
			    (struct rv_span){text, size}, (struct rv_span){text + size, next}))
			break;
		size += next;
	}
	return size;
}

/* Finds the number of a CSR by its name; false: no such CSR, or another one than stated. */
static bool
is_known_csr(struct reading *reading, const struct rv_effect *effect)
{
	struct rv_reader *reader = reading->state;
	uint16_t number;
	if (!effect->name.size)
		return true;
	const bool found = rv_find_csr(&reader->csrs, effect->name, &number);
	reading->info->no_memory |= reader->csrs.no_memory;
	return found && (effect->number == RV_CSRS || effect->number == number);
}

/* Returns the number of the name of a register; false: it cannot be stored. */
static bool
find_name(struct reading *reading, const struct rv_effect *effect, uint32_t *number)
{
	struct rv_reader *reader = reading->state;
	uint32_t *known = effect->file < RV_CSR
				  ? &reader->names[effect->file][effect->number & 31]
			  : effect->number < RV_CSRS ? &reader->csr_names[effect->number]
						     : NULL;
	if (effect->file == RV_CSR && effect->name.size)
		return info_keep_name(reading->info, (const char *)effect->name.text,
			effect->name.size, number);
	if (!known)
		return false;
	if (!*known) {
		buf_clear(&reader->line);
		rv_append_register(&reader->line, effect);
		if (!info_keep_name(reading->info, (const char *)reader->line.data,
			    reader->line.size, number))
			return false;
		*known = *number + 1;
	}
	*number = *known - 1;
	return true;
}

/* Returns whether the writer writes the bytes of a record again. */
static bool
is_exact(struct reading *reading, const struct rv_record *record, const struct line *line)
{
	struct rv_reader *reader = reading->state;
	uint32_t name;
	/* The writer replaces carriage returns. */
	if (!reader->is_written || record->is >= RV_REPEAT || record->has_time ||
		memchr(line->text, '\r', line->size))
		return false;
	for (uint32_t i = 0; i < record->count; i++) {
		const struct rv_effect *effect = &record->effects[i];
		if (effect->digits.size % 2 ||
			(effect->file == RV_CSR && !is_known_csr(reading, effect)) ||
			(effect->file <= RV_CSR && !find_name(reading, effect, &name)))
			return false;
	}
	buf_clear(&reader->line);
	reader->dialect->format(&reader->form, record, &reader->line);
	reading->info->no_memory |= reader->line.failed;
	return !reader->line.failed && reader->line.size == line->size &&
	       memcmp(reader->line.data, line->text, line->size) == 0;
}

/* Parses the record of a line, unless it is still there. */
static bool
parse_record(struct reading *reading, const struct batch *batch, const struct line *line)
{
	struct rv_reader *reader = reading->state;
	if (reader->has_record && reader->offset == line->offset &&
		reader->text == line->text && line->row_index)
		return reader->is_parsed;
	struct line_context *context = &reader->lines.predictor.context;
	if (!reader->has_record || reader->offset != line->offset) {
		reader->before = reader->after;
		reader->before.hart = context->key;
		reader->before.order = context->counter;
	}
	reader->after = reader->before;
	reader->has_record = true;
	reader->offset = line->offset;
	reader->text = line->text;
	reader->record.fields = &reader->fields;
	rv_clear(&reader->record);
	const struct rv_span text = {line->text, line->size - line->ended};
	reader->is_parsed = reader->dialect->parse(text, &reader->after, &reader->record);
	context->key = reader->after.hart;
	context->counter = reader->after.order;
	reader->is_exact = reader->is_parsed && batch->view.raw &&
			   is_exact(reading, &reader->record, line);
	return reader->is_parsed;
}

/* Stores the bytes of a large value. */
static void
store_wide(struct batch *batch, size_t row, struct rv_span digits)
{
	uint8_t bytes[256];
	struct buf wide = {.data = NULL};
	/* A digit too few counts as a leading 0. */
	const size_t odd = digits.size % 2, n = (digits.size + odd) / 2;
	uint8_t *to = n <= sizeof bytes ? bytes : buf_reserve(&wide, n);
	if (!to) {
		batch->arena.failed = true;
		return;
	}
	to[0] = 0;
	for (size_t i = 0; i < digits.size; i++) {
		const unsigned digit = (unsigned)num_hex_digit((char)digits.text[i]);
		uint8_t *byte = &to[(i + odd) / 2];
		*byte = (uint8_t)((i + odd) % 2 ? *byte | digit : digit << 4);
	}
	batch_put_bytes(batch, POLY_COLUMN_payload, row, to, n);
	buf_free(&wide);
}

/* Stores the value of an effect, the first byte of a large one highest. */
static void
store_value(struct batch *batch, size_t row, const struct rv_effect *effect)
{
	if (effect->size)
		batch_put(batch, size, row, effect->size);
	if (!effect->has_value)
		return;
	if (!effect->digits.size) {
		batch_put(batch, value, row, effect->value);
		return;
	}
	if (batch->view.payload)
		store_wide(batch, row, effect->digits);
}

/* Stores an effect. */
static bool
store_effect(struct reading *reading, struct batch *batch, size_t row,
	const struct rv_effect *effect)
{
	static const uint8_t accesses[] = {[RV_READ] = POLY_ACCESS_READ,
		[RV_WRITE] = POLY_ACCESS_WRITE,
		[RV_FETCH] = POLY_ACCESS_FETCH};
	uint32_t name;
	if (effect->file < RV_READ) {
		batch_put(batch, kind, row, POLY_KIND_REGISTER);
		batch_put(batch, record, row, RV_REGISTER);
		store_value(batch, row, effect);
		if (!batch->view.reg)
			return true;
		if (!find_name(reading, effect, &name))
			return false;
		batch_put(batch, reg, row, name);
	} else if (effect->file < RV_STATE) {
		batch_put(batch, kind, row, POLY_KIND_ACCESS);
		batch_put(batch, record, row, RV_MEMORY);
		batch_put(batch, access, row, accesses[effect->file]);
		batch_put(batch, address, row, effect->address);
		store_value(batch, row, effect);
	} else {
		const bool is_trap = effect->file == RV_TRAP;
		batch_put(batch, kind, row, is_trap ? POLY_KIND_EVENT : POLY_KIND_OTHER);
		batch_put(batch, record, row, is_trap ? RV_EXCEPTION : RV_VECTOR);
		batch_put_bytes(
			batch, POLY_COLUMN_text, row, effect->name.text, effect->name.size);
		if (is_trap)
			batch_put(batch, pc, row, effect->address);
		if (is_trap && effect->has_value)
			batch_put(batch, value, row, effect->value);
	}
	return true;
}

/* Stores a name; false: it cannot be stored. */
static bool
store_mnemonic(
	struct reading *reading, struct batch *batch, size_t row, struct rv_span mnemonic)
{
	uint32_t name;
	if (!mnemonic.size || !batch->view.mnemonic)
		return true;
	if (!info_keep_name(reading->info, (const char *)mnemonic.text, mnemonic.size, &name))
		return false;
	batch_put(batch, mnemonic, row, name);
	return true;
}

/* Stores an instruction, or a line without one. */
static bool
store_head(struct reading *reading, struct batch *batch, size_t row,
	const struct rv_record *record)
{
	const bool is_instruction = record->is == RV_INSTRUCTION;
	batch_put(batch, kind, row, is_instruction ? POLY_KIND_INSTRUCTION : POLY_KIND_OTHER);
	batch_put(batch, record, row, (uint8_t)record->is);
	if (record->text.size)
		batch_put_bytes(
			batch, POLY_COLUMN_text, row, record->text.text, record->text.size);
	if (!is_instruction)
		return true;
	batch_put(batch, pc, row, record->pc);
	if (record->has_opcode) {
		batch_put(batch, opcode, row, record->opcode);
		batch_put(batch, opcode_size, row, record->opcode_size);
	}
	if (record->has_id)
		batch_put(batch, instruction_id, row, record->id);
	if (record->is_trapped)
		batch_put(batch, executed, row, 0);
	bool good = store_mnemonic(reading, batch, row, record->mnemonic);
	if (record->mode && batch->view.mode) {
		const uint32_t mode =
			info_name(reading->info, record->mode, strlen(record->mode));
		if (mode == INTERN_FAILED)
			reading->info->no_memory = true;
		else
			batch_put(batch, mode, row, mode);
	}
	return good;
}

/* Reports stores of another size than that of their instruction; returns whether it has one. */
static bool
check_record(struct reading *reading, size_t row, const struct rv_record *record,
	const struct line *line)
{
	const uint32_t size = rv_access_size(record);
	bool is_reported = false;
	for (uint32_t i = 0; size && i < record->count; i++) {
		const struct rv_effect *effect = &record->effects[i];
		if (effect->file != RV_WRITE || effect->size <= size)
			continue;
		is_reported = true;
		findings_add(reading->findings, R06, reading->record + row + 1, line->offset,
			"%u bytes are stored, expected %u", effect->size, size);
	}
	return is_reported;
}

/* Reports what the first row of a record shows; returns whether there is something. */
static bool
report_record(struct reading *reading, size_t row, const struct rv_record *record,
	const struct line *line)
{
	const char *unread = rv_find_unread(record);
	if (unread)
		line_add_partly_read(reading, row, line, unread);
	return (reading->check && check_record(reading, row, record, line)) || unread;
}

/* Returns whether a line is a warning of the compiler of device trees, which Spike runs. */
static bool
is_device_tree_warning(const struct line *line)
{
	static const char begin[] = "<stdin>:";
	return line->size >= sizeof begin && memcmp(line->text, begin, sizeof begin - 1) == 0;
}

/* Stores a line that is not a record. */
static void
store_text(struct reading *reading, struct batch *batch, size_t row, const struct line *line)
{
	size_t n = line->size - 1;
	n -= n && line->text[n - 1] == '\r';
	batch_put(batch, kind, row, POLY_KIND_OTHER);
	batch_put(batch, record, row, RV_TEXT);
	batch_put(batch, origin, row, line->offset);
	batch_put_bytes(batch, POLY_COLUMN_text, row, line->text, n);
	batch_put_bytes(batch, POLY_COLUMN_raw, row, line->text, line->size);
	const struct rv_reader *reader = reading->state;
	if (!is_device_tree_warning(line))
		line_add_unknown(reading, row, line, reader->dialect->name);
}

/* Stores a record without effects. */
static void
store_nothing(struct batch *batch, size_t row)
{
	batch_put(batch, kind, row, POLY_KIND_OTHER);
	batch_put(batch, record, row, RV_TEXT);
}

/*
 * Sets the shape of a row. Whether rows have the bytes of their line follows from the complete
 * line, which the first row of a written dialect may not state.
 */
static void
set_shape(const struct rv_reader *reader, const struct batch *batch, const struct line *line)
{
	const bool is_written = reader->is_written && batch->view.raw;
	const bool has_parts = line->row_index || *line->more_rows;
	if (is_written && has_parts && !reader->is_exact && !reader->dialect->is_one_line)
		return;
	rv_set_shape(reader->dialect, &reader->record, is_written, line);
	line->shape->key = reader->after.hart;
	line->shape->variant = reader->is_exact;
}

/* Parses a record into its next row. */
static bool
rv_parse_line(struct reading *reading, struct batch *batch, size_t row, const struct line *line,
	struct line_fault *fault)
{
	struct rv_reader *reader = reading->state;
	const struct rv_record *record = &reader->record;
	if (!line->ended)
		return line_set_fault(fault, R02, 0, "it has no newline");
	if (!parse_record(reading, batch, line)) {
		reading->info->no_memory |= record->no_memory;
		store_text(reading, batch, row, line);
		return true;
	}
	const bool has_head = record->is != RV_REGISTER && record->is != RV_EXCEPTION;
	const unsigned effect = line->row_index - has_head;
	*line->more_rows = line->row_index + 1 < has_head + record->count;
	batch_put(batch, origin, row, line->offset);
	if (record->has_hart)
		batch_put(batch, cpu, row, record->hart);
	if (record->has_time)
		batch_put(batch, time, row, record->time);
	bool good = true;
	if (has_head && !line->row_index)
		good = store_head(reading, batch, row, record);
	else if (effect < record->count)
		good = store_effect(reading, batch, row, &record->effects[effect]);
	else
		store_nothing(batch, row);
	reader->is_exact &= good;
	if (!reader->is_exact)
		batch_put_bytes(batch, POLY_COLUMN_raw, row, line->text,
			line->row_index ? 0 : line->size);
	if (!line->row_index)
		reader->is_reported = report_record(reading, row, record, line);
	if (line->shape && good && !reader->is_reported)
		set_shape(reader, batch, line);
	return true;
}

/* Tests the numbers that instructions have in the log. */
static void
check_id(struct reading *reading, const struct poly_batch *batch, size_t row)
{
	struct rv_reader *reader = reading->state;
	if (reader->dialect->has_state || !poly_present(batch, POLY_COLUMN_instruction_id, row))
		return;
	const uint64_t id = batch->instruction_id[row];
	if (reader->check.has_id && id != reader->check.id + 1)
		findings_add(reading->findings, R07, batch->first + row + 1, batch->origin[row],
			"instruction %llu follows instruction %llu", (unsigned long long)id,
			(unsigned long long)reader->check.id);
	if (!reader->check.has_id) {
		reader->check.has_first = true;
		reader->check.first = id;
	}
	reader->check.has_id = true;
	reader->check.id = id;
}

static void
check_row(struct reading *reading, const struct poly_batch *batch, size_t row)
{
	struct rv_reader *reader = reading->state;
	const unsigned is = batch->record[row];
	const uint64_t record = batch->first + row + 1, origin = batch->origin[row];
	if (is == RV_INSTRUCTION) {
		reader->check.has_instruction = true;
		check_id(reading, batch, row);
	} else if ((is == RV_REGISTER ||
			   (is == RV_MEMORY && batch->access[row] != POLY_ACCESS_FETCH)) &&
		   !reader->check.has_instruction && !reader->check.has_orphan) {
		reader->check.has_orphan = true;
		findings_add(reading->findings, R05, record, origin,
			"no instruction precedes the first effect");
	}
	size_t n = 0;
	if (reader->is_written && is < RV_REPEAT && poly_present(batch, POLY_COLUMN_raw, row))
		poly_batch_bytes(batch, POLY_COLUMN_raw, row, &n);
	if (n)
		findings_add(reading->findings, R04, record, origin,
			"the line is not spelled as %s would",
			reader->dialect->producer ? reader->dialect->producer
						  : "the format's document");
}

/*
 * Defers the rows of a chunk up to the first instruction: an effect without one may be the
 * first of the trace. Returns their number.
 */
static size_t
defer_prefix(struct reading *reading, const struct poly_batch *batch)
{
	struct rv_check *check = &((struct rv_reader *)reading->state)->check;
	size_t row = 0;
	check->has_first = false;
	while (!check->has_instruction && row < batch->rows &&
		batch->record[row] != RV_INSTRUCTION)
		row++;
	check_defer_prefix(reading, row);
	return row;
}

static void
rv_check(struct reading *reading, const struct poly_batch *batch)
{
	for (size_t row = reading->deferred ? defer_prefix(reading, batch) : 0;
		batch && row < batch->rows; row++)
		check_row(reading, batch, row);
}

static bool
check_fits(const struct reading *reading, const void *state)
{
	const struct rv_reader *reader = reading->state;
	const struct rv_check *after = state;
	return !after->has_first || !reader->check.has_id ||
	       after->first == reader->check.id + 1;
}

static void
check_adopt(struct reading *reading, const struct poly_batch *batch, const void *state,
	uint64_t first)
{
	struct rv_check *check = &((struct rv_reader *)reading->state)->check;
	const struct rv_check *after = state;
	(void)batch, (void)first;
	check->has_instruction |= after->has_instruction;
	if (after->has_id)
		check->id = after->id;
	check->has_id |= after->has_id;
}

/* Splits after a record that no line can continue. */
static size_t
rv_find_split(const struct reading *reading, uint64_t offset, const uint8_t *p, size_t n)
{
	const struct rv_reader *reader = reading->state;
	(void)offset;
	size_t end = lines_size(p, n);
	for (unsigned tries = 0; end && reader->dialect->joins && tries < 16; tries++) {
		const size_t start = end > 1 ? lines_size(p, end - 1) : 0;
		if (!start)
			return 0;
		/* A line of an execution may be followed by its commit, and an exception by a
		 * value. */
		if (!reader->dialect->joins((struct rv_span){p + start, end - start},
			    (struct rv_span){NULL, 0}))
			return end;
		end = start;
	}
	return reader->dialect->joins ? 0 : end;
}

static void
rv_close(struct reading *reading)
{
	struct rv_reader *reader = reading->state;
	lines_close(reading);
	mem_free(reader->record.effects);
	buf_free(&reader->line);
	intern_free(&reader->csrs.names);
}

static const char *const dialects[] = {
	"auto", "spike", "cva6", "sail", "rvvi", "riscv-dv", NULL};

static const struct poly_option options[] = {
	[RV_OPTION_DIALECT] = {"riscv.dialect", POLY_OPTION_CHOICE, POLY_OPTION_WRITE,
		.choices = dialects,
		.help = "write this dialect (default auto: that of the source if it can be "
			"written, else spike)",
		.source = "polytrace-riscv-log(5)"},
	{.name = NULL},
};

static const struct format riscv_log = {
	.content = {.users = "Spike, Sail, cores",
		.kinds = POLY_KIND_BIT(INSTRUCTION) | POLY_KIND_BIT(ACCESS) |
			 POLY_KIND_BIT(REGISTER) | POLY_KIND_BIT(EVENT)},
	.info =
		{
			.name = "riscv-log",
			.family = "riscv-log",
			.title = "log of a RISC-V simulator or core: Spike, Sail, CVA6 and "
				 "others",
			.extensions = "rvlog dasm",
			.spec = "polytrace-riscv-log(5)",
			.can_read = true,
			.can_write = true,
			.columns = POLY_COLUMNS_INIT(COLUMNS),
			.needs = POLY_COLUMNS_INIT(pc, opcode),
			.needs_isa = "riscv",
			.options = options,
			.rules = rv_rules,
		},
	.is_text = true,
	.reader_size = sizeof(struct rv_reader),
	.writer_size = sizeof(struct rv_writer),
	.probe = rv_probe,
	.open = rv_open,
	.read = lines_read,
	.resync = lines_resync,
	.find_split = rv_find_split,
	.check = rv_check,
	.checks_chunks = true,
	.check_offset = offsetof(struct rv_reader, check),
	.check_size = sizeof(struct rv_check),
	.check_fits = check_fits,
	.check_adopt = check_adopt,
	.close = rv_close,
	.selected_fact = "riscv.selected", /* parts of a log lack its header */
	.effects = EFFECTS_SEPARATE,
	.wopen = rv_wopen,
	.raw_facts = (const char *const[]){"dialect", NULL},
	.write = rv_write,
	.wfinish = rv_wfinish,
	.wclose = rv_wclose,
};

const struct format *const formats_riscv_log[] = {&riscv_log, NULL};
