/* SPDX-License-Identifier: MIT */
/* Rows of the entries of a file of drmemtrace. */
#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "format/drmemtrace/drmemtrace.h"

#include <stdio.h>
#include <string.h>

/* The encoding of an instruction is at most this long; those of x86 have 15 bytes. */
#define INSTRUCTION_MAX UINT8_MAX

/* The low bits of cpu_id that number the processor; those above number its node. */
#define CPU_MASK 0xfff

/* Adds a row with what all rows have. */
static size_t
add_row(const struct drm_cursor *cursor, enum poly_kind kind, unsigned record)
{
	struct batch *batch = cursor->batch;
	const struct drm_stream *stream = cursor->stream;
	const struct drm_thread *thread = drm_current(cursor);
	const size_t row = batch->view.rows++;
	batch_put(batch, kind, row, (uint8_t)kind);
	batch_put(batch, record, row, (uint8_t)record);
	batch_put(batch, origin, row, cursor->offset);
	if (stream->current && thread->tid != DRM_IDLE && !stream->is_idle)
		batch_put(batch, thread, row, thread->tid);
	if (thread->has_pid && thread->pid != DRM_IDLE && !stream->is_idle)
		batch_put(batch, process, row, thread->pid);
	if (thread->has_time)
		batch_put(batch, time, row, thread->time);
	if (thread->has_cpu)
		batch_put(batch, cpu, row, thread->cpu);
	if (stream->in_kernel)
		batch_put(batch, mode, row, cursor->kernel);
	return row;
}

/* Counts a row that the tools show. */
static size_t
add_visible(const struct drm_cursor *cursor, enum poly_kind kind, unsigned record)
{
	cursor->stream->visible++;
	return add_row(cursor, kind, record);
}

/* Adds the row of an entry that the tools hide, if it is requested. */
static void
add_hidden(const struct drm_cursor *cursor, unsigned record, const struct drm_entry *entry)
{
	if (!cursor->keeps_hidden)
		return;
	const size_t row = add_row(cursor, POLY_KIND_OTHER, record);
	if (entry->type == DRM_ENCODING)
		batch_put_bytes(cursor->batch, POLY_COLUMN_payload, row, entry->bytes,
			entry->size < 8 ? entry->size : 8);
	else
		batch_put(cursor->batch, value, row, entry->value);
}

/* Puts an encoding. */
static void
put_encoding(const struct drm_cursor *cursor, size_t row, const struct drm_encoding *encoding)
{
	struct batch *batch = cursor->batch;
	const uint64_t type = cursor->stream->front.file_type;
	const bool is_word = type & (DRM_AARCH64 | DRM_ARM);
	uint64_t opcode = 0;
	if (encoding->size > 8 || type & DRM_REGDEPS) {
		batch_put_bytes(
			batch, POLY_COLUMN_payload, row, encoding->bytes, encoding->size);
		return;
	}
	for (unsigned i = 0; i < encoding->size; i++)
		opcode = opcode << 8 | encoding->bytes[is_word ? encoding->size - 1 - i : i];
	batch_put(batch, opcode, row, opcode);
}

/* Returns whether a record is a branch whose target is not in its encoding. */
static bool
is_indirect(unsigned record)
{
	return record == DRM_INDIRECT_JUMP || record == DRM_INDIRECT_CALL ||
	       record == DRM_RETURN;
}

/* Puts the outcome of a branch at a pc. */
static void
put_branch(const struct drm_cursor *cursor, size_t row, const struct drm_entry *entry,
	bool has_encoding)
{
	struct batch *batch = cursor->batch;
	struct drm_stream *stream = cursor->stream;
	const bool is_conditional = entry->type == DRM_CONDITIONAL_JUMP;
	bool is_taken = entry->type != DRM_UNTAKEN_JUMP;
	const bool is_stated = is_indirect(entry->type) && stream->has_target && stream->target;
	uint64_t next = stream->target;
	bool has_next = is_stated;
	if (is_conditional || (is_taken && !has_next && !has_encoding))
		has_next = drm_find_next(cursor, &next);
	if (is_conditional && !has_next)
		return;
	if (is_conditional)
		is_taken = next != entry->value + entry->size;
	batch_put(batch, branch, row,
		(uint8_t)(is_taken ? POLY_BRANCH_TAKEN : POLY_BRANCH_NOT_TAKEN));
	if (is_taken && has_next)
		batch_put(batch, target, row, next);
	if (is_stated)
		batch_put(batch, next_pc, row, next);
}

