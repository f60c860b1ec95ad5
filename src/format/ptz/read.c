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

/* Reads and parses the head section, which is next; what it is in spite of corrupt bytes. */
static enum poly_status
open_head(struct reading *reading, struct poly_error *error)
{
	struct ptz_reader *state = reading->state;
	struct ptz_section section;
	const uint8_t *front = NULL;
	struct buf head = {0};
	enum poly_status status = ptz_peek_section(reading, &section, error);
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
	if (status == POLY_OK) {
		in_consume(reading->in, PTZ_HEADER_SIZE + section.front);
	} else if (status == POLY_ERR_FORMAT && state->is_damaged &&
		   ptz_rescue_head(reading, &head)) {
		status = ptz_parse_head(reading, head.data, head.size, error);
		state->is_damaged = state->position_lost = false;
	}
	buf_free(&head);
	return status;
}

/* Reads the magic, or what is left of it. */
static enum poly_status
open_magic(struct reading *reading, struct poly_error *error)
{
	struct ptz_reader *state = reading->state;
	size_t have;
	const uint8_t *p = in_peek(reading->in, PTZ_MAGIC_SIZE + PTZ_HEADER_SIZE, &have);
	const bool has_head = ptz_starts_head(p, have);
	if (have < PTZ_MAGIC_SIZE && memcmp(p, PTZ_MAGIC, have) == 0)
		return err_set(error, POLY_ERR_TRUNCATED, 0,
			"the packed trace is truncated within its magic");
	state->rescued = have < PTZ_MAGIC_SIZE || memcmp(p, PTZ_MAGIC, PTZ_MAGIC_SIZE) != 0;
	if (state->rescued && !has_head)
		return err_set(error, POLY_ERR_FORMAT, 0,
			"the input does not start with the magic of a packed trace");
	if (state->rescued && reading->findings)
		findings_add(reading->findings, PTZ_RULE_CORRUPT, 0, 0,
			"the magic is corrupt; the head section after it is valid");
	in_consume(reading->in, PTZ_MAGIC_SIZE);
	state->chain_after.offset = PTZ_MAGIC_SIZE;
	return POLY_OK;
}

enum poly_status
ptz_open(struct reading *reading, struct poly_error *error)
{
	struct ptz_reader *state = reading->state;
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
	if (status == POLY_OK)
		status = open_magic(reading, error);
	if (status != POLY_OK)
		return status;
	/* A trace cannot be read without its head: truncation within it is an error. */
	const bool reported = state->reported;
	state->reported = true;
	status = open_head(reading, error);
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
	if (status == POLY_ERR_FORMAT) {
		/* Its records are missing. */
		state->is_damaged = state->position_lost = true;
		if (section->front >= PTZ_FRONT_SIZE)
			state->next_record = segment->first;
	}
	return status;
}

/* Sets what identifies the current segment's templates: the front has the checksums of all
 * streams. */
static void
set_epoch(struct ptz_reader *state, const struct ptz_section *section, poly_columns wanted)
{
	state->epoch = section->front_checksum ^ wanted.words[0] * 0x9e3779b97f4a7c15u;
}

/* Takes the segment, whose header and front are next, from the prefetch or loads it. */
static enum poly_status
fetch_segment(struct reading *reading, const struct ptz_section *section, const uint8_t *front,
	poly_columns wanted, struct poly_error *error)
{
	set_epoch(reading->state, section, wanted);
	if (take_prefetched(reading, section, front, wanted))
		return POLY_OK;
	return load_segment(reading, section, front, wanted, error);
}

