/* SPDX-License-Identifier: MIT */
/* Reading sections in order. A truncated file is read up to its truncation. */
#include "format/ptz/file.h"

#include "base/bits.h"
#include "base/err.h"
#include "base/checksum.h"

#include <stdio.h>
#include <string.h>

/* Maximum number of records of which missing ones are reported. */
#define RECORDS_MAX ((uint64_t)1 << 62)

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
	state->position_lost = state->is_damaged = true;
	return err_set(error, POLY_ERR_FORMAT, state->offset, "the section after %s %s",
		predecessor(state).text, what);
}

/* Reports that the input is truncated, unless that was reported or reading failed. */
static void
report_truncation(struct reading *reading, const char *what)
{
	struct ptz_reader *state = reading->state;
	if (!state->reported && in_status(reading->in, NULL) == POLY_END)
		findings_add_truncation(reading->findings, PTZ_RULE_TRUNCATED, 0, state->offset,
			"the packed trace is truncated, or is still being written: %s", what);
	state->reported = true;
}

void
ptz_report_truncated_section(struct reading *reading, const struct ptz_section *section,
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

/* Returns whether the first n bytes of a tag, or all of it, are capital letters; the first one
 * may be a small letter. */
static bool
starts_tag(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n && i < 4; i++) {
		const unsigned letter = i ? p[i] : p[i] & ~PTZ_OPTIONAL;
		if (letter < 'A' || letter > 'Z')
			return false;
	}
	return true;
}

bool
ptz_is_header(const uint8_t *p, size_t n)
{
	struct ptz_section section;
	return n >= PTZ_HEADER_SIZE && starts_tag(p, n) && ptz_parse_header(p, &section);
}

bool
ptz_starts_head(const uint8_t *p, size_t n)
{
	return n >= PTZ_MAGIC_SIZE + 4 && load_le32(p + PTZ_MAGIC_SIZE) == PTZ_TAG_HEAD &&
	       ptz_is_header(p + PTZ_MAGIC_SIZE, n - PTZ_MAGIC_SIZE);
}

/*
 * Consumes the last n bytes, which are too few for a section: a truncated header or a truncated
 * end. POLY_ERR_FORMAT: they are neither.
 */
static enum poly_status
consume_rest(struct reading *reading, const uint8_t *p, size_t n, struct poly_error *error)
{
	struct ptz_reader *state = reading->state;
	uint8_t tail[PTZ_TAIL_SIZE];
	char what[120];
	store_le64(tail, state->index);
	memcpy(tail + 8, PTZ_END_MAGIC, PTZ_MAGIC_SIZE);
	const bool ends = state->index && n < sizeof tail && memcmp(p, tail, n) == 0;
	if (!ends && !starts_tag(p, n)) {
		state->tag = PTZ_TAG_INDEX; /* no record is there */
		return err_set(error, POLY_ERR_FORMAT, state->offset,
			"corrupt end of the packed trace: the %zu bytes after %s are neither "
			"the "
			"end nor a section header",
			n, predecessor(state).text);
	}
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

void
ptz_extend_chain(
	struct ptz_reader *state, const uint8_t *head, const struct ptz_section *section)
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

bool
ptz_is_refused(uint32_t tag)
{
	return !(tag & PTZ_OPTIONAL) && tag != PTZ_TAG_HEAD && tag != PTZ_TAG_SEGMENT &&
	       tag != PTZ_TAG_INDEX;
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
	state->tag = 0;
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
	if (ptz_is_refused(section->tag))
		return err_set(error, POLY_ERR_UNSUPPORTED, state->offset,
			"the section '%.4s' after %s is required, and unknown to this "
			"version; use a newer version of polytrace",
			(const char *)p, predecessor(state).text);
	state->tag = section->tag;
	ptz_extend_chain(state, p, section);
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
		ptz_report_truncated_section(reading, section, have, state->number + 1);
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
			ptz_report_truncated_section(
				reading, section, size - n, state->number + 1);
			return false;
		}
		have = have < n ? have : (size_t)n;
		in_consume(in, have);
		n -= have;
	}
	return true;
}

/* Returns the number of records that precede the end of an index; 0: it has no segments. */
static uint64_t
index_records(const uint8_t *front, const struct ptz_index_front *index)
{
	const size_t size = PTZ_ENTRY_SIZE + index->ranges * (size_t)PTZ_RANGE_SIZE;
	const uint8_t *last = front + PTZ_INDEX_SIZE + (index->segments - (size_t)1) * size;
	return index->segments ? load_le64(last + 8) + load_le64(last + 16) : 0;
}

/* Records an index; returns false if its chain is not that of the preceding sections. The chain
 * continues from the index's. */
static bool
check_index(struct reading *reading, const struct ptz_section *section, const uint8_t *front)
{
	struct ptz_reader *state = reading->state;
	struct ptz_index_front index;
	state->index = state->offset;
	if (!ptz_parse_index(front, section->front, &index))
		return false;
	if (state->position_lost)
		ptz_report_missing(reading, index_records(front, &index));
	const struct ptz_chain_at known = state->chain_before;
	state->chain_before = (struct ptz_chain_at){state->offset, index.chain};
	ptz_extend_chain(state, front - PTZ_HEADER_SIZE, section);
	return known.offset != state->offset || known.chain == index.chain;
}

enum poly_status
ptz_verify_and_skip(struct reading *reading, const struct ptz_section *section,
	const uint8_t *front, struct poly_error *error)
{
	struct ptz_reader *state = reading->state;
	const bool good = section->tag != PTZ_TAG_INDEX || check_index(reading, section, front);
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

void
ptz_report_missing(struct reading *reading, uint64_t first)
{
	struct ptz_reader *state = reading->state;
	const uint64_t next = state->next_record;
	const uint64_t marked = state->marked;
	state->marked = 0;
	if (first <= next || first > RECORDS_MAX)
		return;
	findings_add(reading->findings, PTZ_RULE_MISSING, next + 1, state->offset,
		"records %llu to %llu are missing", (unsigned long long)next + 1,
		(unsigned long long)first);
	/* The following records keep their numbers. */
	if (first - next > marked)
		reading->record += first - next - marked;
	state->next_record = first;
}

enum poly_status
ptz_check_sequence(struct reading *reading, const uint8_t *front, struct poly_error *error)
{
	struct ptz_reader *state = reading->state;
	const uint32_t number = load_le32(front + 20), expected = state->number + 1;
	const uint64_t first = load_le64(front), records = state->next_record;
	const struct predecessor before = predecessor(state);
	const bool good = ptz_is_in_sequence(state, front);
	if (state->position_lost)
		ptz_report_missing(reading, first);
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