static bool
is_branch(unsigned type)
{
	return (type >= DRM_DIRECT_JUMP && type <= DRM_RETURN) || type == DRM_TAKEN_JUMP ||
	       type == DRM_UNTAKEN_JUMP;
}

/* Finds the encoding of an instruction, NULL if there is none, and tests the rules on it. */
static enum poly_status
find_encoding(const struct drm_cursor *cursor, const struct drm_entry *entry,
	const struct drm_encoding **encoding, struct poly_error *error)
{
	struct drm_stream *stream = cursor->stream;
	const uint64_t type = stream->front.file_type;
	if (stream->encodings.next.size && !(type & DRM_ENCODINGS)) {
		drm_find(cursor, DRM_R04, "an encoding, although file type 0x%llx has none",
			(unsigned long long)type);
		stream->encodings.next.size = 0;
	}
	const enum poly_status status =
		drm_encoding_find(&stream->encodings, entry->value, encoding, error);
	if (status != POLY_OK || !(type & DRM_ENCODINGS) || type & DRM_REGDEPS)
		return status;
	if (!*encoding && !(type & DRM_CORE_SHARDED))
		drm_find(cursor, DRM_R05, "no encoding of the instruction at 0x%llx",
			(unsigned long long)entry->value);
	if (*encoding && (*encoding)->size != entry->size) {
		drm_find(cursor, DRM_R04, "an encoding of %u bytes (expected %u)",
			(*encoding)->size, entry->size);
		*encoding = NULL;
	}
	return POLY_OK;
}

/* Adds the row of an instruction that was fetched. */
static enum poly_status
add_fetched(const struct drm_cursor *cursor, const struct drm_entry *entry,
	struct poly_error *error)
{
	struct batch *batch = cursor->batch;
	struct drm_stream *stream = cursor->stream;
	const struct drm_encoding *encoding;
	const enum poly_status status = find_encoding(cursor, entry, &encoding, error);
	if (status != POLY_OK)
		return status;
	if (cursor->reading->check)
		drm_check_instruction(cursor, entry, encoding);
	drm_current(cursor)->instructions++;
	const size_t row = add_visible(cursor, POLY_KIND_INSTRUCTION, entry->type);
	batch_put(batch, pc, row, entry->value);
	batch_put(batch, opcode_size, row, (uint8_t)entry->size);
	batch_put(batch, instruction_id, row, drm_current(cursor)->instructions);
	if (encoding)
		put_encoding(cursor, row, encoding);
	if (is_branch(entry->type)) {
		put_branch(cursor, row, entry,
			encoding && !(stream->front.file_type & DRM_REGDEPS));
		stream->has_target = false;
	}
	return POLY_OK;
}

/* Reads an instruction. */
static enum poly_status
read_instruction(const struct drm_cursor *cursor, const struct drm_entry *entry,
	struct poly_error *error)
{
	struct drm_thread *thread = drm_current(cursor);
	struct drm_entry fetched = *entry;
	const bool repeats = thread->has_pc && thread->pc == entry->value;
	if (entry->size > INSTRUCTION_MAX)
		return drm_fail(cursor, DRM_R02, error,
			"an instruction of %u bytes (expected at most %u)", entry->size,
			INSTRUCTION_MAX);
	if (entry->type == DRM_MAYBE_FETCH)
		fetched.type = repeats ? DRM_NO_FETCH : DRM_INSTR;
	thread->has_pc = true;
	thread->pc = entry->value;
	thread->pc_size = entry->size;
	/* Of filtered traces: the pc of the accesses that follow. */
	if (!entry->size && fetched.type != DRM_NO_FETCH) {
		add_hidden(cursor, fetched.type, entry);
		return POLY_OK;
	}
	if (fetched.type != DRM_NO_FETCH)
		return add_fetched(cursor, &fetched, error);
	const size_t row = add_visible(cursor, POLY_KIND_OTHER, DRM_NO_FETCH);
	batch_put(cursor->batch, pc, row, entry->value);
	if (entry->size)
		batch_put(cursor->batch, opcode_size, row, (uint8_t)entry->size);
	cursor->stream->encodings.next.size = 0;
	return POLY_OK;
}

