/* SPDX-License-Identifier: MIT */
/* Rows of a trace into steps. */
#include "correlate/diff/step.h"

#include "base/mem.h"
#include "correlate/diff/unknown.h"

#include <string.h>

poly_columns
stream_columns(const struct rules *rules, const struct poly_trace_info *info)
{
	poly_columns wanted = rules->compared | POLY_HAS(kind) | POLY_HAS(pc) |
			      POLY_HAS(opcode) | POLY_HAS(opcode_size) | POLY_HAS(time) |
			      POLY_HAS(access) | POLY_HAS(text);
	if (rules->compared & POLY_HAS(value))
		wanted |= POLY_HAS(payload) | POLY_HAS(raw);
	if (rules->each_cpu)
		wanted |= POLY_HAS(cpu);
	if (rules->tolerate & TOLERATE_SKIPPED)
		wanted |= POLY_HAS(executed);
	return wanted & info->columns;
}

bool
stream_ready(struct stream *stream)
{
	while (!stream->ended && (!stream->batch || stream->row == stream->batch->rows)) {
		stream->row = 0;
		stream->status = stream->source.next(
			stream->source.user, &stream->batch, &stream->error);
		stream->ended = stream->status != POLY_OK;
		if (stream->ended)
			stream->batch = NULL;
	}
	return !stream->ended;
}

bool
stream_is_head(const struct rules *rules, unsigned kind)
{
	if (rules->records)
		return kind == POLY_KIND_ACCESS || kind == POLY_KIND_REGISTER ||
		       kind == POLY_KIND_SYNC || kind == POLY_KIND_EVENT;
	return kind == POLY_KIND_INSTRUCTION;
}

uint32_t
stream_name(struct stream *stream, uint32_t number, bool is_register)
{
	uint32_t **table = is_register ? &stream->registers : &stream->names;
	uint32_t *room = is_register ? &stream->register_room : &stream->name_room;
	if (number >= *room) {
		uint32_t *more = mem_resize(*table, (size_t)number + 256, sizeof *more);
		if (!more)
			return INTERN_FAILED;
		memset(more + *room, 0, (number + 256 - *room) * sizeof *more);
		*table = more;
		*room = number + 256;
	}
	uint32_t *known = &(*table)[number];
	if (*known)
		return *known - 1;
	const char *name = poly_trace_name(stream->source.info, number);
	name = name ? name : "";
	uint32_t found = is_register ? rules_register(stream->rules, name)
				     : intern_add(&stream->rules->names, name, strlen(name));
	if (found != INTERN_FAILED)
		*known = found + 1;
	return found;
}

/* Bytes of a payload that may be the registers of a processor. */
#define STATE_MOST 2048

