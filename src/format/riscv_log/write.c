/* SPDX-License-Identifier: MIT */
/*
 * Writes logs of RISC-V simulators and cores: gathers the rows of an instruction into a record,
 * which the dialect formats.
 *
 * spec: polytrace-riscv-log(5)
 */
#include "format/riscv_log/scan.h"

#include "base/mem.h"
#include "isa/riscv.h"

/* Returns the dialect of a name that can be written; NULL: none. */
static const struct rv_dialect *
find_written(const char *name)
{
	for (size_t i = 0; rv_dialects[i]; i++) {
		if (rv_dialects[i]->format && strcmp(rv_dialects[i]->name, name) == 0)
			return rv_dialects[i];
	}
	return NULL;
}

enum poly_status
rv_wopen(struct writing *writing, struct poly_error *error)
{
	(void)error;
	struct rv_writer *writer = writing->state;
	const struct poly_trace_info *source = writing->source;
	const char *own = poly_trace_fact(source, "dialect");
	const char *lines = poly_trace_fact(source, "riscv.lines");
	const uint64_t choice = writing->options[RV_OPTION_DIALECT];
	const struct rv_dialect *same = own ? find_written(own) : NULL;
	writer->dialect = choice ? rv_dialects[choice - 1] : same ? same : &rv_spike;
	/* Another dialect than the source's is written anew. */
	writer->copies = writing->own_raw && (!choice || writer->dialect == same);
	const bool is_32 = source->isa ? strcmp(source->isa, "riscv32") == 0
				       : source->address_bits && source->address_bits <= 32;
	writer->form = (struct rv_form){.xlen = is_32 ? 32 : 64,
		.has_execution = lines && strcmp(lines, "commit") != 0,
		.has_commit = !lines || strcmp(lines, "execution") != 0};
	memset(writer->kinds, RV_KIND_COUNT, sizeof writer->kinds);
	for (size_t i = 0; writing->own_raw && i < source->record_count; i++) {
		for (uint8_t is = 0; is < RV_KIND_COUNT; is++) {
			if (strcmp(source->records[i], rv_kinds[is]) == 0)
				writer->kinds[i] = is;
		}
	}
	writing->uses = poly_columns_union(writing->uses, POLY_COLUMNS(uop_index, synthetic));
	return POLY_OK;
}

/* Returns a copy of bytes that lives as long as the pending record. Line ends become blanks. */
static struct rv_span
keep_bytes(struct rv_writer *writer, const uint8_t *bytes, size_t n)
{
	const size_t start = writer->bytes.size;
	buf_append(&writer->bytes, bytes, n);
	for (size_t i = start; i < writer->bytes.size; i++) {
		if (writer->bytes.data[i] == '\n' || writer->bytes.data[i] == '\r')
			writer->bytes.data[i] = ' ';
	}
	/* Spans are completed by their offsets, as the buffer may move. */
	return (struct rv_span){(const uint8_t *)(uintptr_t)start, n};
}

/* Sets the addresses of the copies. */
static void
resolve_span(const struct rv_writer *writer, struct rv_span *span)
{
	if (span->size)
		span->text = writer->bytes.data + (uintptr_t)span->text;
}

static uint64_t
low_bytes(uint64_t value, uint32_t size)
{
	return size < 8 ? value & (((uint64_t)1 << 8 * size) - 1) : value;
}

/* Derives the data of a load, which are the low bytes of the only register written. */
static void
derive_load(struct rv_record *record)
{
	struct rv_effect *load = NULL, *target = NULL;
	unsigned loads = 0, targets = 0;
	for (uint32_t i = 0; i < record->count; i++) {
		struct rv_effect *effect = &record->effects[i];
		loads += effect->file == RV_READ;
		load = effect->file == RV_READ ? effect : load;
		targets += effect->file <= RV_V;
		target = effect->file <= RV_V ? effect : target;
	}
	if (loads != 1 || targets != 1 || load->has_value || !target->has_value ||
		target->digits.size || target->file == RV_V || !load->size || load->size > 8)
		return;
	load->has_value = true;
	load->value = low_bytes(target->value, load->size);
}

/* Counts the effects that the dialect does not hold. */
static void
note_effects(struct writing *writing, const struct rv_record *record)
{
	const struct rv_writer *writer = writing->state;
	const struct rv_dialect *dialect = writer->dialect;
	for (uint32_t i = 0; i < record->count; i++) {
		const struct rv_effect *effect = &record->effects[i];
		const bool holds = dialect->holds >> effect->file & 1;
		if (effect->file <= RV_V && !holds)
			writing_note(writing, "written registers were dropped");
		else if (effect->file == RV_CSR && !holds)
			writing_note(
				writing, "writes of control and status registers were dropped");
		else if ((effect->file == RV_READ || effect->file == RV_WRITE) && !holds)
			writing_note(writing, "accesses were dropped");
		else if (effect->file == RV_TRAP && (!holds || !writer->form.has_execution))
			writing_note(writing, "exceptions were dropped");
		else if (effect->file == RV_READ && dialect == &rv_sail && !effect->has_value)
			writing_note(writing, "loads without data were dropped");
		else if (effect->file == RV_READ && effect->has_value && dialect != &rv_sail)
			writing_note(writing, "data of loads were dropped");
	}
}

