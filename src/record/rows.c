/* SPDX-License-Identifier: MIT */
/* Rows from the records of a channel, as far as they are selected. */
#include "record/rows.h"

#include "base/err.h"
#include "base/vec.h"
#include "isa/arm_condition.h"

#include <string.h>

/* Bytes of the column opcode. */
#define OPCODE_MAX 8

/* Converts an encoding to the column opcode. */
static uint64_t
opcode_of(const struct poly_recording *recording, const struct recorded_site *site)
{
	/* Thumb has halfwords, the first one highest. */
	const bool halves = site->mode == CHANNEL_MODE_THUMB;
	const bool as_is = recording->target->has_own_order || recording->target->big_endian;
	const unsigned word = as_is ? 1 : halves ? 2 : site->size;
	uint64_t opcode = 0;
	for (unsigned i = 0; i < site->size && i < OPCODE_MAX; i++)
		opcode = opcode << 8 | site->encoding[i / word * word + word - 1 - i % word];
	return opcode;
}

/* Adds the text of a site; false: out of memory. */
static bool
add_text(struct poly_recording *recording, struct recorded_site *site)
{
	struct isa_decoder *decoder =
		site->mode == CHANNEL_MODE_THUMB ? recording->thumb : recording->decoder;
	uint8_t bytes[OPCODE_MAX];
	const bool is_short = site->size <= OPCODE_MAX;
	if (!decoder)
		return true;
	for (unsigned i = 0; is_short && i < site->size; i++)
		bytes[i] = (uint8_t)(site->opcode >> 8 * (site->size - 1u - i));
	const struct isa_encoding encoding = {
		is_short ? bytes : site->encoding, site->size, site->pc};
	const char *text = isa_text(decoder, &encoding);
	site->text = recording->texts.size;
	site->text_size = text ? strlen(text) : 0;
	if (text)
		buf_append(&recording->texts, text, site->text_size);
	return !recording->texts.failed;
}

/* Returns a site by its number; NULL: out of memory, or no such site. */
static const struct recorded_site *
get_site(struct poly_recording *recording, uint32_t number, bool *is_corrupt)
{
	struct channel *channel = recording->channel;
	if (number < recording->site_capacity && recording->sites[number].is_known)
		return &recording->sites[number];
	*is_corrupt = number >= CHANNEL_SITES || number >= atomic_load(&channel->sites);
	if (*is_corrupt ||
		!VEC_RESERVE_ZEROED(recording->sites, recording->site_capacity, number + 1))
		return NULL;
	const struct channel_site *shared = &channel->site[number];
	struct recorded_site *site = &recording->sites[number];
	site->pc = shared->pc;
	site->size = shared->size;
	*is_corrupt = !site->size || site->size > CHANNEL_ENCODING;
	if (*is_corrupt)
		return NULL;
	memcpy(site->encoding, shared->encoding, sizeof site->encoding);
	const unsigned mode = atomic_load(&shared->mode);
	if (mode == CHANNEL_MODE_ARM || mode == CHANNEL_MODE_THUMB) {
		site->mode = (uint8_t)mode;
		site->instruction_set = recording->sets[mode];
	}
	site->opcode = opcode_of(recording, site);
	if (!add_text(recording, site))
		return NULL;
	site->is_known = true;
	return site;
}

/* Decides whether an instruction is recorded. */
static bool
selects(struct poly_recording *recording, const struct recorded_site *site)
{
	if (recording->is_complete)
		return false;
	if (recording->has_start && site->pc != recording->start)
		return false;
	recording->has_start = false;
	if (recording->skip) {
		recording->skip--;
		return false;
	}
	recording->is_complete = (recording->has_stop && site->pc == recording->stop) ||
				 (recording->options.count && recording->instructions + 1 >=
								      recording->options.count);
	return true;
}

/* Adds a row of a thread. */
static inline size_t
add_row(struct poly_recording *recording, enum poly_kind kind, uint8_t record)
{
	struct poly_batch *view = &recording->rows.view;
	const size_t row = view->rows++;
	view->kind[row] = (uint8_t)kind;
	view->record[row] = record;
	view->thread[row] = recording->slot->thread;
	return row;
}