/* Spreads a number over 64 bits. */
static uint64_t
mixed(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

static uint64_t
bytes_hash(const uint8_t *bytes, size_t n)
{
	uint64_t hash = n;
	for (size_t i = 0; i < n; i++)
		hash = mixed(hash, bytes[i]);
	return hash;
}

/* Bytes as they are compared; those that can be registers are kept. */
static uint64_t
take_bytes(struct stream *stream, enum poly_column column, struct step *step)
{
	size_t n;
	const uint8_t *bytes = poly_batch_bytes(stream->batch, column, stream->row, &n);
	if (column == POLY_COLUMN_payload && stream->rules->states && n <= STATE_MOST) {
		step->state = (uint32_t)step->bytes.size;
		step->state_length = (uint32_t)n;
		buf_append(&step->bytes, bytes, n);
	}
	return bytes_hash(bytes, n);
}

/* The value of a field as it is compared; false without memory. */
static bool
take_field(struct stream *stream, enum poly_column column, struct step *step, uint64_t *value)
{
	const struct poly_batch *batch = stream->batch;
	enum poly_form form = poly_column_form(column);
	if (form == POLY_FORM_BYTES || form == POLY_FORM_TEXT) {
		*value = take_bytes(stream, column, step);
		return !step->bytes.failed;
	}
	*value = poly_batch_integer(batch, column, stream->row);
	if (form != POLY_FORM_NAME)
		return true;
	*value = stream_name(stream, (uint32_t)*value, false);
	return *value != INTERN_FAILED;
}

static bool
take_fields(struct stream *stream, struct step *step)
{
	const struct rules *rules = stream->rules;
	for (size_t i = 0; i < rules->field_count; i++) {
		if (!poly_present(stream->batch, rules->fields[i], stream->row))
			continue;
		step->fields_present |= (uint64_t)1 << i;
		if (!take_field(stream, rules->fields[i], step, &step->fields[i]))
			return false;
	}
	return true;
}

/* The text that the trace has for an instruction, for those who look at a difference. */
static bool
take_text(const struct stream *stream, struct step *step)
{
	if (!poly_present(stream->batch, POLY_COLUMN_text, stream->row))
		return true;
	size_t n;
	const uint8_t *text =
		poly_batch_bytes(stream->batch, POLY_COLUMN_text, stream->row, &n);
	step->text = (uint32_t)step->bytes.size;
	step->text_length = (uint32_t)(n < 80 ? n : 80);
	buf_append(&step->bytes, text, step->text_length);
	return !step->bytes.failed;
}

/* True where a column is compared and the row has it. */
static bool
has(const struct stream *stream, enum poly_column column)
{
	return stream->rules->compared >> column & 1 &&
	       poly_present(stream->batch, column, stream->row);
}

/* The value of a record whose digits are not all known, as its line has it. */
static void
take_unknown(const struct stream *stream, struct effect *effect)
{
	struct unknown found;
	size_t n;
	const uint8_t *line = poly_batch_bytes(stream->batch, POLY_COLUMN_raw, stream->row, &n);
	if (!unknown_find(line, n, &found))
		return;
	effect->value = found.value;
	effect->known = found.known;
	effect->length = found.digits;
	effect->has |= HAS_VALUE;
}

/* The value of a record: of up to 8 bytes, or of more; false without memory. */
static bool
take_value(struct stream *stream, struct step *step, struct effect *effect)
{
	const struct poly_batch *batch = stream->batch;
	effect->known = UINT64_MAX;
	if (!(stream->rules->compared & POLY_HAS(value)))
		return true;
	if (poly_present(batch, POLY_COLUMN_value, stream->row)) {
		effect->value = batch->value[stream->row];
		effect->has |= HAS_VALUE;
	} else if (poly_present(batch, POLY_COLUMN_payload, stream->row)) {
		size_t n;
		const uint8_t *bytes =
			poly_batch_bytes(batch, POLY_COLUMN_payload, stream->row, &n);
		effect->offset = (uint32_t)step->bytes.size;
		effect->length = (uint32_t)n;
		effect->has |= HAS_WIDE;
		buf_append(&step->bytes, bytes, n);
	} else if (poly_present(batch, POLY_COLUMN_raw, stream->row)) {
		take_unknown(stream, effect);
	}
	return !step->bytes.failed;
}

static bool
take_register(struct stream *stream, struct step *step)
{
	if (!has(stream, POLY_COLUMN_reg))
		return true;
	uint32_t shown = stream->batch->reg[stream->row];
	uint32_t name = stream_name(stream, shown, true);
	if (name == INTERN_FAILED)
		return false;
	if (rules_ignore_register(stream->rules, name))
		return true;
	struct effect *effect = step_add(step);
	if (!effect)
		return false;
	effect->type = EFFECT_REGISTER;
	effect->name = name;
	effect->shown = shown;
	return take_value(stream, step, effect);
}

/* True where the row's access is none that is compared. */
static bool
ignores_access(const struct stream *stream)
{
	const struct rules *rules = stream->rules;
	const struct poly_batch *batch = stream->batch;
	size_t row = stream->row;
	if (rules->ignore & IGNORE_MEMORY)
		return true;
	if (poly_present(batch, POLY_COLUMN_access, row)) {
		uint8_t access = batch->access[row];
		/* What is fetched are the instructions, which are there themselves. */
		if (access == POLY_ACCESS_FETCH && !rules->records)
			return true;
		if (access < POLY_ACCESS_COUNT && rules->accesses >> access & 1)
			return true;
	}
	return rules->range_count && poly_present(batch, POLY_COLUMN_address, row) &&
	       rules_ignore_address(rules, batch->address[row]);
}

static bool
take_access(struct stream *stream, struct step *step)
{
	const struct poly_batch *batch = stream->batch;
	if (!(stream->rules->compared & (POLY_HAS(address) | POLY_HAS(access))) ||
		ignores_access(stream))
		return true;
	struct effect *effect = step_add(step);
	if (!effect)
		return false;
	effect->type = EFFECT_MEMORY;
	if (has(stream, POLY_COLUMN_access)) {
		effect->access = batch->access[stream->row];
		effect->has |= HAS_ACCESS;
	}
	if (has(stream, POLY_COLUMN_address)) {
		effect->address = batch->address[stream->row];
		effect->has |= HAS_ADDRESS;
	}
	if (has(stream, POLY_COLUMN_size)) {
		effect->size = batch->size[stream->row];
		effect->has |= HAS_SIZE;
	}
	return take_value(stream, step, effect);
}

static bool
take_sync(struct stream *stream, struct step *step)
{
	if (!has(stream, POLY_COLUMN_sync))
		return true;
	struct effect *effect = step_add(step);
	if (!effect)
		return false;
	effect->type = EFFECT_SYNC;
	effect->access = stream->batch->sync[stream->row];
	if (has(stream, POLY_COLUMN_address)) {
		effect->address = stream->batch->address[stream->row];
		effect->has |= HAS_ADDRESS;
	}
	return take_value(stream, step, effect);
}

/* Puts what the row says besides being an instruction into a step. */
static bool
take_effect(struct stream *stream, struct step *step)
{
	const struct poly_batch *batch = stream->batch;
	switch (batch->kind[stream->row]) {
	case POLY_KIND_INSTRUCTION:
		return !poly_present(batch, POLY_COLUMN_access, stream->row) ||
		       take_access(stream, step);
	case POLY_KIND_ACCESS: return take_access(stream, step);
	case POLY_KIND_REGISTER: return take_register(stream, step);
	case POLY_KIND_SYNC: return take_sync(stream, step);
	default: return true;
	}
}

/* What tells records of a trace without instructions apart, besides kind and address. */
static uint64_t
record_place(const struct stream *stream, uint64_t place)
{
	static const enum poly_column columns[] = {POLY_COLUMN_access, POLY_COLUMN_event,
		POLY_COLUMN_sync, POLY_COLUMN_hook, POLY_COLUMN_subhook};
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
		if (has(stream, columns[i]))
			place = mixed(place,
				poly_batch_integer(stream->batch, columns[i], stream->row));
	}
	return place;
}

