/* SPDX-License-Identifier: MIT */
/* Reading segments in order. */
#include "format/ptz/file.h"

#include "base/bits.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/checksum.h"

#include <stdio.h>
#include <string.h>

/* Maximum threads that work on segments: the part of a segment has up to 100 MB. */
#define WORK_THREADS_MAX 16

/* Bytes of a large segment that are read at a time. */
#define PIECE ((size_t)8 << 20)

enum poly_status
ptz_open(struct reading *reading, struct poly_error *error)
{
	struct ptz_reader *state = reading->state;
	struct ptz_section section;
	const uint8_t *front = NULL;
	size_t have;
	state->records = mem_new(PTZ_RECORDS_MAX, sizeof *state->records);
	if (!state->records)
		return err_memory(error);
	/* Names that the trace added after its head are lost; their numbers are not. */
	for (unsigned i = 0; i < PTZ_RECORDS_MAX; i++)
		state->records[i] = "unnamed";
	reading->info->view.records = state->records;
	reading->info->view.raw_format = NULL;
	reading->info->view.columns = POLY_NO_COLUMNS;
	if (!checksum_available())
		return err_missing(error, "the format ptz", "libxxhash-dev");
	enum poly_status status = block_unpacker_new(&state->unpacker, error);
	if (status != POLY_OK)
		return status;
	const uint8_t *p = in_peek(reading->in, PTZ_MAGIC_SIZE, &have);
	if (have < PTZ_MAGIC_SIZE && memcmp(p, PTZ_MAGIC, have) == 0)
		return err_set(error, POLY_ERR_TRUNCATED, 0,
			"the packed trace is truncated within its magic");
	if (have < PTZ_MAGIC_SIZE || memcmp(p, PTZ_MAGIC, PTZ_MAGIC_SIZE) != 0)
		return err_set(error, POLY_ERR_FORMAT, 0,
			"the input does not start with the magic of a packed trace");
	in_consume(reading->in, PTZ_MAGIC_SIZE);
	state->chain_after.offset = PTZ_MAGIC_SIZE;
	/* A trace cannot be read without its head: truncation within it is an error. */
	const bool reported = state->reported;
	state->reported = true;
	status = ptz_peek_section(reading, &section, error);
	if (status == POLY_OK && section.tag != PTZ_TAG_HEAD)
		status = err_set(error, POLY_ERR_FORMAT, state->offset,
			"the packed trace does not start with a head section");
	if (status == POLY_OK && section.body != section.front)
		status = err_set(error, POLY_ERR_FORMAT, state->offset,
			"the head section has %llu bytes after its front, expected none",
			(unsigned long long)(section.body - section.front));
	if (status == POLY_OK)
		status = ptz_peek_front(reading, &section, &front, error);
	if (status == POLY_OK)
		status = ptz_parse_head(reading, front, section.front, error);
	if (status == POLY_OK)
		in_consume(reading->in, PTZ_HEADER_SIZE + section.front);
	poly_columns_add(&reading->info->view.columns, POLY_COLUMN_origin);
	state->reported = reported;
	return status == POLY_END
		       ? err_set(error, POLY_ERR_TRUNCATED, PTZ_MAGIC_SIZE,
				 "the packed trace is truncated within its head section")
		       : status;
}

/*
 * Reads the bytes of a segment's streams, which follow its front. POLY_END: the input ends
 * within them.
 */
static enum poly_status
read_streams(struct reading *reading, const struct ptz_section *section,
	const uint8_t **streams, struct poly_error *error)
{
	struct ptz_reader *state = reading->state;
	const size_t skip = PTZ_HEADER_SIZE + section->front;
	const size_t size = (size_t)section->body - section->front;
	size_t have = 0;
	if (skip + size <= IN_PEEK_MAX) {
		const uint8_t *p = in_peek(reading->in, skip + size, &have);
		*streams = p + skip;
		have = have < skip + size ? have - skip : size;
		if (have < size)
			in_consume(reading->in, skip + have);
	} else {
		in_consume(reading->in, skip);
		buf_clear(&state->bytes);
		/* Allocates no more than the input has. */
		while (have < size) {
			const size_t piece = size - have < PIECE ? size - have : PIECE;
			uint8_t *room = buf_reserve(&state->bytes, piece);
			if (!room)
				return err_memory(error);
			const size_t got = in_read(reading->in, room, piece);
			state->bytes.size += got;
			have += got;
			if (got < piece)
				break;
		}
		*streams = state->bytes.data;
	}
	if (have == size)
		return POLY_OK;
	ptz_report_truncated_section(reading, section, skip + have, state->number);
	return POLY_END;
}

