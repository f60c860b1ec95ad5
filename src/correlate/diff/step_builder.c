/* SPDX-License-Identifier: MIT */
/* Builds steps from the rows of a trace. */
#include "correlate/diff/step.h"

#include "base/mem.h"
#include "base/vec.h"
#include "effects/partial_value.h"
#include "isa/isa.h"

#include <string.h>

poly_columns
builder_columns(const struct diff_rules *rules, const struct poly_trace_info *info)
{
	poly_columns wanted = poly_columns_union(
		rules->compared, POLY_COLUMNS(kind, pc, opcode, opcode_size, time, access, text,
					 synthetic, uop_index));
	if (POLY_HAS(rules->compared, value))
		wanted = poly_columns_union(wanted, POLY_COLUMNS(payload, raw));
	if (rules->each_cpu)
		poly_columns_add(&wanted, POLY_COLUMN_cpu);
	if (rules->tolerate & TOLERATE_SKIPPED)
		poly_columns_add(&wanted, POLY_COLUMN_executed);
	if (rules->skips_synthetic)
		poly_columns_add(&wanted, POLY_COLUMN_synthetic);
	return poly_columns_common(wanted, info->columns);
}

bool
builder_has_row(struct builder *builder)
{
	while (!builder->ended && (!builder->batch || builder->row == builder->batch->rows)) {
		builder->row = 0;
		builder->status = builder->source.next(
			builder->source.user, &builder->batch, &builder->error);
		builder->ended = builder->status != POLY_OK;
		if (builder->ended)
			builder->batch = NULL;
	}
	return !builder->ended;
}

bool
builder_has_initial(struct builder *builder)
{
	if (!builder_has_row(builder))
		return false;
	const struct poly_batch *batch = builder->batch;
	return poly_present(batch, POLY_COLUMN_kind, 0) &&
	       batch->kind[0] == POLY_KIND_REGISTER && !poly_present(batch, POLY_COLUMN_pc, 0);
}

bool
builder_is_head(const struct diff_rules *rules, unsigned kind)
{
	if (rules->records)
		return kind == POLY_KIND_ACCESS || kind == POLY_KIND_REGISTER ||
		       kind == POLY_KIND_SYNC || kind == POLY_KIND_EVENT;
	return kind == POLY_KIND_INSTRUCTION;
}

bool
builder_count_head(struct builder *builder, size_t row)
{
	const struct poly_batch *batch = builder->batch;
	const bool is_counted =
		!(poly_present(batch, POLY_COLUMN_synthetic, row) && batch->synthetic[row]) &&
		(!poly_present(batch, POLY_COLUMN_uop_index, row) ||
			batch->uop_index[row] == 1);
	builder->instructions++;
	builder->counted += is_counted;
	return is_counted;
}

uint32_t
builder_name(struct builder *builder, uint32_t number, bool is_register)
{
	uint32_t **table = is_register ? &builder->registers : &builder->names;
	uint32_t *room = is_register ? &builder->register_room : &builder->name_room;
	if (!VEC_ROOM_ZEROED(*table, *room, number))
		return INTERN_FAILED;
	uint32_t *known = &(*table)[number];
	if (*known)
		return *known - 1;
	const char *name = poly_trace_name(builder->source.info, number);
	name = name ? name : "";
	uint32_t difference = is_register
				      ? rules_register(builder->rules, name)
				      : intern_add(&builder->rules->names, name, strlen(name));
	if (difference != INTERN_FAILED)
		*known = difference + 1;
	return difference;
}

