/* SPDX-License-Identifier: MIT */
/* Reads synchronisation events. */
#include "correlate/merge/sync.h"

#include "base/bits.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void
sync_note(struct sync_state *sync, const char *format, ...)
{
	char line[300];
	if (sync->note_count++ >= SYNC_NOTES_MAX)
		return;
	va_list list;
	va_start(list, format);
	vsnprintf(line, sizeof line, format, list);
	va_end(list);
	char **note = &sync->notes[sync->note_count - 1];
	*note = mem_string(line);
	sync->no_memory |= !*note;
}

enum poly_status
sync_add(struct sync_state *sync, uint64_t number, const char *name, struct poly_error *error)
{
	for (size_t i = 0; i < sync->count; i++) {
		if (sync->threads[i].number == number)
			return err_usage(
				error, "two traces of thread %llu", (unsigned long long)number);
	}
	if (!VEC_ROOM(sync->threads, sync->capacity, sync->count))
		return err_memory(error);
	struct sync_thread *thread = &sync->threads[sync->count];
	memset(thread, 0, sizeof *thread);
	thread->number = number;
	thread->creator = SYNC_NONE;
	thread->name = mem_string(name);
	if (!thread->name)
		return err_memory(error);
	sync->count++;
	return POLY_OK;
}

/* Returns the index of the object at an address; SYNC_NONE: out of memory. */
static uint32_t
find_object(struct sync_state *sync, uint64_t address)
{
	bool added;
	if (!VEC_ROOM(sync->objects, sync->object_capacity, sync->object_count))
		return SYNC_NONE;
	const uint64_t *found = map_get(&sync->numbers, address, sync->object_count, &added);
	if (!found)
		return SYNC_NONE;
	if (!added)
		return (uint32_t)*found;
	const size_t number = (size_t)*found;
	if (number == SYNC_NONE)
		return SYNC_NONE;
	sync->objects[number] = (struct sync_object){.address = address,
		.min_count = UINT64_MAX,
		.alternates = true,
		.owner = SYNC_NONE};
	sync->object_count++;
	return (uint32_t)number;
}

static struct sync_event *
add_event(struct sync_thread *thread)
{
	if (!VEC_ROOM(thread->events, thread->capacity, thread->count))
		return NULL;
	return &thread->events[thread->count++];
}

/* Reads the event of a row; the thread's counts are those before the batch. */
static enum poly_status
read_event(struct sync_state *sync, struct sync_thread *thread, const struct poly_batch *batch,
	size_t row, struct poly_error *error)
{
	if (!poly_present(batch, POLY_COLUMN_address, row) ||
		!poly_present(batch, POLY_COLUMN_value, row) ||
		batch->sync[row] >= POLY_SYNC_COUNT)
		return POLY_OK;
	const uint32_t number = find_object(sync, batch->address[row]);
	struct sync_event *event = number == SYNC_NONE ? NULL : add_event(thread);
	if (!event)
		return err_memory(error);
	*event = (struct sync_event){.ordinal = batch->value[row],
		.record = thread->records + row,
		.instruction = thread->instructions,
		.object = number,
		.mutex = SYNC_NONE,
		.kind = batch->sync[row]};
	struct sync_object *object = &sync->objects[number];
	object->tried |= event->kind == POLY_SYNC_TRYWAIT;
	object->broadcast |= event->kind == POLY_SYNC_BROADCAST;
	if (event_signals(event)) {
		object->signal_count++;
		if (event->ordinal < object->min_count)
			object->min_count = event->ordinal;
	} else {
		object->wait_count++;
	}
	return POLY_OK;
}

/* True if a row counts as an instruction: executed, and the first of its micro-operations. */
static bool
is_instruction(const struct poly_batch *batch, size_t row)
{
	return batch->kind[row] == POLY_KIND_INSTRUCTION &&
	       !(poly_present(batch, POLY_COLUMN_synthetic, row) && batch->synthetic[row]) &&
	       (!poly_present(batch, POLY_COLUMN_uop_index, row) || batch->uop_index[row] == 1);
}

/* Returns the number of instructions in rows first to end - 1. */
static uint64_t
instructions_in(const struct poly_batch *batch, size_t first, size_t end)
{
	uint64_t count = 0;
	if (!batch->kind)
		return end - first;
	for (size_t row = first; row < end; row++)
		count += is_instruction(batch, row);
	return count;
}

enum poly_status
sync_read_events(struct sync_state *sync, size_t number, const struct poly_batch *batch,
	struct poly_error *error)
{
	struct sync_thread *thread = &sync->threads[number];
	const uint64_t *bits = batch->present[POLY_COLUMN_sync];
	size_t first = 0;
	enum poly_status status = POLY_OK;
	for (size_t w = 0; bits && w < (batch->rows + 63) / 64; w++) {
		for (uint64_t left = bits[w]; left && status == POLY_OK; left &= left - 1) {
			const size_t row = 64 * w + (size_t)__builtin_ctzll(left);
			thread->instructions += instructions_in(batch, first, row);
			first = row;
			status = read_event(sync, thread, batch, row, error);
		}
	}
	thread->instructions += instructions_in(batch, first, batch->rows);
	thread->records += batch->rows;
	return status;
}

void
sync_fini(struct sync_state *sync)
{
	for (size_t i = 0; i < sync->count; i++) {
		mem_free(sync->threads[i].events);
		mem_free(sync->threads[i].calls);
		mem_free(sync->threads[i].name);
	}
	for (size_t i = 0; i < SYNC_NOTES_MAX; i++)
		mem_free(sync->notes[i]);
	mem_free(sync->threads);
	mem_free(sync->objects);
	mem_free(sync->marks);
	mem_free(sync->left);
	map_free(&sync->numbers);
	buf_free(&sync->why);
	memset(sync, 0, sizeof *sync);
}

void
sync_describe_block(
	const struct sync_state *sync, const struct block_state *block, struct buf *text)
{
	const struct sync_thread *thread = &sync->threads[block->on.thread];
	const unsigned long long address = sync->objects[block->object].address;
	if (block->reason == BLOCK_OWNER) {
		buf_printf(text, "release of 0x%llx by thread %llu", address,
			(unsigned long long)thread->number);
		return;
	}
	const struct sync_event *event = &thread->events[block->on.event];
	buf_printf(text, "%s %llu of 0x%llx in thread %llu",
		poly_enum_name(POLY_FORM_SYNC, event->kind), (unsigned long long)block->ordinal,
		address, (unsigned long long)thread->number);
}