/* Starts the prefetch threads if a second segment, after one of rows rows, is needed. */
static void
start_prefetch(struct reading *reading, const struct ptz_section *section, uint32_t rows,
	poly_columns wanted)
{
	struct ptz_reader *state = reading->state;
	const bool works = reading->work_count && !reading->weighted;
	const struct ptz_prefetch_plan plan = {.in = reading->in,
		.wanted = wanted,
		.column_map = state->column_map,
		.column_count = state->column_count,
		.end = reading->end,
		.threads = works && reading->threads > WORK_THREADS_MAX ? WORK_THREADS_MAX
									: reading->threads,
		.work = {reading->work, works ? reading->work_count : 0, state->batch->wanted,
			state->batch->capacity, state->records,
			(unsigned)reading->info->view.record_count}};
	if (state->prefetch || state->prefetch_failed || reading->threads < 2 ||
		reading->record + rows >= reading->end || !in_is_random(reading->in) ||
		!ptz_prefetch_is_useful(
			reading->in, state->offset + PTZ_HEADER_SIZE + section->body))
		return;
	state->prefetch = ptz_prefetch_new(&plan);
	state->prefetch_columns = wanted;
	state->prefetch_failed = !state->prefetch;
}

/* Takes the current segment from the prefetch. Returns false, without effect, if it cannot. */
static bool
take_prefetched(struct reading *reading, const struct ptz_section *section,
	const uint8_t *front, poly_columns wanted)
{
	struct ptz_reader *state = reading->state;
	struct unpacked *segment = &state->segment;
	const struct ptz_reached reached = {state->offset, section, reading->record};
	if (section->front >= PTZ_FRONT_SIZE)
		start_prefetch(reading, section, load_le32(front + 8), wanted);
	if (!state->prefetch || !poly_columns_equal(state->prefetch_columns, wanted) ||
		!ptz_prefetch_take(state->prefetch, &reached, segment, &state->result))
		return false;
	/* With a result, the rows had the names of a thread. */
	const enum poly_status status =
		state->result.count ? unpacked_add_names(segment, reading->info, NULL)
				    : unpacked_resolve_names(segment, reading->info, NULL);
	if (status != POLY_OK) {
		unpacked_clear(segment);
		decoder_result_clear(&state->result);
		return false;
	}
	if (state->result.count)
		unpacked_clear(segment);
	state->skipped = ptz_skip_section(reading, section);
	return true;
}

/* Loads the current segment, whose header and front are next, and skips it. */
static enum poly_status
load_segment(struct reading *reading, const struct ptz_section *section, const uint8_t *front,
	poly_columns wanted, struct poly_error *error)
{
	struct ptz_reader *state = reading->state;
	struct unpacked *segment = &state->segment;
	const size_t skip = PTZ_HEADER_SIZE + section->front;
	const struct ptz_load_options with = {
		state->unpacker, wanted, state->column_map, state->column_count};
	const uint8_t *streams = NULL;
	const uint64_t before = in_offset(reading->in);
	enum poly_status status = unpacked_parse_front(segment, front, section->front, error);
	const uint64_t size = status == POLY_OK ? unpacked_size(segment) : 0;
	if (status == POLY_OK && section->body != section->front + size)
		status = err_set(error, POLY_ERR_FORMAT, state->offset,
			"its streams have %llu bytes, its header specifies %llu",
			(unsigned long long)size,
			(unsigned long long)(section->body - section->front));
	/* A corrupt front does not determine the number of the following segment. */
	state->position_lost |= status != POLY_OK;
	if (status == POLY_OK)
		status = read_streams(reading, section, &streams, error);
	if (status == POLY_OK)
		status = unpacked_load(segment, &with, streams, error);
	if (status == POLY_OK)
		status = unpacked_resolve_names(segment, reading->info, error);
	if (status == POLY_OK && skip + size <= IN_PEEK_MAX)
		in_consume(reading->in, skip + (size_t)size);
	state->skipped = in_offset(reading->in) != before;
	if (status != POLY_OK)
		unpacked_clear(segment);
	return status;
}

/* Takes the segment, whose header and front are next, from the prefetch or loads it. */
static enum poly_status
fetch_segment(struct reading *reading, const struct ptz_section *section, const uint8_t *front,
	poly_columns wanted, struct poly_error *error)
{
	struct ptz_reader *state = reading->state;
	/* The front has the checksums of all streams, so it identifies the templates. */
	state->epoch = section->front_checksum ^ wanted.words[0] * 0x9e3779b97f4a7c15u;
	if (take_prefetched(reading, section, front, wanted))
		return POLY_OK;
	return load_segment(reading, section, front, wanted, error);
}

/* Sets an error that names the corrupt segment. */
static void
fail_segment(
	const struct ptz_reader *state, const struct poly_error *why, struct poly_error *error)
{
	err_set(error, POLY_ERR_FORMAT, state->offset, "segment %u: %s", state->number,
		why->message);
}

/* Loads the next segment that has rows. POLY_END: there is none. */
static enum poly_status
next_segment(struct reading *reading, poly_columns wanted, struct poly_error *error)
{
	struct ptz_reader *state = reading->state;
	enum poly_status status = POLY_OK;
	decoder_result_clear(&state->result);
	while (status == POLY_OK && !state->result.count &&
		state->segment.delivered == state->segment.rows) {
		struct ptz_section section;
		const uint8_t *front = NULL;
		unpacked_clear(&state->segment);
		state->skipped = false;
		reading->record += ptz_skip_unselected(reading);
		status = ptz_peek_section(reading, &section, error);
		if (status == POLY_OK)
			status = ptz_peek_front(reading, &section, &front, error);
		if (status != POLY_OK)
			break;
		if (section.tag != PTZ_TAG_SEGMENT) {
			status = ptz_verify_and_skip(reading, &section, front, error);
			continue;
		}
		struct poly_error why;
		if (section.front >= PTZ_FRONT_SIZE)
			status = ptz_check_sequence(state, front, error);
		if (status != POLY_OK)
			break;
		status = fetch_segment(reading, &section, front, wanted, &why);
		if (status == POLY_ERR_FORMAT)
			fail_segment(state, &why, error);
		else if (status != POLY_OK && error)
			*error = why;
	}
	return status;
}