/* Reads the next instruction of a bundle; *is_used: its last one. */
static enum poly_status
read_bundle(const struct drm_cursor *cursor, const struct drm_entry *entry, bool *is_used,
	struct poly_error *error)
{
	struct drm_stream *stream = cursor->stream;
	const struct drm_thread *thread = drm_current(cursor);
	if (!entry->size || entry->size > DRM_BUNDLE_MAX || !thread->has_pc)
		return drm_fail(cursor, DRM_R02, error,
			"a bundle of %u instructions%s (expected 1 to %u after another one)",
			entry->size, thread->has_pc ? "" : " without a pc", DRM_BUNDLE_MAX);
	const struct drm_entry each = {DRM_INSTR, entry->bytes[stream->expanded],
		thread->pc + thread->pc_size, entry->bytes};
	*is_used = ++stream->expanded == entry->size;
	if (*is_used)
		stream->expanded = 0;
	return read_instruction(cursor, &each, error);
}

static void
read_data(const struct drm_cursor *cursor, const struct drm_entry *entry)
{
	struct batch *batch = cursor->batch;
	const struct drm_thread *thread = drm_current(cursor);
	const size_t row = add_visible(cursor, POLY_KIND_ACCESS, entry->type);
	batch_put(batch, access, row,
		(uint8_t)(entry->type == DRM_READ    ? POLY_ACCESS_READ
			  : entry->type == DRM_WRITE ? POLY_ACCESS_WRITE
						     : POLY_ACCESS_PREFETCH));
	batch_put(batch, address, row, entry->value);
	if (entry->size)
		batch_put(batch, size, row, entry->size);
	if (thread->has_pc)
		batch_put(batch, pc, row, thread->pc);
}

/* Adds the row of a flush that began at flush_start; size 0: unknown. */
static void
add_flush(struct drm_cursor *cursor, unsigned record, uint64_t size)
{
	struct drm_stream *stream = cursor->stream;
	struct batch *batch = cursor->batch;
	const struct drm_thread *thread = drm_current(cursor);
	const uint64_t offset = cursor->offset;
	cursor->offset = stream->flush_origin;
	const size_t row = add_visible(cursor, POLY_KIND_ACCESS, record);
	cursor->offset = offset;
	batch_put(batch, access, row, POLY_ACCESS_CACHE);
	batch_put(batch, address, row, stream->flush_start);
	if (size && size <= UINT32_MAX)
		batch_put(batch, size, row, (uint32_t)size);
	if (thread->has_pc)
		batch_put(batch, pc, row, thread->pc);
	stream->in_flush = false;
}

/* Reads a flush: an entry with its size, or two. */
static void
read_flush(struct drm_cursor *cursor, const struct drm_entry *entry)
{
	struct drm_stream *stream = cursor->stream;
	const bool is_end = entry->type == DRM_IFLUSH_END || entry->type == DRM_DFLUSH_END;
	if (is_end && !stream->in_flush) {
		drm_find(cursor, DRM_R08, "the end of a flush without a start");
		stream->flush_start = entry->value;
		stream->flush_origin = cursor->offset;
		add_flush(cursor, entry->type, 0);
	} else if (is_end) {
		add_flush(cursor, stream->flush, entry->value - stream->flush_start);
	} else {
		stream->in_flush = true;
		stream->flush = entry->type;
		stream->flush_start = entry->value;
		stream->flush_origin = cursor->offset;
		if (entry->size)
			add_flush(cursor, entry->type, entry->size);
	}
}

/* Switches to a thread. */
static enum poly_status
switch_thread(struct drm_cursor *cursor, uint64_t tid, struct poly_error *error)
{
	struct drm_stream *stream = cursor->stream;
	bool added = false;
	if (!tid)
		drm_find(cursor, DRM_R06, "thread id 0");
	if (stream->count == DRM_THREADS_MAX && !map_find(&stream->by_tid, tid))
		return err_set(error, POLY_ERR_LIMIT, cursor->offset, "more than %u threads",
			DRM_THREADS_MAX);
	const uint64_t *index = map_get(&stream->by_tid, tid, stream->count, &added);
	if (!index ||
		(added && !VEC_ROOM_ZEROED(stream->list, stream->capacity, stream->count)))
		return err_memory(error);
	if (added)
		stream->list[stream->count++] = (struct drm_thread){.tid = tid};
	stream->current = (uint32_t)*index;
	return POLY_OK;
}

