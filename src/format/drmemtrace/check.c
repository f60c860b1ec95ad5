/* SPDX-License-Identifier: MIT */
/* The rules of drmemtrace that reading does not need: what its own invariant checker tests. */
#include "format/drmemtrace/drmemtrace.h"

/* Low bits of an address that translation does not change. */
#define PAGE_OFFSET 0xfff

/* Tests the marker at the end of a chunk. */
static void
check_chunk(const struct drm_cursor *cursor, uint64_t number)
{
	struct drm_stream *stream = cursor->stream;
	if (number != stream->chunks)
		drm_find(cursor, DRM_R15, "the footer of chunk %llu (expected %llu)",
			(unsigned long long)number, (unsigned long long)stream->chunks);
	if (stream->front.chunk && stream->chunk_instructions != stream->front.chunk)
		drm_find(cursor, DRM_R15, "a chunk of %llu instructions (expected %llu)",
			(unsigned long long)stream->chunk_instructions,
			(unsigned long long)stream->front.chunk);
	stream->chunks = number + 1;
	stream->chunk_instructions = 0;
}

/* Tests a marker at which a trace of the kernel starts or ends. */
static void
check_kernel(const struct drm_cursor *cursor, const struct drm_entry *entry)
{
	const bool starts =
		entry->size == DRM_SYSCALL_TRACE_START || entry->size == DRM_SWITCH_START;
	if (starts == cursor->stream->in_kernel)
		drm_find(cursor, DRM_R18, "%s %s a trace of the kernel",
			drm_records[DRM_RECORD_MARKER + entry->size],
			starts ? "within" : "without");
}

static void
check_marker(const struct drm_cursor *cursor, const struct drm_entry *entry)
{
	struct drm_stream *stream = cursor->stream;
	struct drm_thread *thread = drm_current(cursor);
	const unsigned long long value = entry->value;
	switch (entry->size) {
	case DRM_TIMESTAMP:
		if (thread->has_time && entry->value < thread->time)
			drm_find(cursor, DRM_R13, "timestamp %llu after %llu", value,
				(unsigned long long)thread->time);
		break;
	case DRM_RECORD_ORDINAL:
		if (entry->value != stream->visible)
			drm_find(cursor, DRM_R14, "record_ordinal %llu after %llu records",
				value, (unsigned long long)stream->visible);
		break;
	case DRM_CHUNK_FOOTER: check_chunk(cursor, entry->value); break;
	case DRM_KERNEL_EVENT: thread->signals++; break;
	case DRM_KERNEL_XFER:
		if (!thread->signals)
			drm_find(cursor, DRM_R16, "kernel_xfer without kernel_event");
		thread->signals -= thread->signals > 0;
		break;
	case DRM_SYSCALL:
		if (stream->front.file_type & DRM_SYSCALL_NUMBERS && thread->is_known &&
			!thread->was_syscall)
			drm_find(cursor, DRM_R17,
				"syscall %llu after the instruction at 0x%llx", value,
				(unsigned long long)thread->pc);
		break;
	case DRM_SYSCALL_TRACE_START:
	case DRM_SYSCALL_TRACE_END:
	case DRM_SWITCH_START:
	case DRM_SWITCH_END: check_kernel(cursor, entry); break;
	case DRM_PHYSICAL_ADDRESS: stream->physical = entry->value; break;
	case DRM_VIRTUAL_ADDRESS:
		if ((entry->value ^ stream->physical) & PAGE_OFFSET)
			drm_find(cursor, DRM_R19, "virtual address 0x%llx at physical 0x%llx",
				value, (unsigned long long)stream->physical);
		break;
	default: break;
	}
}

/* Returns whether the next instruction may be anywhere after a marker. */
static bool
is_discontinuity(unsigned marker)
{
	switch (marker) {
	case DRM_KERNEL_EVENT:
	case DRM_KERNEL_XFER:
	case DRM_RSEQ_ABORT:
	case DRM_WINDOW_ID:
	case DRM_FILTER_ENDPOINT:
	case DRM_SYSCALL_TRACE_START:
	case DRM_SYSCALL_TRACE_END:
	case DRM_SWITCH_START:
	case DRM_SWITCH_END:
	case DRM_HARDWARE_EVENT:
	case DRM_HARDWARE_RETURN: return true;
	default: return false;
	}
}

