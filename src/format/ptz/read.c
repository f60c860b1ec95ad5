/* SPDX-License-Identifier: MIT */
/* Reading sections in order. A truncated file is read up to its truncation. */
#include "format/ptz/file.h"

#include "base/bits.h"
#include "base/err.h"
#include "base/mem.h"
#include "io/checksum.h"

#include <stdio.h>
#include <string.h>

/* Bytes of a large segment that are read at a time. */
#define PIECE ((size_t)8 << 20)

/* Describes the section before the current one, for messages. */
struct predecessor {
	char text[32];
};

static struct predecessor
predecessor(const struct ptz_reader *state)
{
	struct predecessor result = {"the magic"};
	if (state->number)
		snprintf(result.text, sizeof result.text, "segment %u", state->number);
	else if (state->offset > PTZ_MAGIC_SIZE)
		snprintf(result.text, sizeof result.text, "the head section");
	return result;
}

/* Reports that the section after the current segment is corrupt. */
static enum poly_status
fail_section(struct ptz_reader *state, const char *what, struct poly_error *error)
{
	/* The number of segments in the corrupt section is unknown. */
	state->position_lost = true;
	return err_set(error, POLY_ERR_FORMAT, state->offset, "the section after %s %s",
		predecessor(state).text, what);
}

/* Reports that the input is truncated, unless that was reported or reading failed. */
static void
report_truncation(struct reading *reading, const char *what)
{
	struct ptz_reader *state = reading->state;
	if (!state->reported && in_status(reading->in, NULL) == POLY_END)
		findings_add(reading->findings, PTZ_RULE_TRUNCATED, 0, state->offset,
			"the packed trace is truncated, or is still being written: %s", what);
	state->reported = true;
}

/* Reports that only have bytes of the current section are present. */
static void
report_truncated_section(struct reading *reading, const struct ptz_section *section,
	uint64_t have, uint32_t number)
{
	char what[120], name[50];
	snprintf(name, sizeof name, "the section after %s", predecessor(reading->state).text);
	if (section->tag == PTZ_TAG_SEGMENT)
		snprintf(name, sizeof name, "segment %u", number);
	snprintf(what, sizeof what, "%llu of %llu bytes of %s are present",
		(unsigned long long)have, (unsigned long long)(PTZ_HEADER_SIZE + section->body),
		name);
	report_truncation(reading, what);
}

/* Returns whether the first n bytes of a tag, or all of it, are capital letters. */
static bool
starts_tag(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n && i < 4; i++) {
		if (p[i] < 'A' || p[i] > 'Z')
			return false;
	}
	return true;
}

/*
 * Consumes the last n bytes, which are too few for a section: a truncated header or a truncated
 * end. POLY_ERR_FORMAT: they are neither.
 */
static enum poly_status
consume_rest(struct reading *reading, const uint8_t *p, size_t n, struct poly_error *error)
{
	const struct ptz_reader *state = reading->state;
	uint8_t tail[PTZ_TAIL_SIZE];
	char what[120];
	store_le64(tail, state->index);
	memcpy(tail + 8, PTZ_END_MAGIC, PTZ_MAGIC_SIZE);
	const bool ends = state->index && n < sizeof tail && memcmp(p, tail, n) == 0;
	if (!ends && !starts_tag(p, n))
		return err_set(error, POLY_ERR_FORMAT, state->offset,
			"corrupt end of the packed trace: the %zu bytes after %s are neither "
			"the "
			"end nor a section header",
			n, predecessor(state).text);
	if (ends)
		snprintf(what, sizeof what, "%zu of %d bytes of its end are present", n,
			PTZ_TAIL_SIZE);
	else
		snprintf(what, sizeof what,
			"%zu of %d bytes of the header of the section after %s are present", n,
			PTZ_HEADER_SIZE, predecessor(state).text);
	report_truncation(reading, what);
	in_consume(reading->in, n);
	return POLY_END;
}

/* Extends the known chain by a section, which may be read a second time. */
static void
extend_chain(struct ptz_reader *state, const uint8_t *head, const struct ptz_section *section)
{
	const uint64_t offset = state->offset;
	if (state->chain_after.offset == offset)
		state->chain_before = state->chain_after;
	else if (state->chain_before.offset != offset)
		state->chain_before = (struct ptz_chain_at){0};
	if (state->chain_before.offset == offset)
		state->chain_after =
			(struct ptz_chain_at){offset + PTZ_HEADER_SIZE + section->body,
				ptz_next_chain(state->chain_before.chain, head)};
}