static void
add_instruction(struct poly_recording *recording, const struct recorded_site *site)
{
	struct batch *rows = &recording->rows;
	const size_t row = add_row(recording, POLY_KIND_INSTRUCTION, RECORD_INSTRUCTION);
	rows->view.pc[row] = site->pc;
	bit_set(rows->bits[POLY_COLUMN_pc], row);
	rows->view.opcode_size[row] = site->size;
	bit_set(rows->bits[POLY_COLUMN_opcode_size], row);
	if (site->size <= OPCODE_MAX) {
		rows->view.opcode[row] = site->opcode;
		bit_set(rows->bits[POLY_COLUMN_opcode], row);
	} else {
		batch_put_bytes(rows, POLY_COLUMN_payload, row, site->encoding, site->size);
	}
	if (site->text_size)
		batch_put_bytes(rows, POLY_COLUMN_text, row, recording->texts.data + site->text,
			site->text_size);
	if (rows->view.mode)
		batch_put(rows, mode, row, recording->user_mode);
	if (site->mode)
		batch_put(rows, instruction_set, row, site->instruction_set);
	if (site->mode && rows->view.executed)
		batch_put(rows, executed, row,
			arm_condition_passes(site->opcode, site->size,
				site->mode == CHANNEL_MODE_THUMB,
				recording->threads[recording_slot(recording)].cpsr));
	recording->instructions++;
}

static inline uint64_t
get_number(const uint32_t *words)
{
	return words[0] | (uint64_t)words[1] << 32;
}

/* The value of a read is that of memory after the instruction. If the instruction then wrote
 * the same, it may have read something else. */
static void
forget_read_value(struct poly_recording *recording, size_t row)
{
	struct batch *rows = &recording->rows;
	const struct poly_batch *view = &rows->view;
	if (!row || !poly_present(view, POLY_COLUMN_value, row - 1) ||
		view->kind[row - 1] != POLY_KIND_ACCESS ||
		view->access[row - 1] != POLY_ACCESS_READ ||
		view->address[row - 1] != view->address[row] ||
		view->value[row - 1] != view->value[row])
		return;
	rows->bits[POLY_COLUMN_value][(row - 1) / 64] &= ~((uint64_t)1 << (row - 1) % 64);
}

static void
add_access(struct poly_recording *recording, const uint32_t *words)
{
	struct batch *rows = &recording->rows;
	const size_t row = add_row(recording, POLY_KIND_ACCESS, RECORD_ACCESS);
	const uint32_t bits = words[0];
	rows->view.pc[row] = recording->threads[recording_slot(recording)].pc;
	bit_set(rows->bits[POLY_COLUMN_pc], row);
	rows->view.access[row] = bits >> CHANNEL_ACCESS_SHIFT & CHANNEL_ACCESS_MASK;
	bit_set(rows->bits[POLY_COLUMN_access], row);
	rows->view.address[row] = get_number(words + 1);
	bit_set(rows->bits[POLY_COLUMN_address], row);
	if (bits & CHANNEL_SIZE_MASK)
		batch_put(rows, size, row, bits & CHANNEL_SIZE_MASK);
	if (bits & CHANNEL_HAS_VALUE && rows->view.value) {
		batch_put(rows, value, row, get_number(words + 3));
		if (rows->view.access[row] == POLY_ACCESS_WRITE)
			forget_read_value(recording, row);
	}
}

static void
add_register(struct poly_recording *recording, const uint32_t *words)
{
	struct batch *rows = &recording->rows;
	const struct thread *thread = &recording->threads[recording_slot(recording)];
	const size_t row = add_row(recording, POLY_KIND_REGISTER, RECORD_REGISTER);
	if (thread->has_pc)
		batch_put(rows, pc, row, thread->pc);
	batch_put(rows, reg, row, recording->names[words[0] & CHANNEL_NUMBER_MASK]);
	batch_put(rows, size, row, words[0] >> CHANNEL_BYTES_SHIFT & 0xff);
	batch_put(rows, value, row, get_number(words + 1));
}

/* Keeps a register that precedes the selected instructions. */
static void
keep_register(struct thread *thread, const uint32_t *words)
{
	const uint32_t number = words[0] & CHANNEL_NUMBER_MASK;
	thread->bytes[number] = words[0] >> CHANNEL_BYTES_SHIFT & 0xff;
	thread->values[number] = get_number(words + 1);
}