/* Reads an entry that has no row of its own. */
static enum poly_status
read_state(struct drm_cursor *cursor, const struct drm_entry *entry, struct poly_error *error)
{
	struct drm_stream *stream = cursor->stream;
	enum poly_status status = POLY_OK;
	if (entry->type == DRM_THREAD) {
		status = switch_thread(cursor, entry->value, error);
	} else if (entry->type == DRM_PID) {
		drm_current(cursor)->pid = entry->value;
		drm_current(cursor)->has_pid = true;
		if (!entry->value)
			drm_find(cursor, DRM_R06, "process id 0");
	} else if (entry->type == DRM_HEADER) {
		if (!entry->value || entry->value > DRM_VERSION_MAX)
			return drm_fail(cursor, DRM_R01, error,
				"a header of version %llu (expected 1 to %u)",
				(unsigned long long)entry->value, DRM_VERSION_MAX);
		if (entry->value != stream->front.version)
			drm_find(cursor, DRM_R10, "version %llu after version %llu",
				(unsigned long long)entry->value,
				(unsigned long long)stream->front.version);
		stream->front.version = entry->value;
	} else if (entry->type == DRM_ENCODING &&
		   !drm_encoding_add(&stream->encodings, entry)) {
		return drm_fail(cursor, DRM_R02, error,
			"an encoding of %u and %u bytes (expected 1 to 8, and at most %u in "
			"all)",
			stream->encodings.next.size, entry->size, DRM_ENCODING_MAX);
	}
	if (status == POLY_OK)
		add_hidden(cursor, entry->type, entry);
	return status;
}

/* Applies what a marker states to the thread and the stream. */
static void
apply_marker(const struct drm_cursor *cursor, const struct drm_entry *entry)
{
	struct drm_stream *stream = cursor->stream;
	struct drm_thread *thread = drm_current(cursor);
	const uint64_t value = entry->value;
	switch (entry->size) {
	case DRM_TIMESTAMP:
		thread->has_time = true;
		thread->time = value;
		break;
	case DRM_CPU_ID:
		thread->has_cpu = value != UINT64_MAX && value != UINT32_MAX;
		thread->cpu = (uint32_t)value & CPU_MASK;
		break;
	case DRM_FILE_TYPE:
		if (stream->front.has_file_type && value != stream->front.file_type)
			drm_find(cursor, DRM_R10, "file type 0x%llx after 0x%llx",
				(unsigned long long)value,
				(unsigned long long)stream->front.file_type);
		stream->front.has_file_type = true;
		stream->front.file_type = value;
		break;
	case DRM_VERSION:
		if (value != stream->front.version)
			drm_find(cursor, DRM_R10, "version %llu after version %llu",
				(unsigned long long)value,
				(unsigned long long)stream->front.version);
		break;
	case DRM_CHUNK_COUNT: stream->front.chunk = value; break;
	case DRM_SYSCALL_TRACE_START:
	case DRM_SWITCH_START: stream->in_kernel = true; break;
	case DRM_FILTER_ENDPOINT: stream->is_unfiltered = true; break;
	case DRM_SPLIT_VALUE:
	case DRM_SYSCALL_INDEX:
	case DRM_MIDBLOCK_END:
	case DRM_KERNEL_EVENT_RAW:
		drm_find(cursor, DRM_R07, "marker %s",
			drm_records[DRM_RECORD_MARKER + entry->size]);
		break;
	default: break;
	}
}

/* Returns whether a marker has no row: branch targets, ordinals, and what repeats the last
 * values before a chunk. */