/* Returns whether the end of the file, with the offset of the last index read, is at p. */
static bool
is_end(const struct ptz_reader *state, const uint8_t *p, size_t n)
{
	return n >= PTZ_TAIL_SIZE && state->index && load_le64(p) == state->index &&
	       memcmp(p + PTZ_MAGIC_SIZE, PTZ_END_MAGIC, PTZ_MAGIC_SIZE) == 0;
}

/* Reports that the following bytes are not of this trace. */
static enum poly_status
fail_other_stream(struct ptz_reader *state, const char *what, struct poly_error *error)
{
	state->other_stream = true;
	return err_set(error, POLY_ERR_FORMAT, state->offset,
		"%s after %s; the following bytes are not of this trace", what,
		predecessor(state).text);
}

enum poly_status
ptz_peek_section(struct reading *reading, struct ptz_section *section, struct poly_error *error)
{
	struct ptz_reader *state = reading->state;
	size_t have;
	const uint8_t *p = in_peek(reading->in, PTZ_HEADER_SIZE, &have);
	state->offset = in_offset(reading->in);
	if (have == 0 && !state->ended)
		report_truncation(reading, "it does not end with an index");
	if (have == 0)
		return POLY_END;
	if (is_end(state, p, have)) {
		if (have > PTZ_TAIL_SIZE)
			return fail_other_stream(
				state, "the packed trace ends before the input", error);
		in_consume(reading->in, have);
		state->ended = true;
		return POLY_END;
	}
	if (have < PTZ_HEADER_SIZE)
		return consume_rest(reading, p, have, error);
	if (!ptz_parse_header(p, section))
		return fail_section(
			state, "is corrupt: its header has a wrong checksum", error);
	if (section->front > section->body || section->front > PTZ_FRONT_MAX)
		return fail_section(
			state, "is corrupt: its front exceeds the section or the limit", error);
	if (section->body > PTZ_BODY_MAX)
		return fail_section(
			state, "is corrupt: its size exceeds that of any file", error);
	if (section->tag == PTZ_TAG_HEAD && state->offset != PTZ_MAGIC_SIZE)
		return fail_other_stream(state, "second head section", error);
	extend_chain(state, p, section);
	return POLY_OK;
}

enum poly_status
ptz_peek_front(struct reading *reading, const struct ptz_section *section,
	const uint8_t **front, struct poly_error *error)
{
	struct ptz_reader *state = reading->state;
	size_t have, want = PTZ_HEADER_SIZE + section->front;
	const uint8_t *p = in_peek(reading->in, want, &have);
	if (have < want) {
		report_truncated_section(reading, section, have, state->number + 1);
		in_consume(reading->in, have);
		return POLY_END;
	}
	if (checksum(p + PTZ_HEADER_SIZE, section->front) != section->front_checksum)
		return fail_section(state, "is corrupt: its front has a wrong checksum", error);
	*front = p + PTZ_HEADER_SIZE;
	return POLY_OK;
}

bool
ptz_skip_section(struct reading *reading, const struct ptz_section *section)
{
	const struct ptz_reader *state = reading->state;
	struct in *in = reading->in;
	const uint64_t size = PTZ_HEADER_SIZE + section->body;
	uint64_t n = size, taken, total;
	in_progress(in, &taken, &total);
	if (in_is_random(in) && in_offset(in) <= total && n <= total - in_offset(in)) {
		in_seek(in, in_offset(in) + n);
		return true;
	}
	while (n) {
		size_t have;
		in_peek(in, 1, &have);
		if (have == 0) {
			report_truncated_section(reading, section, size - n, state->number + 1);
			return false;
		}
		have = have < n ? have : (size_t)n;
		in_consume(in, have);
		n -= have;
	}
	return true;
}

/* Records an index; returns false if its chain is not that of the preceding sections. The chain
 * continues from the index's. */
static bool
check_index(struct ptz_reader *state, const struct ptz_section *section, const uint8_t *front)
{
	struct ptz_chain_at recorded = {.offset = state->offset};
	state->index = state->offset;
	if (!ptz_parse_index_chain(front, section->front, &recorded.chain))
		return true;
	const struct ptz_chain_at known = state->chain_before;
	state->chain_before = recorded;
	extend_chain(state, front - PTZ_HEADER_SIZE, section);
	return known.offset != recorded.offset || known.chain == recorded.chain;
}

