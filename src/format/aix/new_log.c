/* SPDX-License-Identifier: MIT */
/*
 * Writes a new log. Its directory precedes the blocks and holds their sizes, so all entries are
 * spooled first.
 *
 * spec: AIX <sys/trchdr.h>.
 */
#include "format/aix/aix.h"

#include "base/err.h"
#include "base/vec.h"

/* Maximum number of blocks of a new log; the last one holds the remaining entries. */
#define BLOCKS_MAX ((size_t)1 << 15)

enum poly_status
aix_unspool(struct writing *writing, uint64_t place, uint64_t n, struct poly_error *error)
{
	const struct aix_writer *writer = writing->state;
	enum poly_status status = POLY_OK;
	while (n && status == POLY_OK) {
		size_t extent = n < OUT_ROOM_MAX ? (size_t)n : OUT_ROOM_MAX;
		uint8_t *room = out_room(writing->out, extent);
		status = spill_buffer_read(writer->spool, place, room, extent, error);
		if (status == POLY_OK)
			out_commit(writing->out, extent);
		place += extent;
		n -= extent;
	}
	return status;
}

static bool
new_block(struct aix_writer *writer)
{
	if (!VEC_ROOM(writer->blocks, writer->capacity, writer->count))
		return false;
	writer->blocks[writer->count++] = 0;
	return true;
}

/*
 * Compares the cpu id of a row of a per-CPU file with that which a reader derives. The new log
 * is not a per-CPU file if they differ, as those of joined files do.
 */
static void
check_cpu(struct writing *writing, const struct poly_batch *batch, size_t row)
{
	struct aix_writer *writer = writing->state;
	struct aix_event event;
	if (!(writer->mode & AIX_MODE_CPU_FILE) || !aix_event_of_row(batch, row, &event))
		return;
	aix_learn_cpu(&writer->cpu, writer->mode, &event);
	if (!event.has_cpu || (event.wide && event.type & AIX_FLAG_CPU))
		return;
	writer->cpu_events++;
	writer->cpus_differ |= writer->cpu.is_known && writer->cpu.id != event.cpu;
	if (writer->cpu.is_known && !writer->cpus_differ)
		return;
	for (; writer->cpu_events; writer->cpu_events--)
		writing_note(writing, "cpu ids of events were dropped");
}

enum poly_status
aix_log_add(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	struct aix_writer *writer = writing->state;
	const struct buf *bytes = &writer->encoder.bytes;
	check_cpu(writing, batch, row);
	if (!writer->spool && !(writer->spool = spill_buffer_new(AIX_SPOOL_MEMORY)))
		return err_memory(error);
	bool full = !writer->count ||
		    (writer->blocks[writer->count - 1] + bytes->size >
				    writing->options[AIX_OPTION_BLOCK] &&
			    writer->blocks[writer->count - 1] && writer->count < BLOCKS_MAX);
	if (full && !new_block(writer))
		return err_memory(error);
	writer->blocks[writer->count - 1] += bytes->size;
	return spill_buffer_append(writer->spool, bytes->data, bytes->size, error);
}

static uint32_t
magic_of(const struct aix_form *form)
{
	if (form->wide)
		return AIX_MAGIC_64;
	return form->has_tid ? AIX_MAGIC_32 : AIX_MAGIC_OLD;
}

enum poly_status
aix_log_finish(struct writing *writing, struct poly_error *error)
{
	struct aix_writer *writer = writing->state;
	uint8_t bytes[48];
	struct aix_header header = {.magic = magic_of(&writer->encoder.form),
		.entries = (uint32_t)writer->count,
		.mode = writer->mode & ~(writer->cpus_differ ? AIX_MODE_CPU_FILE : 0),
		.entry = writer->encoder.form.wide ? 16 : 8};
	header.size = aix_header_size(header.magic);
	uint64_t size = writer->spool ? spill_buffer_size(writer->spool) : 0,
		 at = aix_front_size(&header);
	if (!writer->encoder.form.wide && size > UINT32_MAX - at)
		return err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
			"the log would have %llu bytes, and one of 32-bit hook words has at "
			"most 4 GiB; aix.word=64 makes longer ones",
			(unsigned long long)(size + at));
	aix_header_store(&header, bytes);
	out_write(writing->out, bytes, header.size);
	for (size_t i = 0; i < writer->count; i++) {
		aix_entry_store(&header, bytes, at, writer->blocks[i]);
		out_write(writing->out, bytes, header.entry);
		at += writer->blocks[i];
	}
	return size ? aix_unspool(writing, 0, size, error) : POLY_OK;
}