/* Where an instruction, or a record of a trace without any, stands. */
static void
take_place(struct stream *stream, struct step *step)
{
	const struct poly_batch *batch = stream->batch;
	size_t row = stream->row;
	enum poly_column place = stream->rules->records ? POLY_COLUMN_address : POLY_COLUMN_pc;
	step->has_pc = poly_present(batch, place, row);
	if (step->has_pc)
		step->pc = poly_batch_integer(batch, place, row);
	step->has_opcode = has(stream, POLY_COLUMN_opcode);
	if (step->has_opcode)
		step->opcode = batch->opcode[row];
	if (poly_present(batch, POLY_COLUMN_opcode_size, row))
		step->opcode_size = batch->opcode_size[row];
	step->place = mixed(batch->kind[row] + (uint64_t)1, step->pc);
	if (stream->rules->records)
		step->place = record_place(stream, step->place);
	step->key = step->has_opcode ? mixed(step->place, step->opcode) : step->place;
}

/* When a row was, if it says so. */
struct stamp {
	bool has;
	uint64_t time;
};

static struct stamp
row_time(const struct stream *stream)
{
	bool timed = poly_present(stream->batch, POLY_COLUMN_time, stream->row);
	return (struct stamp){timed, timed ? stream->batch->time[stream->row] : 0};
}

