/* SPDX-License-Identifier: MIT */
/*
 * Reads AIX traces. The input is read sequentially whatever the order of a log's blocks: a
 * block that comes too early is stashed and read later. Content never makes reading fail: bytes
 * that are not an entry become a row "corrupt" and a finding.
 *
 * spec: trcfmt File Format, Trace Entries; AIX <sys/trchdr.h>.
 */
#include "format/aix/aix.h"

#include "aix/clock.h"

#include "base/err.h"
#include "base/mem.h"
#include "io/source.h"

/* Bytes of payload after which a batch is complete, so that it stays small. */
#define ARENA_ENOUGH ((size_t)1 << 20)

/*
 * The utility hook and its record with a file's processor (trcfmt File Format, Trace Entries).
 */
#define HOOK_UTILITY 0x00a0
#define SUBHOOK_CPU_FILE 0x10

struct aix_filling {
	struct reading *reading;
	struct aix_reader *state;
	struct batch *batch;
};

/* Begins a row; returns its index. */
static size_t
store_row(
	struct aix_filling *fill, enum poly_kind kind, enum aix_record record, uint64_t origin)
{
	struct batch *batch = fill->batch;
	size_t row = batch->view.rows++;
	batch_put(batch, kind, row, (uint8_t)kind);
	batch_put(batch, record, row, (uint8_t)record);
	batch_put(batch, origin, row, origin);
	if (kind != POLY_KIND_EVENT && fill->reading->is_chunk)
		aix_defer_process(fill->reading, batch, row, NULL);
	return row;
}

/* Returns the number of the next row. */
static uint64_t
next_record(const struct aix_filling *fill)
{
	return fill->reading->record + fill->batch->view.rows + 1;
}

static void
store_header(struct aix_filling *fill)
{
	struct aix_reader *state = fill->state;
	struct in *in = fill->reading->in;
	size_t have;
	const uint8_t *p = in_peek(in, state->front, &have);
	have = have < state->front ? have : state->front;
	if (state->short_front && in_status(in, NULL) >= 0)
		findings_add_truncation(fill->reading->findings, AIX_L02, next_record(fill), 0,
			"header and directory have %llu bytes, the file has %zu",
			(unsigned long long)aix_front_size(&state->header), have);
	size_t row = store_row(fill, POLY_KIND_OTHER, AIX_HEADER, 0);
	batch_put_bytes(fill->batch, POLY_COLUMN_payload, row, p, have);
	in_consume(in, have);
	state->front = 0;
}

/* Stores a row of bytes that are not an entry. */
static void
store_corrupt(struct aix_filling *fill, const uint8_t *p, size_t n)
{
	struct aix_reader *state = fill->state;
	size_t row = store_row(
		fill, POLY_KIND_OTHER, AIX_CORRUPT, in_offset(aix_entries(fill->reading)));
	batch_put_bytes(fill->batch, POLY_COLUMN_raw, row, p, n);
	in_consume(aix_entries(fill->reading), n);
	state->left -= n;
}

void
aix_learn_cpu(struct aix_file_cpu *cpu, uint32_t mode, const struct aix_event *event)
{
	/* In a 32-bit entry the first data word is the sub-hook, as in those of processes. */
	unsigned word = event->wide ? 1 : 2;
	if (cpu->is_known || !(mode & AIX_MODE_CPU_FILE) || event->hook != HOOK_UTILITY ||
		aix_event_sub(event) != SUBHOOK_CPU_FILE || event->size < word * event->word)
		return;
	const uint64_t id = aix_event_word(event, word);
	*cpu = (struct aix_file_cpu){id <= UINT16_MAX, (uint32_t)id};
}

/* Stores the process of the event, if earlier events identify it. */
static void
store_process(struct aix_filling *fill, size_t row, const struct aix_event *event)
{
	struct aix_reader *state = fill->state;
	if (!fill->batch->view.process)
		return;
	if (fill->reading->is_chunk) {
		aix_defer_process(fill->reading, fill->batch, row, event);
		return;
	}
	struct aix_context context = aix_attribution_event(state->attribution, event);
	if (context.has_pid)
		batch_put(fill->batch, process, row, context.pid);
}

static void
store_time(struct aix_filling *fill, size_t row, uint64_t time)
{
	struct aix_reader *state = fill->state;
	if (!state->form.wide)
		time = aix_time_unwrap(state->time, (uint32_t)time);
	state->time = time;
	batch_put(fill->batch, time, row, time);
}