/* Mixes a value into a hash. */
static uint64_t
mixed(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

/* Gets the value of a field for comparison; false: out of memory. */
static bool
add_field(struct builder *builder, struct step *step, enum poly_column column, uint64_t *value)
{
	const struct poly_batch *batch = builder->batch;
	enum poly_form form = poly_column_form(column);
	if (form == POLY_FORM_BYTES || form == POLY_FORM_TEXT) {
		size_t n;
		const uint8_t *bytes = poly_batch_bytes(batch, column, builder->row, &n);
		*value = step_field(step->bytes.size, n);
		buf_append(&step->bytes, bytes, n);
		return !step->bytes.failed;
	}
	*value = poly_batch_integer(batch, column, builder->row);
	if (form != POLY_FORM_NAME)
		return true;
	*value = builder_name(builder, (uint32_t)*value, false);
	return *value != INTERN_FAILED;
}

/* True if a column names a register that is not compared. */
static bool
ignores_field(const struct builder *builder, enum poly_column column)
{
	return (column == POLY_COLUMN_src1 || column == POLY_COLUMN_src2 ||
		       column == POLY_COLUMN_dest) &&
	       builder->rules->number_ignored[poly_batch_integer(
		       builder->batch, column, builder->row)];
}

static bool
add_fields(struct builder *builder, struct step *step)
{
	const struct diff_rules *rules = builder->rules;
	for (size_t i = 0; i < rules->field_count; i++) {
		if (!poly_present(builder->batch, rules->fields[i], builder->row) ||
			ignores_field(builder, rules->fields[i]))
			continue;
		step->fields_present |= (uint64_t)1 << i;
		if (!add_field(builder, step, rules->fields[i], &step->fields[i]))
			return false;
	}
	return true;
}

/* Stores the text of an instruction, for the context of differences. */
static bool
add_text(const struct builder *builder, struct step *step)
{
	if (!poly_present(builder->batch, POLY_COLUMN_text, builder->row))
		return true;
	size_t n;
	const uint8_t *text =
		poly_batch_bytes(builder->batch, POLY_COLUMN_text, builder->row, &n);
	step->text = (uint32_t)step->bytes.size;
	step->text_length = (uint32_t)(n < 80 ? n : 80);
	buf_append(&step->bytes, text, step->text_length);
	return !step->bytes.failed;
}

/* True if a column is compared and the row has it. */
static bool
has(const struct builder *builder, enum poly_column column)
{
	return poly_columns_has(builder->rules->compared, column) &&
	       poly_present(builder->batch, column, builder->row);
}

/* Sets a value with unknown digits from the record's line. */
static void
add_unknown(const struct builder *builder, struct effect *effect)
{
	struct partial_value difference;
	size_t n;
	const uint8_t *line =
		poly_batch_bytes(builder->batch, POLY_COLUMN_raw, builder->row, &n);
	if (!partial_value_find(line, n, &difference))
		return;
	effect->value = difference.value;
	effect->known = difference.known;
	effect->length = difference.digits;
	effect->has |= HAS_VALUE;
}

/* Sets the value of a record, of up to 8 bytes or more; false: out of memory. */
static bool
add_value(struct builder *builder, struct step *step, struct effect *effect)
{
	const struct poly_batch *batch = builder->batch;
	effect->known = UINT64_MAX;
	if (!POLY_HAS(builder->rules->compared, value))
		return true;
	if (poly_present(batch, POLY_COLUMN_value, builder->row)) {
		effect->value = batch->value[builder->row];
		effect->has |= HAS_VALUE;
	} else if (poly_present(batch, POLY_COLUMN_payload, builder->row) &&
		   batch->kind[builder->row] != POLY_KIND_INSTRUCTION) {
		/* The payload of an instruction is a field of its own. */
		size_t n;
		const uint8_t *bytes =
			poly_batch_bytes(batch, POLY_COLUMN_payload, builder->row, &n);
		effect->offset = (uint32_t)step->bytes.size;
		effect->length = (uint32_t)n;
		effect->has |= HAS_WIDE;
		buf_append(&step->bytes, bytes, n);
	} else if (poly_present(batch, POLY_COLUMN_raw, builder->row)) {
		add_unknown(builder, effect);
	}
	return !step->bytes.failed;
}

static bool
add_register(struct builder *builder, struct step *step)
{
	if (!has(builder, POLY_COLUMN_reg))
		return true;
	if (step->reads_counter)
		return true;
	uint32_t shown = builder->batch->reg[builder->row];
	uint32_t name = builder_name(builder, shown, true);
	if (name == INTERN_FAILED)
		return false;
	if (rules_ignore_register(builder->rules, name))
		return true;
	struct effect *effect = step_add(step);
	if (!effect)
		return false;
	effect->type = EFFECT_REGISTER;
	effect->name = name;
	effect->shown = shown;
	return add_value(builder, step, effect);
}

/* True if the row's access is not compared. */
static bool
ignores_access(const struct builder *builder)
{
	const struct diff_rules *rules = builder->rules;
	const struct poly_batch *batch = builder->batch;
	size_t row = builder->row;
	if (rules->ignore & IGNORE_MEMORY)
		return true;
	if (poly_present(batch, POLY_COLUMN_access, row)) {
		uint8_t access = batch->access[row];
		/* Fetches duplicate the instructions. */
		if (access == POLY_ACCESS_FETCH && !rules->records)
			return true;
		if (access < POLY_ACCESS_COUNT && rules->accesses >> access & 1)
			return true;
	}
	return rules->range_count && poly_present(batch, POLY_COLUMN_address, row) &&
	       rules_ignore_address(rules, batch->address[row]);
}

static bool
add_access(struct builder *builder, struct step *step)
{
	const struct poly_batch *batch = builder->batch;
	if (!poly_columns_overlap(builder->rules->compared, POLY_COLUMNS(address, access)) ||
		ignores_access(builder))
		return true;
	struct effect *effect = step_add(step);
	if (!effect)
		return false;
	effect->type = EFFECT_MEMORY;
	if (has(builder, POLY_COLUMN_access)) {
		effect->access = batch->access[builder->row];
		effect->has |= HAS_ACCESS;
	}
	if (has(builder, POLY_COLUMN_address)) {
		effect->address = batch->address[builder->row];
		effect->has |= HAS_ADDRESS;
	}
	if (has(builder, POLY_COLUMN_size)) {
		effect->size = batch->size[builder->row];
		effect->has |= HAS_SIZE;
	}
	return add_value(builder, step, effect);
}

static bool
add_sync(struct builder *builder, struct step *step)
{
	if (!has(builder, POLY_COLUMN_sync))
		return true;
	struct effect *effect = step_add(step);
	if (!effect)
		return false;
	effect->type = EFFECT_SYNC;
	effect->access = builder->batch->sync[builder->row];
	if (has(builder, POLY_COLUMN_address)) {
		effect->address = builder->batch->address[builder->row];
		effect->has |= HAS_ADDRESS;
	}
	return add_value(builder, step, effect);
}

/* Adds the record of a row, or the access of an instruction, to a step. */
static bool
add_effect(struct builder *builder, struct step *step)
{
	const struct poly_batch *batch = builder->batch;
	switch (batch->kind[builder->row]) {
	case POLY_KIND_INSTRUCTION:
		return !poly_present(batch, POLY_COLUMN_access, builder->row) ||
		       add_access(builder, step);
	case POLY_KIND_ACCESS: return add_access(builder, step);
	case POLY_KIND_REGISTER: return add_register(builder, step);
	case POLY_KIND_SYNC: return add_sync(builder, step);
	default: return true;
	}
}

/* Mixes the columns that identify a record, besides kind and address, into its position. */
static uint64_t
record_position(const struct builder *builder, uint64_t position)
{
	static const enum poly_column columns[] = {POLY_COLUMN_access, POLY_COLUMN_event,
		POLY_COLUMN_sync, POLY_COLUMN_hook, POLY_COLUMN_subhook};
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
		if (has(builder, columns[i]))
			position = mixed(position,
				poly_batch_integer(builder->batch, columns[i], builder->row));
	}
	return position;
}

