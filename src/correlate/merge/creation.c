/* SPDX-License-Identifier: MIT */
/*
 * Finds which call created a thread: the first instruction of a thread follows the system call
 * clone in memory, and exactly one other thread, of a lower number, executed that call. Its
 * n-th execution created the n-th of the threads that begin there, by their numbers; if it was
 * executed more often, not later than that.
 *
 * The call is known in PowerPC traces of Linux: sc, with its number loaded by one of the last
 * instructions.
 *
 * spec: Linux, arch/powerpc/kernel/syscalls/syscall.tbl (clone, clone3).
 */
#include "correlate/merge/sync.h"

#include "base/err.h"
#include "base/vec.h"

#include <string.h>

/* Maximum number of calls that are stored per thread. */
#define CREATIONS_MAX 65536

/* Maximum number of instructions between the load of a call's number and the call. */
#define NUMBER_AGE_MAX 8

enum { CLONE = 120, CLONE3 = 435 };

/* li r0, N */
#define LI_R0 0x38000000u
#define LI_MASK 0xffff0000u

/* sc, of any level */
#define SC 0x44000002u
#define SC_MASK 0xfc000003u

/* Stores a call at pc, the record of a number from 1. False: out of memory. */
static bool
add_call(struct sync_thread *thread, uint64_t pc, uint64_t record)
{
	if (thread->call_count == CREATIONS_MAX)
		return true;
	if (!VEC_ROOM(thread->calls, thread->call_capacity, thread->call_count))
		return false;
	thread->calls[thread->call_count++] = (struct sync_call){pc + 4, record};
	return true;
}

enum poly_status
sync_read_calls(
	struct sync_thread *thread, const struct poly_batch *batch, struct poly_error *error)
{
	const char *isa = batch->info->isa;
	if (!batch->pc || !batch->opcode || !isa || strcmp(isa, "powerpc") != 0)
		return POLY_OK;
	for (size_t row = 0; row < batch->rows; row++) {
		if (!poly_present(batch, POLY_COLUMN_opcode, row) ||
			!poly_present(batch, POLY_COLUMN_pc, row))
			continue;
		const uint32_t opcode = (uint32_t)batch->opcode[row];
		if (!thread->has_first)
			thread->first_pc = batch->pc[row];
		thread->has_first = true;
		thread->number_age++;
		if ((opcode & LI_MASK) == LI_R0) {
			thread->call_number = opcode & 0xffff;
			thread->number_age = 0;
			continue;
		}
		const bool is_call =
			(opcode & SC_MASK) == SC && thread->number_age <= NUMBER_AGE_MAX &&
			(thread->call_number == CLONE || thread->call_number == CLONE3);
		if (is_call && !add_call(thread, batch->pc[row], thread->records + row + 1))
			return err_memory(error);
	}
	return POLY_OK;
}

/* Returns the record of the n-th execution, from 0, of the call before an address; 0: none. */
static uint64_t
find_call(const struct sync_thread *thread, uint64_t next, size_t n)
{
	for (size_t i = 0; i < thread->call_count; i++) {
		if (thread->calls[i].next == next && n-- == 0)
			return thread->calls[i].record;
	}
	return 0;
}

/* Returns the only thread that executed the call before an address; SYNC_NONE: none, or
 * several.
 */
static uint32_t
find_creator(const struct sync_state *sync, uint64_t next)
{
	uint32_t found = SYNC_NONE;
	for (size_t t = 0; t < sync->count; t++) {
		if (!find_call(&sync->threads[t], next, 0))
			continue;
		if (found != SYNC_NONE)
			return SYNC_NONE;
		found = (uint32_t)t;
	}
	return found;
}

/* Returns how many threads of lower numbers begin where a thread does. */
static size_t
count_earlier(const struct sync_state *sync, const struct sync_thread *thread)
{
	size_t count = 0;
	for (size_t t = 0; t < sync->count; t++) {
		const struct sync_thread *other = &sync->threads[t];
		count += other->has_first && other->first_pc == thread->first_pc &&
			 other->number < thread->number;
	}
	return count;
}

void
sync_find_creators(struct sync_state *sync)
{
	for (size_t t = 0; t < sync->count; t++) {
		struct sync_thread *thread = &sync->threads[t];
		thread->creator = SYNC_NONE;
		thread->created_at = 0;
		if (!thread->has_first)
			continue;
		const uint32_t creator = find_creator(sync, thread->first_pc);
		if (creator == SYNC_NONE || sync->threads[creator].number >= thread->number)
			continue;
		thread->created_at = find_call(
			&sync->threads[creator], thread->first_pc, count_earlier(sync, thread));
		if (thread->created_at)
			thread->creator = creator;
	}
}

bool
sync_is_created(const struct sync_state *sync, size_t number)
{
	const struct sync_thread *thread = &sync->threads[number];
	return thread->creator == SYNC_NONE || thread->creation_dropped ||
	       sync->threads[thread->creator].position >= thread->created_at;
}

bool
sync_drop_creation(struct sync_state *sync)
{
	for (size_t t = 0; t < sync->count; t++) {
		struct sync_thread *thread = &sync->threads[t];
		if (thread->position || sync_is_created(sync, t))
			continue;
		thread->creation_dropped = true;
		sync_note(sync, "thread %llu precedes its creation by thread %llu, record %llu",
			(unsigned long long)thread->number,
			(unsigned long long)sync->threads[thread->creator].number,
			(unsigned long long)thread->created_at);
		return true;
	}
	return false;
}