static void
store_entry(struct aix_filling *fill, const struct aix_entry *entry, const uint8_t *p)
{
	struct aix_reader *state = fill->state;
	struct batch *batch = fill->batch;
	const struct aix_form *form = &state->form;
	size_t row = store_row(fill, POLY_KIND_EVENT, form->wide ? AIX_HOOK64 : AIX_HOOK32,
		in_offset(aix_entries(fill->reading)));
	uint64_t cpu = entry->cpu ? load_be64(p + entry->cpu) : 0;
	batch_put(batch, hook, row, entry->hook);
	batch_put(batch, subhook, row, entry->subhook);
	batch_put(batch, hook_type, row, entry->type);
	if (entry->size)
		batch_put_bytes(batch, POLY_COLUMN_payload, row, p + entry->data, entry->size);
	if (entry->tid)
		batch_put(batch, thread, row, aix_entry_number(form, p, entry->tid));
	if (entry->time)
		store_time(fill, row, aix_entry_number(form, p, entry->time));
	struct aix_event event = aix_event_of(state, entry, p);
	aix_learn_cpu(&state->cpu, state->header.mode, &event);
	store_process(fill, row, &event);
	if (entry->cpu)
		batch_put(batch, cpu, row, (uint32_t)cpu);
	else if (state->cpu.is_known)
		batch_put(batch, cpu, row, state->cpu.id);
	if (entry->registers)
		batch_put_bytes(batch, POLY_COLUMN_counters, row, p + entry->registers,
			8 * (size_t)entry->register_count);
	if (cpu > UINT32_MAX || !aix_entry_is_padded_with_zeros(entry, p))
		batch_put_bytes(batch, POLY_COLUMN_raw, row, p, entry->length);
	in_consume(aix_entries(fill->reading), entry->length);
	state->left -= entry->length;
}

/* Returns the next bytes of the block, at least `want` if available. */
static const uint8_t *
peek_bytes(const struct reading *reading, size_t want, size_t *have)
{
	const struct aix_reader *state = reading->state;
	if (want > state->left)
		want = (size_t)state->left;
	const uint8_t *p = in_peek(aix_entries(reading), want, have);
	if (*have > state->left)
		*have = (size_t)state->left;
	return p;
}

/* Returns the offset, from `at` on, where entries resume after corrupt data in bare events. */
static size_t
find_entries(const struct aix_form *form, const uint8_t *p, size_t n, size_t at)
{
	const size_t unit = form->wide ? 8 : 4, limit = n < AIX_ROW_BYTES ? n : AIX_ROW_BYTES;
	const bool at_end = n < 2 * AIX_ROW_BYTES;
	while (at < limit && aix_chain_bits(form, p + at, n - at, at_end) < AIX_CHAIN_ENOUGH)
		at += unit;
	return at < limit ? at : limit;
}

/*
 * Skips corrupt data: in a log up to the end of the block, in bare events up to the next
 * entries. first_is_corrupt: the first byte is known to be corrupt.
 */
static void
skip_corrupt(struct aix_filling *fill, bool first_is_corrupt)
{
	struct aix_reader *state = fill->state;
	size_t have, n;
	if (state->block) {
		const uint8_t *p = peek_bytes(fill->reading, AIX_ROW_BYTES, &have);
		n = have < AIX_ROW_BYTES ? have : AIX_ROW_BYTES;
		store_corrupt(fill, p, n);
		state->in_corrupt = state->left > 0;
		return;
	}
	const uint8_t *p = peek_bytes(fill->reading, 2 * AIX_ROW_BYTES, &have);
	have = have < 2 * AIX_ROW_BYTES ? have : 2 * AIX_ROW_BYTES;
	n = find_entries(
		&state->form, p, have, first_is_corrupt ? (state->form.wide ? 8 : 4) : 0);
	state->in_corrupt = n == AIX_ROW_BYTES || n == have;
	if (n)
		store_corrupt(fill, p, n);
}

static void
store_invalid(struct aix_filling *fill, const struct aix_entry *entry)
{
	struct aix_reader *state = fill->state;
	const char *next = state->block ? "the next block" : "the next entry";
	uint64_t offset = in_offset(aix_entries(fill->reading));
	if (state->form.wide)
		findings_add(fill->reading->findings, AIX_L04, next_record(fill), offset,
			"hook id %04x is not valid: its first digit is 0, its last is not; "
			"reading resumes at %s",
			entry->hook, next);
	else
		findings_add(fill->reading->findings, AIX_L04, next_record(fill), offset,
			"hook type %x, expected 0, 1, 2, 6, 8, 9, a or e; reading resumes at "
			"%s",
			entry->type, next);
	state->in_corrupt = true;
	skip_corrupt(fill, true);
}

/* Stores the truncated last entry of a block or of the trace. */
static void
store_truncated(struct aix_filling *fill, const uint8_t *p, size_t have, size_t length)
{
	struct aix_reader *state = fill->state;
	if (in_status(aix_entries(fill->reading), NULL) >= 0)
		(state->block ? findings_add : findings_add_truncation)(fill->reading->findings,
			AIX_L05, next_record(fill), in_offset(aix_entries(fill->reading)),
			"the entry has %zu bytes, %zu are left in %s", length, have,
			state->block ? "its block" : "the trace");
	store_corrupt(fill, p, have);
}