/* Returns whether an entry is a record of its thread. */
static bool
is_record(const struct drm_entry *entry)
{
	return drm_classes[entry->type] != DRM_CLASS_STATE &&
	       (entry->type != DRM_MARKER ||
		       (entry->size != DRM_CORE_WAIT && entry->size != DRM_CORE_IDLE));
}

void
drm_check_entry(const struct drm_cursor *cursor, const struct drm_entry *entry)
{
	const struct drm_stream *stream = cursor->stream;
	struct drm_thread *thread = drm_current(cursor);
	const bool is_marker = entry->type == DRM_MARKER;
	if (thread->has_exited && is_record(entry))
		drm_find(cursor, DRM_R22, "%s after the exit of thread %llu",
			drm_records[entry->type], (unsigned long long)thread->tid);
	if ((entry->type == DRM_READ || entry->type == DRM_WRITE) &&
		stream->front.file_type & DRM_INSTRUCTIONS_ONLY)
		drm_find(cursor, DRM_R21, "%s in a trace of instructions",
			drm_records[entry->type]);
	const bool was_physical =
		stream->last == DRM_MARKER && stream->marker == DRM_PHYSICAL_ADDRESS;
	if (was_physical != (is_marker && entry->size == DRM_VIRTUAL_ADDRESS))
		drm_find(cursor, DRM_R19,
			was_physical ? "physical_address without virtual_address after it"
				     : "virtual_address without physical_address before it");
	if (is_marker)
		check_marker(cursor, entry);
	/* A thread of a file per core may have run on other cores. */
	if ((is_marker && is_discontinuity(entry->size)) ||
		(entry->type == DRM_THREAD && stream->front.file_type & DRM_CORE_SHARDED &&
			entry->value != thread->tid))
		thread->has_expected = false;
	thread->has_exited |= entry->type == DRM_THREAD_EXIT;
}

/* Returns whether an encoding is a system call of its instruction set. */
static bool
is_system_call(uint64_t file_type, const struct drm_encoding *encoding)
{
	const uint8_t *p = encoding->bytes;
	if (file_type & DRM_AARCH64)
		return (load_le32(p) & 0xffe0001f) == 0xd4000001; /* svc */
	/* syscall, sysenter, int 0x80 */
	return encoding->size == 2 && ((p[0] == 0x0f && (p[1] == 0x05 || p[1] == 0x34)) ||
					      (p[0] == 0xcd && p[1] == 0x80));
}

/* Stores where the instruction after this one is expected. */
static void
expect_next(const struct drm_cursor *cursor, const struct drm_entry *entry)
{
	const struct drm_stream *stream = cursor->stream;
	struct drm_thread *thread = drm_current(cursor);
	const bool is_indirect = entry->type == DRM_INDIRECT_JUMP ||
				 entry->type == DRM_INDIRECT_CALL || entry->type == DRM_RETURN;
	thread->is_target = is_indirect;
	thread->has_expected = entry->type == DRM_INSTR || entry->type == DRM_UNTAKEN_JUMP ||
			       (is_indirect && stream->has_target && stream->target);
	thread->expected = is_indirect ? stream->target : entry->value + entry->size;
	if (stream->front.version < DRM_VERSION_BRANCHES || stream->in_kernel)
		return;
	if (is_indirect && !stream->has_target)
		drm_find(cursor, DRM_R20, "%s without branch_target before it",
			drm_records[entry->type]);
	if (entry->type == DRM_CONDITIONAL_JUMP)
		drm_find(cursor, DRM_R20, "conditional_jump in version %llu",
			(unsigned long long)stream->front.version);
}

void
drm_check_instruction(const struct drm_cursor *cursor, const struct drm_entry *entry,
	const struct drm_encoding *encoding)
{
	struct drm_stream *stream = cursor->stream;
	struct drm_thread *thread = drm_current(cursor);
	const uint64_t type = stream->front.file_type;
	stream->chunk_instructions++;
	thread->is_known = encoding && type & (DRM_AARCH64 | DRM_X86_64 | DRM_X86_32) &&
			   !(type & DRM_REGDEPS);
	thread->was_syscall = thread->is_known && is_system_call(type, encoding);
	if (drm_is_filtered(stream)) {
		thread->has_expected = false;
		return;
	}
	if (thread->has_expected && entry->value != thread->expected)
		drm_find(cursor, thread->is_target ? DRM_R12 : DRM_R11,
			"an instruction at 0x%llx (expected 0x%llx%s)",
			(unsigned long long)entry->value, (unsigned long long)thread->expected,
			thread->is_target ? ", the target of the branch before" : "");
	expect_next(cursor, entry);
}