/* Sets the position of an instruction, or of a record in a trace without instructions. */
static void
set_position(struct builder *builder, struct step *step)
{
	const struct poly_batch *batch = builder->batch;
	size_t row = builder->row;
	enum poly_column position =
		builder->rules->records ? POLY_COLUMN_address : POLY_COLUMN_pc;
	step->has_pc = poly_present(batch, position, row);
	if (step->has_pc)
		step->pc = poly_batch_integer(batch, position, row);
	step->has_opcode = has(builder, POLY_COLUMN_opcode);
	if (step->has_opcode)
		step->opcode = batch->opcode[row];
	step->reads_counter = builder->rules->ignore & IGNORE_COUNTERS &&
			      poly_present(batch, POLY_COLUMN_opcode, row) &&
			      isa_reads_counter(builder->rules->isa, batch->opcode[row]);
	if (poly_present(batch, POLY_COLUMN_opcode_size, row))
		step->opcode_size = batch->opcode_size[row];
	step->position = mixed(batch->kind[row] + (uint64_t)1, step->pc);
	if (builder->rules->records)
		step->position = record_position(builder, step->position);
	step->key = step->has_opcode ? mixed(step->position, step->opcode) : step->position;
}

/* The time of a row, if it has one. */
struct row_stamp {
	bool has;
	uint64_t time;
};