/* The step that is open at the end of a lane; NULL: there is none. */
static struct step *
open_step(const struct lane_side *lane)
{
	const struct ring *ring = &lane->ring;
	return ring->head > ring->tail ? ring_at(ring, ring->head - 1) : NULL;
}

/* Records that no instruction claimed are of the one before them. */
static bool
settle_lead(struct stream *stream, struct lane_side *lane)
{
	if (!lane->lead.effect_count)
		return true;
	struct step *step = open_step(lane);
	if (lane->dropping || lane->skip) {
		step_clear(&lane->lead);
		return true;
	}
	if (!step || step->effect_count + lane->lead.effect_count > EFFECTS_MOST) {
		uint64_t record = lane->lead.record;
		step = ring_push(&lane->ring);
		if (!step)
			return false;
		step->part = true;
		step->record = record;
		step->instruction = stream->instructions;
	}
	return step_absorb(step, &lane->lead);
}

/* True where an instruction is left out. */
static bool
leaves_out(const struct stream *stream)
{
	const struct poly_batch *batch = stream->batch;
	return stream->rules->tolerate & TOLERATE_SKIPPED &&
	       poly_present(batch, POLY_COLUMN_executed, stream->row) &&
	       !batch->executed[stream->row];
}

static bool
take_head(struct stream *stream, struct lane_side *lane)
{
	const struct stamp now = row_time(stream);
	const struct step *lead = &lane->lead;
	bool leads = lead->effect_count && now.has && lead->has_time && now.time == lead->time;
	if (!leads && !settle_lead(stream, lane))
		return false;
	stream->instructions++;
	lane->dropping = lane->skip || leaves_out(stream);
	if (lane->dropping) {
		lane->skip -= lane->skip != 0;
		lane->has_dropped = now.has;
		lane->dropped = now.time;
		step_clear(&lane->lead);
		return true;
	}
	struct step *step = ring_push(&lane->ring);
	if (!step)
		return false;
	step->has_time = now.has;
	step->time = now.time;
	step->instruction = stream->instructions;
	step->record = poly_batch_number(stream->batch, stream->row);
	take_place(stream, step);
	return take_text(stream, step) && take_fields(stream, step) &&
	       (!leads || step_absorb(step, &lane->lead)) && take_effect(stream, step);
}

/* True where a record of a time may be of the last instruction, left out or not. */
static bool
is_of_last(const struct lane_side *lane, const struct stamp *now)
{
	const struct step *step = open_step(lane);
	if (lane->dropping)
		return !now->has || !lane->has_dropped || now->time == lane->dropped;
	return step && (!now->has || !step->has_time || now->time == step->time);
}

/* A record that does not begin a step. */
static bool
take_more(struct stream *stream, struct lane_side *lane)
{
	const struct stamp now = row_time(stream);
	if (is_of_last(lane, &now)) {
		if (!settle_lead(stream, lane))
			return false;
		struct step *step = open_step(lane);
		if (!lane->dropping && step && step->effect_count < EFFECTS_MOST)
			return take_effect(stream, step);
		if (lane->dropping)
			return true;
	}
	struct step *lead = &lane->lead;
	if (lead->effect_count &&
		(lead->effect_count == EFFECTS_MOST || lead->has_time != now.has ||
			lead->time != now.time) &&
		!settle_lead(stream, lane))
		return false;
	if (!lead->effect_count) {
		lead->record = poly_batch_number(stream->batch, stream->row);
		lead->has_time = now.has;
		lead->time = now.time;
	}
	return take_effect(stream, lead);
}

bool
stream_take(struct stream *stream, struct lane_side *lane)
{
	unsigned kind = stream->batch->kind[stream->row];
	bool head = stream_is_head(stream->rules, kind);
	bool good = true;
	if (head)
		good = take_head(stream, lane);
	else if (kind != POLY_KIND_OTHER && kind != POLY_KIND_EVENT)
		good = take_more(stream, lane);
	stream->row++;
	return good;
}

bool
stream_finish(struct stream *stream, struct lane_side *lane)
{
	return settle_lead(stream, lane);
}

void
stream_free(struct stream *stream)
{
	mem_free(stream->registers);
	mem_free(stream->names);
}