/* Sets the text of an instruction that has none. */
static void
set_text(const struct rv_writer *writer, struct rv_record *record, char text[100])
{
	const enum riscv_width width = writer->form.xlen == 32 ? RISCV_32 : RISCV_64;
	if (!riscv_text((uint32_t)record->opcode, width, record->pc, text, 100))
		return;
	for (char *p = text; *p; p++)
		*p = *p == '\t' ? ' ' : *p;
	record->text = (struct rv_span){(const uint8_t *)text, strlen(text)};
}

/* Completes the pending record for the dialect. */
static void
complete_record(struct writing *writing, struct rv_record *record, char text[100])
{
	struct rv_writer *writer = writing->state;
	resolve_span(writer, &record->text);
	for (uint32_t i = 0; i < record->count; i++) {
		resolve_span(writer, &record->effects[i].digits);
		resolve_span(writer, &record->effects[i].name);
	}
	if (record->is != RV_INSTRUCTION)
		return;
	if (!record->has_id)
		record->id = writer->id;
	writer->id = record->id + 1;
	if (writer->dialect->has_text && !record->text.size)
		set_text(writer, record, text);
	if (writer->dialect == &rv_sail)
		derive_load(record);
	if (!record->mode && !record->is_trapped && writer->dialect->needs_mode &&
		writer->form.has_commit)
		writing_note(writing, "privilege levels that are not known were written as M");
}

/* Writes the pending record. */
static enum poly_status
flush_record(struct writing *writing, struct poly_error *error)
{
	struct rv_writer *writer = writing->state;
	struct rv_record *record = &writer->record;
	char text[100];
	if (!writer->is_open)
		return POLY_OK;
	writer->is_open = false;
	if (writer->bytes.failed || record->no_memory)
		return err_memory(error);
	complete_record(writing, record, text);
	note_effects(writing, record);
	buf_clear(&writer->line);
	writer->dialect->format(&writer->form, record, &writer->line);
	if (writer->line.failed)
		return err_memory(error);
	if (!writer->line.size && record->is == RV_INSTRUCTION)
		writing_note(writing, "instructions that trapped were dropped");
	if (!writer->line.size && record->is == RV_REGISTER && record->count)
		writing_note(writing, "effects without an instruction were dropped");
	out_write(writing->out, writer->line.data, writer->line.size);
	return POLY_OK;
}

/* Begins a pending record. */
static void
begin_record(
	struct rv_writer *writer, enum rv_kind is, const struct poly_batch *batch, size_t row)
{
	rv_clear(&writer->record);
	buf_clear(&writer->bytes);
	writer->is_open = true;
	writer->record.is = is;
	if (poly_present(batch, POLY_COLUMN_cpu, row)) {
		writer->record.has_hart = true;
		writer->record.hart = batch->cpu[row];
	}
}

static void
keep_text(struct rv_writer *writer, struct rv_span *text, const struct poly_batch *batch,
	size_t row)
{
	size_t n;
	if (!poly_present(batch, POLY_COLUMN_text, row))
		return;
	const uint8_t *bytes = poly_batch_bytes(batch, POLY_COLUMN_text, row, &n);
	*text = keep_bytes(writer, bytes, n);
}

static const char *
name_of(const struct writing *writing, const uint32_t *column, size_t row)
{
	const char *name = poly_trace_name(writing->source, column[row]);
	return name ? name : "";
}

/* Sets the instruction of the pending record. */
static enum poly_status
set_instruction(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	struct rv_writer *writer = writing->state;
	struct rv_record *record = &writer->record;
	if (!poly_present(batch, POLY_COLUMN_opcode, row))
		return writing_lacks(batch, row, "opcode", error);
	record->pc = batch->pc[row];
	rv_set_opcode(record, batch->opcode[row]);
	if (poly_present(batch, POLY_COLUMN_opcode_size, row) &&
		batch->opcode_size[row] != record->opcode_size)
		return err_set(error, POLY_ERR_LOSS, POLY_NO_OFFSET,
			"record %llu: the opcode has %u bytes, expected %u",
			(unsigned long long)poly_batch_number(batch, row),
			batch->opcode_size[row], record->opcode_size);
	if (poly_present(batch, POLY_COLUMN_instruction_id, row)) {
		record->has_id = true;
		record->id = batch->instruction_id[row];
	}
	record->is_trapped =
		poly_present(batch, POLY_COLUMN_executed, row) && !batch->executed[row];
	if (poly_present(batch, POLY_COLUMN_mode, row)) {
		static const char *const levels[] = {"U", "S", NULL, "M"};
		const char *name = name_of(writing, batch->mode, row);
		record->mode =
			rv_mode_of((struct rv_span){(const uint8_t *)name, strlen(name)});
		const int level = rv_level(name);
		if (!record->mode && level >= 0)
			record->mode = levels[level];
	}
	keep_text(writer, &record->text, batch, row);
	return POLY_OK;
}