static bool
is_hidden(const struct drm_cursor *cursor, const struct drm_entry *entry)
{
	struct drm_stream *stream = cursor->stream;
	struct drm_thread *thread = drm_current(cursor);
	bool *drops = entry->size == DRM_TIMESTAMP ? &thread->drops_time
		      : entry->size == DRM_CPU_ID  ? &thread->drops_cpu
						   : NULL;
	if (entry->size == DRM_BRANCH_TARGET) {
		stream->has_target = true;
		stream->target = entry->value;
		return true;
	}
	if (entry->size == DRM_RECORD_ORDINAL) {
		if (stream->last != DRM_MARKER || stream->marker != DRM_CHUNK_FOOTER)
			drm_find(cursor, DRM_R09,
				"record_ordinal %llu without chunk_footer before, the chunk is "
				"truncated",
				(unsigned long long)entry->value);
		return true;
	}
	if (entry->size == DRM_CHUNK_FOOTER && stream->front.chunk)
		thread->drops_time = thread->drops_cpu = true;
	if (!drops || !*drops)
		return false;
	*drops = false;
	return true;
}

static void
read_marker(const struct drm_cursor *cursor, const struct drm_entry *entry)
{
	struct batch *batch = cursor->batch;
	const bool is_known = entry->size < DRM_MARKERS;
	const bool is_idle = entry->size == DRM_CORE_WAIT || entry->size == DRM_CORE_IDLE;
	const unsigned record =
		is_known ? DRM_RECORD_MARKER + entry->size : (unsigned)DRM_RECORD_OTHER;
	if (is_hidden(cursor, entry)) {
		add_hidden(cursor, record, entry);
		return;
	}
	apply_marker(cursor, entry);
	cursor->stream->is_idle = is_idle;
	const size_t row = add_visible(cursor, POLY_KIND_EVENT, record);
	cursor->stream->is_idle = false;
	batch_put(batch, value, row, entry->value);
	if (!is_known) {
		char number[8];
		const int n = snprintf(number, sizeof number, "%u", entry->size);
		batch_put_bytes(batch, POLY_COLUMN_text, row, number, (size_t)n);
	}
	if (entry->size == DRM_SYSCALL_TRACE_END || entry->size == DRM_SWITCH_END)
		cursor->stream->in_kernel = false;
}

static void
read_exit(const struct drm_cursor *cursor, const struct drm_entry *entry)
{
	const size_t row = add_visible(cursor, POLY_KIND_EVENT, DRM_THREAD_EXIT);
	batch_put(cursor->batch, value, row, entry->value);
}

/* Reads an entry; *is_used: it is consumed. */
static enum poly_status
read_entry(struct drm_cursor *cursor, const struct drm_entry *entry, bool *is_used,
	struct poly_error *error)
{
	struct drm_stream *stream = cursor->stream;
	if (entry->type >= DRM_TYPES)
		return drm_fail(cursor, DRM_R02, error,
			"an entry of type %u (expected 0 to %u)", entry->type, DRM_TYPES - 1);
	if (stream->in_flush && entry->type != stream->flush + 1) {
		drm_find(cursor, DRM_R08, "%s after the start of a flush (expected its end)",
			drm_records[entry->type]);
		add_flush(cursor, stream->flush, 0);
		*is_used = false;
		return POLY_OK;
	}
	if (cursor->reading->check && !stream->expanded)
		drm_check_entry(cursor, entry);
	switch ((enum drm_class)drm_classes[entry->type]) {
	case DRM_CLASS_STATE: return read_state(cursor, entry, error);
	case DRM_CLASS_DATA: read_data(cursor, entry); break;
	case DRM_CLASS_INSTRUCTION:
		if (entry->type == DRM_BUNDLE)
			return read_bundle(cursor, entry, is_used, error);
		return read_instruction(cursor, entry, error);
	case DRM_CLASS_FLUSH: read_flush(cursor, entry); break;
	case DRM_CLASS_EXIT: read_exit(cursor, entry); break;
	case DRM_CLASS_MARKER: read_marker(cursor, entry); break;
	}
	return POLY_OK;
}

/* Adds a finding of the end of the entries. */
static void
find_truncation(const struct drm_cursor *cursor, const char *what)
{
	const struct drm_stream *stream = cursor->stream;
	findings_add_truncation(cursor->reading->findings, DRM_R03,
		cursor->reading->record + cursor->batch->view.rows + 1, cursor->offset,
		"%.120s%sthe trace is truncated %s", stream->name ? stream->name : "",
		stream->name ? ": " : "", what);
}