/* Delivers rows of the segment, weighted if the caller accepts that. */
static enum poly_status
deliver_rows(struct reading *reading, struct batch *batch, struct poly_error *error)
{
	struct ptz_reader *state = reading->state;
	struct unpacked *segment = &state->segment;
	enum poly_status status = POLY_OK;
	if (segment->delivered == 0 && reading->weighted >= segment->rows &&
		!unpacked_has_weighted(segment))
		status = unpacked_count_rows(segment, error);
	if (status == POLY_OK && unpacked_has_weighted(segment))
		return unpacked_next_weighted(segment, batch, batch->capacity, error);
	if (status == POLY_OK)
		status = unpacked_next_rows(segment, batch, batch->capacity, error);
	if (status == POLY_OK)
		ptz_set_patterns(state, batch);
	return status;
}

enum poly_status
ptz_read(struct reading *reading, struct batch *batch, struct poly_error *error)
{
	struct ptz_reader *state = reading->state;
	/* A site number depends on pc and opcode. */
	poly_columns wanted = batch->wanted;
	state->batch = batch;
	if (POLY_HAS(wanted, site))
		wanted = poly_columns_union(wanted, POLY_COLUMNS(pc, opcode));
	enum poly_status status = next_segment(reading, wanted, error);
	if (status == POLY_OK && state->result.count) {
		batch->internal = (struct poly_batch_internal){.decoded = &state->result};
		batch->view.internal = &batch->internal;
		return POLY_OK;
	}
	if (status == POLY_OK) {
		struct poly_error why;
		status = deliver_rows(reading, batch, &why);
		if (status == POLY_ERR_FORMAT)
			fail_segment(state, &why, error);
		else if (status != POLY_OK && error)
			*error = why;
	}
	/* If columns are deferred, origins are deferred, too. */
	if (status == POLY_OK && !(batch_patterns(&batch->view) && state->patterns.lazy))
		ptz_set_origins(state, batch);
	if (status == POLY_ERR_FORMAT && !state->reported) {
		findings_add(reading->findings, state->broken, reading->record + 1,
			state->offset, "%s", error ? error->message : "corrupt");
		state->broken = PTZ_RULE_CORRUPT;
		state->reported = true;
		state->segment.delivered = state->segment.rows;
	}
	return status;
}

/*
 * Skips corrupt data, up to a valid section header or to the end of the input, which may be the
 * end of the file even if the end's index offset is wrong.
 */
static void
skip_corrupt(struct reading *reading)
{
	struct ptz_reader *state = reading->state;
	size_t have = 0, at = 1;
	bool more_input = true;
	while (more_input) {
		const uint8_t *p = in_peek(reading->in, IN_PEEK_MAX, &have);
		while (at < have && (state->other_stream || !ptz_is_header(p + at, have - at)))
			at++;
		const bool is_last = at >= have && have < IN_PEEK_MAX;
		state->ended |= state->other_stream;
		if (is_last && have >= PTZ_TAIL_SIZE)
			state->ended |= memcmp(p + have - PTZ_MAGIC_SIZE, PTZ_END_MAGIC,
						PTZ_MAGIC_SIZE) == 0;
		more_input = at >= have && !is_last;
		/* If the input continues, a header may start within the last bytes. */
		in_consume(reading->in, more_input ? have - PTZ_HEADER_SIZE
					: is_last  ? have
						   : at);
		at = 1;
	}
}

enum poly_status
ptz_resync(struct reading *reading, struct batch *batch, struct poly_error *error)
{
	struct ptz_reader *state = reading->state;
	size_t have;
	in_peek(reading->in, 1, &have);
	(void)error;
	if (have == 0 && !state->skipped)
		return POLY_END;
	batch_put(batch, kind, 0, POLY_KIND_OTHER);
	batch_put(batch, origin, 0, state->offset);
	batch->view.rows = 1;
	if (!state->skipped)
		skip_corrupt(reading);
	state->reported = state->skipped = false;
	return POLY_OK;
}

void
ptz_close(struct reading *reading)
{
	struct ptz_reader *state = reading->state;
	ptz_prefetch_free(state->prefetch);
	decoder_result_clear(&state->result);
	unpacked_fini(&state->segment);
	block_unpacker_free(state->unpacker);
	buf_free(&state->bytes);
	batch_fini(&state->templates);
	mem_free(state->varying);
	buf_free(&state->index_entries.entries);
	buf_free(&state->space);
	mem_free(state->records);
}