/* Sets an error that names the segment. */
static void
fail_segment(
	const struct ptz_reader *state, const struct poly_error *why, struct poly_error *error)
{
	err_set(error, why->status, state->offset, "segment %u: %s", state->number,
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
			status = ptz_check_sequence(reading, front, error);
		if (status != POLY_OK)
			break;
		status = fetch_segment(reading, &section, front, wanted, &why);
		if (status == POLY_ERR_FORMAT || status == POLY_ERR_UNSUPPORTED)
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

/* Returns the columns to load: a site number depends on pc and opcode. */
static poly_columns
columns_to_load(const struct batch *batch)
{
	return POLY_HAS(batch->wanted, site)
		       ? poly_columns_union(batch->wanted, POLY_COLUMNS(pc, opcode))
		       : batch->wanted;
}

enum poly_status
ptz_read(struct reading *reading, struct batch *batch, struct poly_error *error)
{
	struct ptz_reader *state = reading->state;
	state->batch = batch;
	enum poly_status status = next_segment(reading, columns_to_load(batch), error);
	if (status == POLY_OK && state->result.count) {
		batch->internal = (struct poly_batch_internal){.decoded = &state->result};
		batch->view.internal = &batch->internal;
		return POLY_OK;
	}
	if (status == POLY_OK) {
		struct poly_error why;
		status = deliver_rows(reading, batch, &why);
		if (status == POLY_ERR_FORMAT) {
			fail_segment(state, &why, error);
			state->position_lost = true;
			state->next_record = state->segment.first + state->segment.delivered;
		} else if (status != POLY_OK && error)
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

void
ptz_skip_corrupt(struct reading *reading)
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
		/* Either half of the end suffices. */
		if (is_last && have >= PTZ_TAIL_SIZE)
			state->ended |= memcmp(p + have - PTZ_MAGIC_SIZE, PTZ_END_MAGIC,
						PTZ_MAGIC_SIZE) == 0 ||
					load_le64(p + have - PTZ_TAIL_SIZE) == state->index;
		more_input = at >= have && !is_last;
		/* If the input continues, a header may start within the last bytes. */
		in_consume(reading->in, more_input ? have - PTZ_HEADER_SIZE
					: is_last  ? have
						   : at);
		at = 1;
	}
}

/* Moves to the end of the repaired section of size bytes. */
static void
skip_repaired(struct reading *reading, const uint8_t *bytes, size_t size)
{
	struct ptz_reader *state = reading->state;
	struct ptz_section section;
	const uint64_t end = state->offset + size;
	if (ptz_parse_header(bytes, &section))
		ptz_extend_chain(state, bytes, &section);
	if (in_is_random(reading->in))
		in_seek(reading->in, end);
	else
		in_consume(reading->in, size);
}

bool
ptz_rescue_head(struct reading *reading, struct buf *head)
{
	struct ptz_reader *state = reading->state;
	const uint8_t *section;
	struct ptz_index index;
	const size_t size = ptz_repair(reading, &section);
	const bool repaired = size && load_le32(section) == PTZ_TAG_HEAD;
	bool good = repaired;
	if (repaired) {
		buf_append(head, section + PTZ_HEADER_SIZE, size - PTZ_HEADER_SIZE);
		skip_repaired(reading, section, size);
	} else if (ptz_load_index(reading->in, state, &index)) {
		const struct ptz_place copy = {PTZ_TAG_COPY, index.copy, UINT64_MAX};
		good = index.copy && ptz_load_front(reading->in, &copy, head);
		buf_free(&index.entries);
		if (good)
			ptz_skip_corrupt(reading);
	}
	state->rescued |= good;
	if (good && reading->findings)
		findings_add(reading->findings, PTZ_RULE_CORRUPT, 0, PTZ_MAGIC_SIZE,
			"the head section is corrupt; its %s is used",
			repaired ? "parity" : "copy at the end of the file");
	return good && !head->failed;
}

/* Makes the corrupt segment, repaired by its parity, the current one; false: it cannot be. */
static bool
repair_segment(struct reading *reading, poly_columns wanted)
{
	struct ptz_reader *state = reading->state;
	struct unpacked *segment = &state->segment;
	const struct ptz_load_options with = {
		state->unpacker, wanted, state->column_map, state->column_count};
	const uint8_t *bytes;
	struct ptz_section section;
	const size_t size = ptz_repair(reading, &bytes);
	if (!size || !ptz_parse_header(bytes, &section) || section.tag != PTZ_TAG_SEGMENT)
		return false;
	const uint8_t *front = bytes + PTZ_HEADER_SIZE;
	if (unpacked_parse_front(segment, front, section.front, NULL) != POLY_OK ||
		unpacked_load(segment, &with, front + section.front, NULL) != POLY_OK ||
		unpacked_resolve_names(segment, reading->info, NULL) != POLY_OK) {
		unpacked_clear(segment);
		return false;
	}
	ptz_report_missing(reading, segment->first);
	ptz_set_current(state, front);
	set_epoch(state, &section, wanted);
	skip_repaired(reading, bytes, size);
	findings_add(reading->findings, PTZ_RULE_REPAIRED, reading->record + 1, state->offset,
		"segment %u was repaired by its parity: none of its records is missing",
		state->number);
	return true;
}

/* Returns whether records were lost with the section that was skipped. */
static bool
has_lost_records(struct reading *reading)
{
	const struct ptz_reader *state = reading->state;
	struct ptz_section next;
	size_t have;
	if (state->tag)
		return state->tag == PTZ_TAG_SEGMENT;
	const uint8_t *p = in_peek(reading->in, PTZ_HEADER_SIZE + 8, &have);
	if (have < PTZ_HEADER_SIZE + 8 || !ptz_parse_header(p, &next))
		return false;
	return next.tag == PTZ_TAG_PARITY ||
	       (next.tag == PTZ_TAG_SEGMENT &&
		       load_le64(p + PTZ_HEADER_SIZE) > state->next_record);
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
	const bool repaired = state->is_damaged &&
			      (!state->tag || state->tag == PTZ_TAG_SEGMENT) &&
			      repair_segment(reading, columns_to_load(batch));
	if (!repaired && !state->skipped)
		ptz_skip_corrupt(reading);
	state->reported = state->skipped = state->is_damaged = false;
	if (repaired || !has_lost_records(reading))
		return POLY_OK;
	batch_put(batch, kind, 0, POLY_KIND_OTHER);
	batch_put(batch, origin, 0, state->offset);
	batch->view.rows = 1;
	state->marked++;
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