/* Sets the value of an effect. */
static void
set_value(struct rv_writer *writer, struct rv_effect *effect, const struct poly_batch *batch,
	size_t row)
{
	if (poly_present(batch, POLY_COLUMN_size, row))
		effect->size = batch->size[row];
	if (poly_present(batch, POLY_COLUMN_value, row)) {
		effect->has_value = true;
		effect->value = batch->value[row];
		return;
	}
	if (!poly_present(batch, POLY_COLUMN_payload, row))
		return;
	size_t n;
	const uint8_t *bytes = poly_batch_bytes(batch, POLY_COLUMN_payload, row, &n);
	struct buf *out = &writer->bytes;
	const size_t start = out->size;
	uint8_t *digits = n ? buf_reserve(out, 2 * n) : NULL;
	if (!digits)
		return;
	num_hex_bytes((char *)digits, bytes, n);
	out->size += 2 * n;
	effect->has_value = true;
	effect->digits = (struct rv_span){(const uint8_t *)(uintptr_t)start, 2 * n};
}

/* Adds a written register to the pending record. */
static void
add_register(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	struct rv_writer *writer = writing->state;
	if (!poly_present(batch, POLY_COLUMN_reg, row)) {
		writing_note(writing, "registers without a name were dropped");
		return;
	}
	const char *text = name_of(writing, batch->reg, row);
	const struct rv_span name = {(const uint8_t *)text, strlen(text)};
	enum rv_file file = RV_CSR;
	uint16_t number;
	if (!rv_find_register(name, &file, &number) &&
		!rv_find_csr(&writer->csrs, name, &number)) {
		writer->bytes.failed |= writer->csrs.no_memory;
		writing_note(writing, "registers that RISC-V does not have were dropped");
		return;
	}
	struct rv_effect *effect = rv_add(&writer->record, file);
	if (!effect)
		return;
	effect->number = number;
	set_value(writer, effect, batch, row);
	if (!effect->has_value) {
		writing_note(writing, "registers without a value were dropped");
		writer->record.count--;
	}
}

/* Adds an access to the pending record. */
static void
add_access(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	struct rv_writer *writer = writing->state;
	static const int8_t files[POLY_ACCESS_COUNT] = {[POLY_ACCESS_READ] = RV_READ,
		[POLY_ACCESS_WRITE] = RV_WRITE,
		[POLY_ACCESS_FETCH] = RV_FETCH};
	const unsigned access =
		poly_present(batch, POLY_COLUMN_access, row) ? batch->access[row] : 0;
	if (access >= POLY_ACCESS_COUNT || !files[access] ||
		!poly_present(batch, POLY_COLUMN_access, row) ||
		!poly_present(batch, POLY_COLUMN_address, row)) {
		writing_note(writing, "accesses that are not loads or stores were dropped");
		return;
	}
	struct rv_effect *effect = rv_add(&writer->record, (enum rv_file)files[access]);
	if (!effect)
		return;
	effect->address = batch->address[row];
	set_value(writer, effect, batch, row);
	if (effect->file == RV_WRITE && !effect->has_value) {
		writing_note(writing, "stores without data were dropped");
		writer->record.count--;
	}
}

/* Adds an exception or the vector state to the pending record. */
static void
add_state(
	struct writing *writing, const struct poly_batch *batch, size_t row, enum rv_file file)
{
	struct rv_writer *writer = writing->state;
	struct rv_effect *effect = rv_add(&writer->record, file);
	if (!effect)
		return;
	keep_text(writer, &effect->name, batch, row);
	if (poly_present(batch, POLY_COLUMN_pc, row))
		effect->address = batch->pc[row];
	if (file == RV_TRAP)
		set_value(writer, effect, batch, row);
}

/* Returns what a row is in this format. */
static enum rv_kind
kind_of(const struct writing *writing, const struct poly_batch *batch, size_t row)
{
	const struct rv_writer *writer = writing->state;
	if (writing->own_raw && poly_present(batch, POLY_COLUMN_record, row))
		return (enum rv_kind)writer->kinds[batch->record[row]];
	if (!poly_present(batch, POLY_COLUMN_kind, row))
		return RV_KIND_COUNT;
	switch (batch->kind[row]) {
	case POLY_KIND_INSTRUCTION: return RV_INSTRUCTION;
	case POLY_KIND_REGISTER: return RV_REGISTER;
	case POLY_KIND_ACCESS: return RV_MEMORY;
	default: return RV_KIND_COUNT;
	}
}