/* Adds the registers before the first selected instruction. */
static void
add_state(struct poly_recording *recording)
{
	struct batch *rows = &recording->rows;
	struct thread *thread = &recording->threads[recording_slot(recording)];
	for (size_t i = 0; i < recording->target->register_count; i++) {
		if (!thread->bytes[i])
			continue;
		const size_t row = add_row(recording, POLY_KIND_REGISTER, RECORD_REGISTER);
		batch_put(rows, reg, row, recording->names[i]);
		batch_put(rows, size, row, thread->bytes[i]);
		batch_put(rows, value, row, thread->values[i]);
	}
	thread->has_state = true;
}

static void
add_sync(struct poly_recording *recording, const uint32_t *words)
{
	struct batch *rows = &recording->rows;
	const size_t row = add_row(recording, POLY_KIND_SYNC, RECORD_SYNC);
	batch_put(rows, sync, row, (uint8_t)(words[0] & UINT8_MAX));
	batch_put(rows, address, row, get_number(words + 1));
	batch_put(rows, value, row, get_number(words + 3));
}

/* Returns the words of a record whose first one is given; 0: it is invalid. */
static uint32_t
length_of(const struct poly_recording *recording, uint32_t first)
{
	switch (first >> CHANNEL_TYPE_SHIFT) {
	case CHANNEL_INSTRUCTION: return 1;
	case CHANNEL_ACCESS:
		return recording->options.accesses ? first & CHANNEL_HAS_VALUE ? 5 : 3 : 0;
	case CHANNEL_SYNC:
		return recording->options.functions && (first & UINT8_MAX) < POLY_SYNC_COUNT
			       ? 5
			       : 0;
	case CHANNEL_REGISTER:
		return recording->rows.view.reg && (first & CHANNEL_NUMBER_MASK) <
							   recording->target->register_count
			       ? 3
			       : 0;
	default: return 0;
	}
}

static enum poly_status
corrupt(struct poly_error *error)
{
	return err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
		"the memory shared with the program is corrupt; the program has overwritten "
		"it");
}

/* Adds the rows of a record. */
static enum poly_status
add_record(struct poly_recording *recording, const uint32_t *words, struct poly_error *error)
{
	struct thread *thread = &recording->threads[recording_slot(recording)];
	bool is_corrupt = false;
	switch (words[0] >> CHANNEL_TYPE_SHIFT) {
	case CHANNEL_ACCESS:
		if (thread->is_selected)
			add_access(recording, words);
		return POLY_OK;
	case CHANNEL_SYNC:
		if (!recording->is_bounded || thread->is_selected)
			add_sync(recording, words);
		return POLY_OK;
	case CHANNEL_REGISTER:
		if ((words[0] & CHANNEL_NUMBER_MASK) + 1 == recording->target->register_count)
			thread->cpsr = words[1];
		if (recording->is_bounded && recording->options.registers && !thread->has_state)
			keep_register(thread, words);
		else if (thread->is_selected || !recording->is_bounded)
			add_register(recording, words);
		return POLY_OK;
	default: break;
	}
	const struct recorded_site *site =
		get_site(recording, words[0] & CHANNEL_SITE_MASK, &is_corrupt);
	if (!site)
		return is_corrupt ? corrupt(error) : err_memory(error);
	thread->pc = site->pc;
	thread->has_pc = true;
	thread->is_selected = !recording->is_bounded || selects(recording, site);
	if (thread->is_selected && recording->is_bounded && !thread->has_state)
		add_state(recording);
	if (thread->is_selected)
		add_instruction(recording, site);
	return POLY_OK;
}

enum poly_status
rows_add(struct poly_recording *recording, const uint32_t *words, uint32_t used,
	struct poly_error *error)
{
	if (used > CHANNEL_WORDS)
		return corrupt(error);
	while (recording->position < used) {
		const uint32_t first = words[recording->position];
		const uint32_t length = length_of(recording, first);
		const size_t rows = recording->rows.view.rows;
		if (!length || length > used - recording->position)
			return corrupt(error);
		if (rows == POLY_BATCH_ROWS ||
			(rows >= ROWS_FULL &&
				first >> CHANNEL_TYPE_SHIFT == CHANNEL_INSTRUCTION))
			return POLY_OK;
		const enum poly_status status =
			add_record(recording, words + recording->position, error);
		if (status != POLY_OK)
			return status;
		recording->position += length;
	}
	return POLY_OK;
}