/* Ends a block that was read, or whose remaining bytes are missing. */
static void
end_block(struct aix_filling *fill)
{
	struct aix_reader *state = fill->state;
	struct aix_block *block = state->block;
	if (block && state->left && in_status(fill->reading->in, NULL) >= 0)
		findings_add_truncation(fill->reading->findings, AIX_L03, next_record(fill),
			block->offset,
			"the block at %llu has %llu bytes, the last %llu are missing",
			(unsigned long long)block->offset, (unsigned long long)block->size,
			(unsigned long long)state->left);
	in_close(state->own);
	state->own = NULL;
	state->is_inside = false;
	state->block = NULL;
	state->in_corrupt = false;
}

/* Returns whether the end that was met is that of a chunk, after which others continue. */
static bool
is_at_chunk_end(const struct reading *reading)
{
	return reading->is_chunk || reading->is_split;
}

/* Reads one entry, or ends the block. POLY_END: the chunk ends within the block. */
static enum poly_status
add_entry(struct aix_filling *fill)
{
	struct aix_reader *state = fill->state;
	struct aix_entry entry;
	size_t have;
	const uint8_t *p = peek_bytes(fill->reading, state->form.wide ? 8 : 4, &have);
	if (have == 0 && state->left && is_at_chunk_end(fill->reading))
		return POLY_END;
	if (have == 0) {
		end_block(fill);
		return POLY_OK;
	}
	if (state->in_corrupt) {
		skip_corrupt(fill, false);
		return POLY_OK;
	}
	enum aix_parse parse = aix_entry_parse(&state->form, p, have, &entry);
	if (parse == AIX_SHORT && entry.length > have) {
		p = peek_bytes(fill->reading, entry.length, &have);
		parse = aix_entry_parse(&state->form, p, have, &entry);
	}
	if (parse == AIX_COMPLETE)
		store_entry(fill, &entry, p);
	else if (parse == AIX_SHORT)
		store_truncated(fill, p, have, entry.length);
	else
		store_invalid(fill, &entry);
	return POLY_OK;
}

/* Stores a row of at most n bytes that no block holds; false at the end of the input. */
static bool
add_gap(struct aix_filling *fill, uint64_t n)
{
	struct in *in = fill->reading->in;
	size_t have, want = n < AIX_ROW_BYTES ? (size_t)n : AIX_ROW_BYTES;
	const uint8_t *p = in_peek(in, want, &have);
	have = have < want ? have : want;
	if (have == 0)
		return false;
	uint64_t offset = in_offset(in);
	size_t row = store_row(fill, POLY_KIND_OTHER, AIX_GAP, offset);
	batch_put(fill->batch, address, row, offset);
	batch_put_bytes(fill->batch, POLY_COLUMN_payload, row, p, have);
	in_consume(in, have);
	return true;
}

/* Stashes a block that is read later. */
static enum poly_status
stash_block(struct aix_filling *fill, struct aix_block *block, struct poly_error *error)
{
	struct aix_reader *state = fill->state;
	struct in *in = fill->reading->in;
	const bool random = in_is_random(in);
	block->stashed = true;
	if (!random && !state->spool && !(state->spool = spill_buffer_new(AIX_SPOOL_MEMORY)))
		return err_memory(error);
	block->place = random ? 0 : spill_buffer_size(state->spool);
	while (block->avail < block->size) {
		uint64_t left = block->size - block->avail;
		size_t have, want = left < AIX_ROW_BYTES ? (size_t)left : AIX_ROW_BYTES;
		const uint8_t *p = in_peek(in, want, &have);
		have = have < want ? have : want;
		if (have == 0)
			return POLY_OK;
		const enum poly_status status =
			random ? POLY_OK : spill_buffer_append(state->spool, p, have, error);
		if (status != POLY_OK)
			return status;
		in_consume(in, have);
		block->avail += have;
	}
	return POLY_OK;
}

/* The bytes of a stashed block, as a source. */
struct stashed_block {
	const struct aix_reader *state;
	const struct in *in;
	uint64_t place, left;
};

static enum poly_status
stashed_read(void *self, uint8_t *dst, size_t size, size_t *got, struct poly_error *error)
{
	struct stashed_block *aside = self;
	enum poly_status status;
	*got = 0;
	size = size < aside->left ? size : (size_t)aside->left;
	if (size == 0)
		return POLY_END;
	if (in_is_random(aside->in)) {
		struct source_room room = {dst, size, 0};
		status = in_read_at(aside->in, aside->place, &room, error);
	} else {
		status = spill_buffer_read(aside->state->spool, aside->place, dst, size, error);
	}
	*got = status == POLY_OK ? size : 0;
	aside->place += *got;
	aside->left -= *got;
	return status;
}

