/* SPDX-License-Identifier: MIT */
/*
 * Writes AIX traces: bare events, streams, new logs and reproduced logs.
 *
 * spec: AIX <sys/trchdr.h>.
 */
#include "format/aix/aix.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/vec.h"

#include <string.h>

/* Maximum number of zeros that replace bytes which no row holds. */
#define HOLE_MAX ((uint64_t)1 << 30)

/* Restores the heap order: the lowest offset on top. */
static void
sift_up(struct aix_extent *heap, size_t i)
{
	while (i && heap[(i - 1) / 2].offset > heap[i].offset) {
		struct aix_extent extent = heap[i];
		heap[i] = heap[(i - 1) / 2];
		heap[(i - 1) / 2] = extent;
		i = (i - 1) / 2;
	}
}

static void
sift_down(struct aix_extent *heap, size_t count)
{
	for (size_t i = 0;;) {
		size_t first = i;
		for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < count; child++) {
			if (heap[child].offset < heap[first].offset)
				first = child;
		}
		if (first == i)
			return;
		struct aix_extent extent = heap[i];
		heap[i] = heap[first];
		heap[first] = extent;
		i = first;
	}
}

/* Moves the pending extent to the heap; false: out of memory. */
static bool
push_pending(struct aix_writer *writer)
{
	if (!writer->pending.size)
		return true;
	if (!VEC_ROOM(writer->heap, writer->capacity, writer->count))
		return false;
	writer->heap[writer->count++] = writer->pending;
	writer->pending.size = 0;
	sift_up(writer->heap, writer->count - 1);
	return true;
}

/* Stores bytes that follow unwritten ones. */
static enum poly_status
hold_bytes(struct aix_writer *writer, uint64_t offset, const uint8_t *p, size_t n,
	struct poly_error *error)
{
	struct aix_extent *pending = &writer->pending;
	if (!writer->spool && !(writer->spool = spill_buffer_new(AIX_SPOOL_MEMORY)))
		return err_memory(error);
	if (pending->size && pending->offset + pending->size != offset && !push_pending(writer))
		return err_memory(error);
	if (!pending->size)
		*pending = (struct aix_extent){offset, 0, spill_buffer_size(writer->spool)};
	pending->size += n;
	return spill_buffer_append(writer->spool, p, n, error);
}

/* Writes the extents that are next. Overlapping extents hold the same bytes. */
static enum poly_status
write_held_extents(struct writing *writing, struct poly_error *error)
{
	struct aix_writer *writer = writing->state;
	enum poly_status status = POLY_OK;
	while (status == POLY_OK && writer->count && writer->heap[0].offset <= writer->done) {
		struct aix_extent extent = writer->heap[0];
		writer->heap[0] = writer->heap[--writer->count];
		sift_down(writer->heap, writer->count);
		uint64_t over = writer->done - extent.offset;
		if (over >= extent.size)
			continue;
		status = aix_unspool(writing, extent.place + over, extent.size - over, error);
		writer->done += extent.size - over;
	}
	return status;
}

enum poly_status
aix_write_at(struct writing *writing, uint64_t offset, const uint8_t *p, size_t n,
	struct poly_error *error)
{
	struct aix_writer *writer = writing->state;
	if (offset > writer->done)
		return hold_bytes(writer, offset, p, n, error);
	uint64_t over = writer->done - offset;
	if (over >= n)
		return POLY_OK;
	out_write(writing->out, p + over, n - (size_t)over);
	writer->done += n - over;
	/* The pending extent may be next. */
	if (writer->pending.size && writer->pending.offset <= writer->done &&
		!push_pending(writer))
		return err_memory(error);
	return write_held_extents(writing, error);
}

enum poly_status
aix_write_held(struct writing *writing, struct poly_error *error)
{
	struct aix_writer *writer = writing->state;
	enum poly_status status = push_pending(writer) ? POLY_OK : err_memory(error);
	if (status == POLY_OK)
		status = write_held_extents(writing, error);
	while (status == POLY_OK && writer->count) {
		uint64_t hole = writer->heap[0].offset - writer->done;
		if (hole > HOLE_MAX)
			return err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
				"no row holds the %llu bytes of the log at %llu; set "
				"aix.container=log to write a new log",
				(unsigned long long)hole, (unsigned long long)writer->done);
		writing_note(writing, "parts of the log that no row holds were filled with 0");
		for (writer->done += hole; hole;) {
			size_t extent = hole < OUT_ROOM_MAX ? (size_t)hole : OUT_ROOM_MAX;
			memset(out_room(writing->out, extent), 0, extent);
			out_commit(writing->out, extent);
			hole -= extent;
		}
		status = write_held_extents(writing, error);
	}
	return status;
}