enum poly_status
ptz_verify_and_skip(struct reading *reading, const struct ptz_section *section,
	const uint8_t *front, struct poly_error *error)
{
	struct ptz_reader *state = reading->state;
	const bool good = section->tag != PTZ_TAG_INDEX || check_index(state, section, front);
	if (!ptz_skip_section(reading, section))
		return POLY_END;
	if (good)
		return POLY_OK;
	state->skipped = true;
	state->broken = PTZ_RULE_CHAIN;
	return err_set(error, POLY_ERR_FORMAT, state->offset,
		"the index does not match the preceding sections: one was added, removed, "
		"replaced or moved");
}

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
		       ? err_set(error, POLY_ERR_FORMAT, PTZ_MAGIC_SIZE,
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
	report_truncated_section(reading, section, skip + have, state->number);
	return POLY_END;
}

/* Starts the prefetch threads if a second segment, after one of rows rows, is needed. */
static void
start_prefetch(struct reading *reading, const struct ptz_section *section, uint32_t rows,
	poly_columns wanted)
{
	struct ptz_reader *state = reading->state;
	const struct ptz_prefetch_plan plan = {.in = reading->in,
		.wanted = wanted,
		.column_map = state->column_map,
		.column_count = state->column_count,
		.end = reading->end,
		.threads = reading->threads};
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
	const struct ptz_reached reached = {state->offset, section};
	if (section->front >= PTZ_FRONT_SIZE)
		start_prefetch(reading, section, load_le32(front + 8), wanted);
	if (!state->prefetch || !poly_columns_equal(state->prefetch_columns, wanted) ||
		!ptz_prefetch_take(state->prefetch, &reached, segment))
		return false;
	if (unpacked_resolve_names(segment, reading->info, NULL) != POLY_OK) {
		unpacked_clear(segment);
		return false;
	}
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

bool
ptz_is_in_sequence(const struct ptz_reader *state, const uint8_t *front)
{
	return state->position_lost || (load_le32(front + 20) == state->number + 1 &&
					       load_le64(front) == state->next_record);
}

void
ptz_set_current(struct ptz_reader *state, const uint8_t *front)
{
	state->next_record = load_le64(front) + load_le32(front + 8);
	state->number = load_le32(front + 20);
	state->position_lost = false;
}

/* Makes a segment the current one; if it does not follow the previous one, reports that and
 * reads it next. */
static enum poly_status
check_sequence(struct ptz_reader *state, const uint8_t *front, struct poly_error *error)
{
	const uint32_t number = load_le32(front + 20), expected = state->number + 1;
	const uint64_t first = load_le64(front), records = state->next_record;
	const struct predecessor before = predecessor(state);
	const bool good = ptz_is_in_sequence(state, front);
	ptz_set_current(state, front);
	if (good)
		return POLY_OK;
	state->broken = PTZ_RULE_ORDER;
	state->position_lost = state->skipped = true;
	/* The chain differs for the same reason: do not report it, too. */
	state->chain_before = state->chain_after = (struct ptz_chain_at){0};
	if (number != expected)
		return err_set(error, POLY_ERR_FORMAT, state->offset,
			"segment %u follows %s, expected segment %u", number, before.text,
			expected);
	return err_set(error, POLY_ERR_FORMAT, state->offset,
		"segment %u specifies %llu preceding records, %llu were read", number,
		(unsigned long long)first, (unsigned long long)records);
}

/* Loads the next segment that has rows. POLY_END: there is none. */
static enum poly_status
next_segment(struct reading *reading, poly_columns wanted, struct poly_error *error)
{
	struct ptz_reader *state = reading->state;
	enum poly_status status = POLY_OK;
	while (status == POLY_OK && state->segment.delivered == state->segment.rows) {
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
			status = check_sequence(state, front, error);
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
	if (POLY_HAS(wanted, site))
		wanted = poly_columns_union(wanted, POLY_COLUMNS(pc, opcode));
	enum poly_status status = next_segment(reading, wanted, error);
	if (status == POLY_OK) {
		struct poly_error why;
		status = deliver_rows(reading, batch, &why);
		if (status == POLY_ERR_FORMAT)
			fail_segment(state, &why, error);
		else if (status != POLY_OK && error)
			*error = why;
	}
	/* If columns are deferred, origins are deferred, too. */
	if (status == POLY_OK && !(batch->view.patterns && state->patterns.lazy))
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

bool
ptz_is_header(const uint8_t *p, size_t n)
{
	struct ptz_section section;
	return n >= PTZ_HEADER_SIZE && starts_tag(p, n) && ptz_parse_header(p, &section);
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
	unpacked_fini(&state->segment);
	block_unpacker_free(state->unpacker);
	buf_free(&state->bytes);
	batch_fini(&state->templates);
	mem_free(state->varying);
	buf_free(&state->index_entries.entries);
	buf_free(&state->space);
	mem_free(state->records);
}