static void
stashed_close(void *self)
{
	mem_free(self);
}

static enum poly_status
open_stashed(struct aix_filling *fill, const struct aix_block *block, struct poly_error *error)
{
	struct aix_reader *state = fill->state;
	struct stashed_block *aside = mem_new(1, sizeof *aside);
	if (!aside)
		return err_memory(error);
	bool random = in_is_random(fill->reading->in);
	*aside = (struct stashed_block){
		state, fill->reading->in, random ? block->offset : block->place, block->avail};
	const struct source source = {stashed_read, stashed_close, aside, NULL};
	state->own = in_from_source(&source, 0);
	if (!state->own)
		return err_memory(error);
	in_restart(state->own, block->offset);
	state->is_inside = true;
	return POLY_OK;
}

/* Begins a block that has at least one byte in the file. */
static void
begin_block(struct aix_filling *fill, struct aix_block *block)
{
	struct aix_reader *state = fill->state;
	size_t row = store_row(fill, POLY_KIND_OTHER, AIX_BLOCK, block->offset);
	batch_put(fill->batch, address, row, block->offset);
	batch_put(fill->batch, size, row,
		block->size < UINT32_MAX ? (uint32_t)block->size : UINT32_MAX);
	if (block->index != AIX_INITIAL)
		batch_put(fill->batch, value, row, block->index);
	state->block = block;
	state->left = block->size;
	state->next++;
}

static void
skip_missing_block(struct aix_filling *fill, const struct aix_block *block)
{
	struct aix_reader *state = fill->state;
	state->next++;
	if (in_status(fill->reading->in, NULL) < 0)
		return;
	bool initial = block->index == AIX_INITIAL;
	findings_add_truncation(fill->reading->findings, initial ? AIX_L02 : AIX_L03,
		next_record(fill), block->offset,
		"the %s at %llu with %llu bytes lies past the end of the file",
		initial ? "block of initial conditions" : "block",
		(unsigned long long)block->offset, (unsigned long long)block->size);
}

/* Advances by one step towards the next block in reading order. */
static enum poly_status
advance_to_block(struct aix_filling *fill, struct aix_block *target, struct poly_error *error)
{
	struct aix_reader *state = fill->state;
	struct in *in = fill->reading->in;
	if (target->stashed && target->avail == 0) {
		skip_missing_block(fill, target);
		return POLY_OK;
	}
	if (target->stashed) {
		enum poly_status status = open_stashed(fill, target, error);
		if (status == POLY_OK)
			begin_block(fill, target);
		return status;
	}
	struct aix_block *block = &state->blocks.list[state->passed];
	uint64_t at = in_offset(in);
	if (at < block->offset && add_gap(fill, block->offset - at))
		return POLY_OK;
	size_t have = 0;
	if (at == block->offset)
		in_peek(in, 1, &have);
	if (have == 0 && is_at_chunk_end(fill->reading))
		return POLY_END;
	state->passed++;
	if (have == 0) {
		block->stashed = true;
	} else if (block == target) {
		begin_block(fill, block);
		state->is_inside = true;
	} else {
		return stash_block(fill, block, error);
	}
	return POLY_OK;
}

/* Stores the next row, or advances towards it. POLY_END: end of the trace. */
static enum poly_status
next_step(struct aix_filling *fill, struct poly_error *error)
{
	struct aix_reader *state = fill->state;
	if (state->front) {
		store_header(fill);
		return POLY_OK;
	}
	if (state->is_inside)
		return add_entry(fill);
	if (!aix_header_size(state->magic))
		return POLY_END;
	if (state->next < state->blocks.count)
		return advance_to_block(
			fill, &state->blocks.list[state->blocks.order[state->next]], error);
	return add_gap(fill, UINT64_MAX) ? POLY_OK : POLY_END;
}

enum poly_status
aix_read(struct reading *reading, struct batch *batch, struct poly_error *error)
{
	struct aix_filling fill = {reading, reading->state, batch};
	enum poly_status status = POLY_OK;
	if (batch->view.process && !fill.state->attribution)
		status = aix_attribution_new(NULL, 0, NULL, &fill.state->attribution, error);
	while (status == POLY_OK && batch->view.rows < batch->capacity &&
		batch->arena.size < ARENA_ENOUGH)
		status = next_step(&fill, error);
	return status == POLY_END && batch->view.rows ? POLY_OK : status;
}

void
aix_close(struct reading *reading)
{
	struct aix_reader *state = reading->state;
	in_close(state->own);
	aix_attribution_free(state->attribution);
	spill_buffer_free(state->spool);
	aix_blocks_fini(&state->blocks);
}