/* Returns whether a row belongs to another hart than the pending record. */
static bool
is_of_other_hart(const struct rv_record *record, const struct poly_batch *batch, size_t row)
{
	return record->has_hart && poly_present(batch, POLY_COLUMN_cpu, row) &&
	       batch->cpu[row] != record->hart;
}

/* Adds an effect to the pending record, or begins one for it. */
static enum poly_status
write_effect(struct writing *writing, const struct poly_batch *batch, size_t row,
	enum rv_kind is, struct poly_error *error)
{
	struct rv_writer *writer = writing->state;
	if (writer->is_open && is_of_other_hart(&writer->record, batch, row)) {
		const enum poly_status status = flush_record(writing, error);
		if (status != POLY_OK)
			return status;
	}
	if (!writer->is_open)
		begin_record(writer, is == RV_EXCEPTION ? is : RV_REGISTER, batch, row);
	if (is == RV_REGISTER)
		add_register(writing, batch, row);
	else if (is == RV_MEMORY)
		add_access(writing, batch, row);
	else
		add_state(writing, batch, row, is == RV_EXCEPTION ? RV_TRAP : RV_STATE);
	return POLY_OK;
}

/* Returns whether an instruction is not one that is executed: another micro-operation of the
 * last one, or inserted by the tracer. */
static bool
is_no_instruction(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	if (poly_present(batch, POLY_COLUMN_uop_index, row) && batch->uop_index[row] != 1)
		return true;
	if (!poly_present(batch, POLY_COLUMN_synthetic, row) || !batch->synthetic[row])
		return false;
	writing_note(writing, "instructions that were not executed were dropped");
	return true;
}

static enum poly_status
write_columns(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	struct rv_writer *writer = writing->state;
	const enum rv_kind is = kind_of(writing, batch, row);
	if (is == RV_INSTRUCTION) {
		if (!poly_present(batch, POLY_COLUMN_pc, row))
			return writing_lacks(batch, row, "pc", error);
		if (is_no_instruction(writing, batch, row))
			return POLY_OK;
		const enum poly_status status = flush_record(writing, error);
		if (status != POLY_OK)
			return status;
		begin_record(writer, is, batch, row);
		return set_instruction(writing, batch, row, error);
	}
	if (is == RV_REGISTER || is == RV_MEMORY || is == RV_EXCEPTION || is == RV_VECTOR)
		return write_effect(writing, batch, row, is, error);
	if (is == RV_SYMBOL && writer->dialect == &rv_spike) {
		const enum poly_status status = flush_record(writing, error);
		begin_record(writer, is, batch, row);
		keep_text(writer, &writer->record.text, batch, row);
		return status;
	}
	if (is != RV_HEADER)
		writing_note(writing,
			"records that are neither instructions nor their effects were dropped");
	return POLY_OK;
}

/* Writes the header before the first record, unless that is a header or the log begins without
 * one. */
static void
begin_log(struct writing *writing, const struct poly_batch *batch, size_t row, bool is_raw)
{
	struct rv_writer *writer = writing->state;
	if (writer->has_begun)
		return;
	writer->has_begun = true;
	const bool is_complete = writer->copies && !writing->selected,
		   is_header = is_raw && kind_of(writing, batch, row) == RV_HEADER;
	if (writer->dialect->header && !is_complete && !is_header)
		out_write(
			writing->out, writer->dialect->header, strlen(writer->dialect->header));
}

static enum poly_status
write_row(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	struct rv_writer *writer = writing->state;
	size_t n;
	const bool is_raw = writer->copies && poly_present(batch, POLY_COLUMN_raw, row);
	begin_log(writing, batch, row, is_raw);
	if (!is_raw)
		return write_columns(writing, batch, row, error);
	const uint8_t *raw = poly_batch_bytes(batch, POLY_COLUMN_raw, row, &n);
	const enum poly_status status = flush_record(writing, error);
	out_write(writing->out, raw, n);
	return status;
}

enum poly_status
rv_write(struct writing *writing, const struct poly_batch *batch, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	for (size_t row = 0; status == POLY_OK && row < batch->rows; row++)
		status = write_row(writing, batch, row, error);
	return status;
}

enum poly_status
rv_wfinish(struct writing *writing, struct poly_error *error)
{
	return flush_record(writing, error);
}

void
rv_wclose(struct writing *writing)
{
	struct rv_writer *writer = writing->state;
	mem_free(writer->record.effects);
	buf_free(&writer->bytes);
	buf_free(&writer->line);
	intern_free(&writer->csrs.names);
}