static const char *
own_fact(const struct writing *writing, const char *key)
{
	const char *fact = writing->own_raw ? poly_trace_fact(writing->source, key) : NULL;
	return fact ? fact : "";
}

/* Chooses the form of entries by the options and the source. */
static void
choose_form(struct aix_writer *writer, const struct writing *writing)
{
	const uint64_t word = writing->options[AIX_OPTION_WORD],
		       tid = writing->options[AIX_OPTION_TID],
		       length = writing->options[AIX_OPTION_LENGTH];
	const char *own = own_fact(writing, "aix.word");
	struct aix_form *form = &writer->encoder.form;
	writer->word_known =
		word || *own || writing->options[AIX_OPTION_CONTAINER] == AIX_STREAM;
	form->wide = word ? word == AIX_WORD_64 : strcmp(own, "64") == 0;
	form->wide |= writing->options[AIX_OPTION_CONTAINER] == AIX_STREAM;
	form->has_tid =
		tid ? tid == AIX_TID_YES : strcmp(own_fact(writing, "aix.tid"), "no") != 0;
	form->length_is_data = length ? length == AIX_LENGTH_DATA
				      : strcmp(own_fact(writing, "aix.len64g"), "data") == 0;
}

/* Returns whether the entries have the form of the source's. */
static bool
has_own_form(const struct writing *writing)
{
	const struct aix_writer *writer = writing->state;
	const struct aix_form *form = &writer->encoder.form;
	return strcmp(own_fact(writing, "aix.word"), form->wide ? "64" : "32") == 0 &&
	       (form->wide || strcmp(own_fact(writing, "aix.tid"), "no") != 0) ==
		       (form->wide || form->has_tid) &&
	       (strcmp(own_fact(writing, "aix.len64g"), "data") == 0) == form->length_is_data;
}

/* Chooses the container by the first row; batch is NULL if the trace has no rows. */
static void
choose_container(struct writing *writing, const struct poly_batch *batch)
{
	struct aix_writer *writer = writing->state;
	const char *own = own_fact(writing, "aix.container");
	enum aix_container container =
		(enum aix_container)writing->options[AIX_OPTION_CONTAINER];
	bool headed = batch && aix_record_of(writing, batch, 0) == AIX_HEADER;
	bool raw = strcmp(own, "raw") == 0;
	/* The header of a log names blocks that a selection does not have. */
	const bool is_log = !raw && strcmp(own, "stream") != 0;
	writer->is_log = is_log;
	writer->own_form = *own && has_own_form(writing);
	if (!container && writer->own_form && (raw || headed) && !(is_log && writing->selected))
		container = AIX_SAME;
	else if (!container)
		container = raw ? AIX_RAW : strcmp(own, "stream") == 0 ? AIX_STREAM : AIX_LOG;
	writer->container = container;
	writer->left = UINT64_MAX;
	if (container == AIX_STREAM) {
		uint8_t magic[4];
		store_be32(magic, AIX_MAGIC_STREAM);
		out_write(writing->out, magic, sizeof magic);
		writer->encoder.form.wide = writer->word_known = true;
	}
}

enum poly_status
aix_wopen(struct writing *writing, struct poly_error *error)
{
	struct aix_writer *writer = writing->state;
	choose_form(writer, writing);
	const char *mode = own_fact(writing, "aix.mode");
	uint64_t bits;
	if (num_parse(mode, strlen(mode), &bits))
		writer->mode = (uint32_t)bits;
	/* The source's own hooks identify the processes. */
	if (writing->own_raw)
		writing->uses = poly_columns_minus(writing->uses, POLY_COLUMNS(process));
	if (writing->options[AIX_OPTION_CONTAINER] == AIX_STREAM &&
		writing->options[AIX_OPTION_WORD] == AIX_WORD_32)
		return err_usage(
			error, "a stream has hook words of 64 bits, but aix.word is 32");
	return POLY_OK;
}

/* Writes bytes at the current offset of the log, and advances it. */
static enum poly_status
write_next(struct writing *writing, const uint8_t *p, size_t n, struct poly_error *error)
{
	struct aix_writer *writer = writing->state;
	if (n > writer->left)
		return err_set(error, POLY_ERR_LOSS, writer->at,
			"the block has %llu bytes left, the entry has %zu; set "
			"aix.container=log to write a new log",
			(unsigned long long)writer->left, n);
	uint64_t at = writer->at;
	writer->at += n;
	writer->left -= writer->left == UINT64_MAX ? 0 : n;
	return aix_write_at(writing, at, p, n, error);
}