static struct row_stamp
row_time(const struct builder *builder)
{
	bool timed = poly_present(builder->batch, POLY_COLUMN_time, builder->row);
	return (struct row_stamp){timed, timed ? builder->batch->time[builder->row] : 0};
}

/* Returns the open step at the end of a stream; NULL: none. */
static struct step *
open_step(const struct stream_side *stream)
{
	const struct ring *ring = &stream->ring;
	return ring->head > ring->tail ? ring_at(ring, ring->head - 1) : NULL;
}

/* Assigns the records that do not belong to the next instruction to the previous one. */
static bool
assign_lead(struct builder *builder, struct stream_side *stream)
{
	if (!stream->lead.effect_count)
		return true;
	struct step *step = open_step(stream);
	const bool is_initial = builder->drops_initial && !builder->instructions;
	if (stream->skipping || stream->skip || is_initial) {
		step_clear(&stream->lead);
		return true;
	}
	if (!step || step->effect_count + stream->lead.effect_count > EFFECTS_MAX) {
		uint64_t record = stream->lead.record;
		step = ring_push(&stream->ring);
		if (!step)
			return false;
		step->is_partial = true;
		step->record = record;
		step->instruction = builder->instructions;
	}
	return step_absorb(step, &stream->lead);
}

/* True if an instruction is skipped. */
static bool
is_skipped(const struct builder *builder)
{
	const struct poly_batch *batch = builder->batch;
	return builder->rules->tolerate & TOLERATE_SKIPPED &&
	       poly_present(batch, POLY_COLUMN_executed, builder->row) &&
	       !batch->executed[builder->row];
}

static bool
add_head(struct builder *builder, struct stream_side *stream)
{
	const struct row_stamp now = row_time(builder);
	const struct step *lead = &stream->lead;
	bool leads = lead->effect_count && now.has && lead->has_time && now.time == lead->time;
	if (!leads && !assign_lead(builder, stream))
		return false;
	const bool is_counted = builder_count_head(builder, builder->row);
	stream->skipping = stream->skip || is_skipped(builder);
	if (stream->skipping) {
		stream->skip -= stream->skip != 0;
		stream->has_skipped_time = now.has;
		stream->skipped_time = now.time;
		step_clear(&stream->lead);
		return true;
	}
	struct step *step = ring_push(&stream->ring);
	if (!step)
		return false;
	step->has_time = now.has;
	step->time = now.time;
	step->is_counted = is_counted;
	step->instruction = builder->instructions;
	step->record = poly_batch_number(builder->batch, builder->row);
	set_position(builder, step);
	return add_text(builder, step) && add_fields(builder, step) &&
	       (!leads || step_absorb(step, &stream->lead)) && add_effect(builder, step);
}