/* Adds a row of n corrupt bytes, and consumes them. */
static void
add_corrupt(const struct drm_cursor *cursor, const uint8_t *p, size_t n)
{
	struct batch *batch = cursor->batch;
	const size_t row = batch->view.rows++;
	batch_put(batch, kind, row, POLY_KIND_OTHER);
	batch_put(batch, record, row, DRM_RECORD_CORRUPT);
	batch_put(batch, origin, row, cursor->offset);
	batch_put_bytes(batch, POLY_COLUMN_raw, row, p, n);
	in_consume(cursor->stream->in, n);
}

/* Ends the entries; the n bytes at p are not a complete one. */
static enum poly_status
end_entries(struct drm_cursor *cursor, const uint8_t *p, size_t n, struct poly_error *error)
{
	struct drm_stream *stream = cursor->stream;
	const enum poly_status status = in_status(stream->in, error);
	if (status != POLY_END && status != POLY_ERR_TRUNCATED)
		return status;
	if (stream->in_flush) {
		add_flush(cursor, stream->flush, 0);
		return POLY_OK;
	}
	if (n) {
		find_truncation(cursor, "within an entry");
		add_corrupt(cursor, p, n);
		stream->has_ended = true;
		return POLY_OK;
	}
	if (status == POLY_END && !stream->has_ended && stream->last != DRM_FOOTER)
		find_truncation(cursor, "before the footer");
	stream->has_ended = true;
	return status;
}

/* Returns whether an entry is the next timestamp of a file that is merged. */
static bool
ends_turn(struct drm_stream *stream, const struct drm_entry *entry)
{
	const struct drm_thread *thread = &stream->list[stream->current];
	if (!stream->is_merged || entry->type != DRM_MARKER || entry->size != DRM_TIMESTAMP ||
		thread->drops_time)
		return false;
	if (stream->at_due) {
		stream->at_due = false;
		return false;
	}
	stream->due = entry->value;
	stream->at_due = true;
	return true;
}

enum poly_status
drm_stream_read(struct drm_cursor *cursor, struct poly_error *error)
{
	struct drm_stream *stream = cursor->stream;
	enum poly_status status = POLY_OK;
	while (status == POLY_OK && cursor->batch->view.rows < cursor->batch->capacity) {
		size_t have;
		bool is_used = true;
		const uint8_t *p = in_peek(stream->in, DRM_ENTRY_SIZE, &have);
		cursor->offset = in_offset(stream->in);
		if (have < DRM_ENTRY_SIZE) {
			status = end_entries(cursor, p, have, error);
			continue;
		}
		const struct drm_entry entry = drm_load(p);
		if (ends_turn(stream, &entry))
			return POLY_OK;
		status = read_entry(cursor, &entry, &is_used, error);
		if (status != POLY_OK || !is_used)
			continue;
		in_consume(stream->in, DRM_ENTRY_SIZE);
		stream->last = entry.type;
		stream->marker = entry.size;
	}
	return status;
}

enum poly_status
drm_stream_resync(struct drm_cursor *cursor, struct poly_error *error)
{
	struct drm_stream *stream = cursor->stream;
	size_t have;
	const uint8_t *p = in_peek(stream->in, DRM_ENTRY_SIZE, &have);
	cursor->offset = in_offset(stream->in);
	if (!have)
		return in_status(stream->in, error);
	have = have < DRM_ENTRY_SIZE ? have : DRM_ENTRY_SIZE;
	stream->encodings.next.size = 0;
	stream->expanded = 0;
	add_corrupt(cursor, p, have);
	return POLY_OK;
}

enum poly_status
drm_stream_begin(struct drm_stream *stream, struct poly_error *error)
{
	stream->due = stream->front.due;
	stream->at_due = stream->front.has_due;
	if (!VEC_ROOM_ZEROED(stream->list, stream->capacity, 0))
		return err_memory(error);
	stream->count = 1;
	return POLY_OK;
}

void
drm_stream_end(struct drm_stream *stream)
{
	map_free(&stream->by_tid);
	mem_free(stream->list);
	drm_encodings_free(&stream->encodings);
}