/* Writes a row that is not an entry, in a log that is reproduced. */
static enum poly_status
write_non_event(struct writing *writing, const struct poly_batch *batch, size_t row,
	unsigned record, struct poly_error *error)
{
	struct aix_writer *writer = writing->state;
	enum poly_column column = record == AIX_CORRUPT ? POLY_COLUMN_raw : POLY_COLUMN_payload;
	size_t n;
	/* A stream has one header, and no blocks; bare events have neither. */
	if (!writer->is_log && (record != AIX_HEADER || writer->at) && record != AIX_CORRUPT) {
		if (record == AIX_HEADER)
			writing_note(writing, "headers of traces after the first were dropped");
		if (record == AIX_GAP)
			writing_note(writing, "bytes that no block holds were dropped");
		return POLY_OK;
	}
	if (record == AIX_BLOCK || record == AIX_GAP) {
		if (!poly_present(batch, POLY_COLUMN_address, row))
			return writing_lacks(batch, row, "address", error);
		writer->at = batch->address[row];
		writer->left = UINT64_MAX;
	}
	if (record == AIX_BLOCK) {
		bool sized = poly_present(batch, POLY_COLUMN_size, row) &&
			     batch->size[row] != UINT32_MAX;
		writer->left = sized ? batch->size[row] : UINT64_MAX;
		return POLY_OK;
	}
	if (!poly_present(batch, column, row))
		return writing_lacks(batch, row, poly_column_name(column), error);
	const uint8_t *p = poly_batch_bytes(batch, column, row, &n);
	return write_next(writing, p, n, error);
}

static enum poly_status
write_entry(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	struct aix_writer *writer = writing->state;
	struct buf *bytes = &writer->encoder.bytes;
	if (!writer->word_known)
		writer->encoder.form.wide = aix_record_of(writing, batch, row) == AIX_HOOK64 ||
					    aix_needs_wide(batch, row);
	writer->word_known = true;
	enum poly_status status = aix_encode(writing, batch, row, error);
	if (status != POLY_OK)
		return status;
	if (writer->container == AIX_SAME)
		return write_next(writing, bytes->data, bytes->size, error);
	if (writer->container == AIX_LOG)
		return aix_log_add(writing, batch, row, error);
	out_write(writing->out, bytes->data, bytes->size);
	return POLY_OK;
}

static enum poly_status
write_row(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	const struct aix_writer *writer = writing->state;
	unsigned record = aix_record_of(writing, batch, row);
	bool hooked = poly_present(batch, POLY_COLUMN_hook, row);
	bool event = poly_present(batch, POLY_COLUMN_kind, row)
			     ? batch->kind[row] == POLY_KIND_EVENT
			     : hooked;
	if (record >= AIX_HEADER && record < AIX_RECORD_COUNT) {
		if (writer->container == AIX_SAME)
			return write_non_event(writing, batch, row, record, error);
		if (record == AIX_CORRUPT)
			writing_note(writing, "corrupt entries were dropped");
		if (record == AIX_GAP)
			writing_note(writing, "bytes that no block holds were dropped");
		return POLY_OK;
	}
	if (hooked || event)
		return write_entry(writing, batch, row, error);
	writing_note(writing, "records that are not events were dropped");
	return POLY_OK;
}

enum poly_status
aix_write(struct writing *writing, const struct poly_batch *batch, struct poly_error *error)
{
	const struct aix_writer *writer = writing->state;
	enum poly_status status = POLY_OK;
	if (!writer->container)
		choose_container(writing, batch);
	for (size_t row = 0; status == POLY_OK && row < batch->rows; row++)
		status = write_row(writing, batch, row, error);
	return status;
}

enum poly_status
aix_wfinish(struct writing *writing, struct poly_error *error)
{
	const struct aix_writer *writer = writing->state;
	if (!writer->container)
		choose_container(writing, NULL);
	if (writer->container == AIX_SAME)
		return aix_write_held(writing, error);
	return writer->container == AIX_LOG ? aix_log_finish(writing, error) : POLY_OK;
}

void
aix_wclose(struct writing *writing)
{
	struct aix_writer *writer = writing->state;
	buf_free(&writer->encoder.bytes);
	spill_buffer_free(writer->spool);
	mem_free(writer->heap);
	mem_free(writer->blocks);
}