/* True if a record of a time may belong to the last instruction, skipped or not. */
static bool
is_of_last(const struct stream_side *stream, const struct row_stamp *now)
{
	const struct step *step = open_step(stream);
	if (stream->skipping)
		return !now->has || !stream->has_skipped_time ||
		       now->time == stream->skipped_time;
	return step && (!now->has || !step->has_time || now->time == step->time);
}

/* Adds a record that does not begin a step. */
static bool
add_record(struct builder *builder, struct stream_side *stream)
{
	const struct row_stamp now = row_time(builder);
	if (is_of_last(stream, &now)) {
		if (!assign_lead(builder, stream))
			return false;
		struct step *step = open_step(stream);
		if (!stream->skipping && step && step->effect_count < EFFECTS_MAX)
			return add_effect(builder, step);
		if (stream->skipping)
			return true;
	}
	struct step *lead = &stream->lead;
	if (lead->effect_count &&
		(lead->effect_count == EFFECTS_MAX || lead->has_time != now.has ||
			lead->time != now.time) &&
		!assign_lead(builder, stream))
		return false;
	if (!lead->effect_count) {
		lead->record = poly_batch_number(builder->batch, builder->row);
		lead->has_time = now.has;
		lead->time = now.time;
	}
	return add_effect(builder, lead);
}

/*
 * True if the row is a record of a read that equals the record before it, whatever their times;
 * data of more than 8 bytes are compared later, within an instruction.
 */
static bool
repeats_read(struct builder *builder)
{
	const struct poly_batch *batch = builder->batch;
	const size_t row = builder->row;
	const struct last_read last = builder->last_read;
	struct last_read read = {.is_set = batch->kind[row] == POLY_KIND_ACCESS &&
					   has(builder, POLY_COLUMN_access) &&
					   batch->access[row] == POLY_ACCESS_READ};
	if (read.is_set && has(builder, POLY_COLUMN_address)) {
		read.has |= HAS_ADDRESS;
		read.address = batch->address[row];
	}
	if (read.is_set && has(builder, POLY_COLUMN_size)) {
		read.has |= HAS_SIZE;
		read.size = batch->size[row];
	}
	if (read.is_set && has(builder, POLY_COLUMN_value)) {
		read.has |= HAS_VALUE;
		read.value = batch->value[row];
	}
	/* A value that the row lacks may be in other columns. */
	read.is_set &= read.has & HAS_VALUE || !POLY_HAS(builder->rules->compared, value);
	builder->last_read = read;
	return last.is_set && read.is_set && last.has == read.has &&
	       last.address == read.address && last.size == read.size &&
	       last.value == read.value;
}

/* True if the row is an instruction that the tracer inserted, of which the other trace does not
 * know. */
static bool
is_synthetic(const struct builder *builder)
{
	return poly_present(builder->batch, POLY_COLUMN_synthetic, builder->row) &&
	       builder->batch->synthetic[builder->row];
}

bool
builder_add_row(struct builder *builder, struct stream_side *stream)
{
	if ((builder->rules->skips_synthetic && is_synthetic(builder)) ||
		(builder->rules->tolerate & TOLERATE_REPEATED_READS &&
			!builder->rules->records && repeats_read(builder))) {
		builder->row++;
		return true;
	}
	unsigned kind = builder->batch->kind[builder->row];
	bool head = builder_is_head(builder->rules, kind);
	bool good = true;
	if (head)
		good = add_head(builder, stream);
	else if (kind != POLY_KIND_OTHER && kind != POLY_KIND_EVENT)
		good = add_record(builder, stream);
	builder->row++;
	return good;
}

bool
builder_finish(struct builder *builder, struct stream_side *stream)
{
	return assign_lead(builder, stream);
}

void
builder_free(struct builder *builder)
{
	effects_free(builder->effects);
	mem_free(builder->registers);
	mem_free(builder->names);
}
