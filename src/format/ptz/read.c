/* SPDX-License-Identifier: MIT */
/* Reading: one part after the other. A file that is cut off anywhere is read up to there. */
#include "format/ptz/file.h"

#include "base/bits.h"
#include "base/err.h"
#include "base/mem.h"
#include "io/checksum.h"

#include <stdio.h>
#include <string.h>

/* Bytes of a large segment that are taken at a time. */
#define PIECE ((size_t)8 << 20)

/* What stands before the part that is read. */
struct behind {
	char what[32];
};

static struct behind
behind(const struct ptz_reader *state)
{
	struct behind behind = {"the magic"};
	if (state->number)
		snprintf(behind.what, sizeof behind.what, "segment %u", state->number);
	else if (state->offset > PTZ_MAGIC_SIZE)
		snprintf(behind.what, sizeof behind.what, "the head");
	return behind;
}

/* Says that what stands behind the segment that was met last is wrong. */
static enum poly_status
part_wrong(struct ptz_reader *state, const char *what, struct poly_error *error)
{
	/* How many segments it had is not known. */
	state->lost = true;
	return err_set(error, POLY_ERR_FORMAT, state->offset, "the part behind %s %s",
		behind(state).what, what);
}

/* Says that the input ended too early, unless that was told, or it failed. */
static void
tell_cut(struct reading *reading, const char *what)
{
	struct ptz_reader *state = reading->state;
	if (!state->told && in_status(reading->in, NULL) == POLY_END)
		findings_add(reading->findings, PTZ_RULE_CUT, 0, state->offset,
			"the packed trace is cut off, or still being written: %s", what);
	state->told = true;
}

/* The same of the part that is read, of which so many bytes are there. */
static void
tell_cut_part(
	struct reading *reading, const struct ptz_part *part, uint64_t have, uint32_t number)
{
	char what[120], name[50];
	snprintf(name, sizeof name, "the part behind %s", behind(reading->state).what);
	if (part->tag == PTZ_TAG_SEGMENT)
		snprintf(name, sizeof name, "segment %u", number);
	snprintf(what, sizeof what, "%llu of the %llu bytes of %s are there",
		(unsigned long long)have, (unsigned long long)(PTZ_HEAD_SIZE + part->body),
		name);
	tell_cut(reading, what);
}

/* True where all of the first n bytes of a tag, or all of it, are capitals. */
static bool
begins_tag(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n && i < 4; i++) {
		if (p[i] < 'A' || p[i] > 'Z')
			return false;
	}
	return true;
}

/*
 * Takes the last n bytes, which are too few for a part: a cut off head of one, or a cut off
 * end. POLY_ERR_FORMAT: they are neither.
 */
static enum poly_status
take_rest(struct reading *reading, const uint8_t *p, size_t n, struct poly_error *error)
{
	const struct ptz_reader *state = reading->state;
	uint8_t tail[PTZ_TAIL_SIZE];
	char what[120];
	store_le64(tail, state->index);
	memcpy(tail + 8, PTZ_END_MAGIC, PTZ_MAGIC_SIZE);
	const bool ends = state->index && n < sizeof tail && memcmp(p, tail, n) == 0;
	if (!ends && !begins_tag(p, n))
		return err_set(error, POLY_ERR_FORMAT, state->offset,
			"the end of the packed trace is damaged: %zu bytes behind %s are "
			"neither its end nor the head of a part",
			n, behind(state).what);
	if (ends)
		snprintf(what, sizeof what, "%zu of the %d bytes of its end are there", n,
			PTZ_TAIL_SIZE);
	else
		snprintf(what, sizeof what,
			"%zu of the %d bytes of the head of the part behind %s are there", n,
			PTZ_HEAD_SIZE, behind(state).what);
	tell_cut(reading, what);
	in_consume(reading->in, n);
	return POLY_END;
}

/* Takes a part, which may have been met before, into the chain, where that is known. */
static void
meet_part(struct ptz_reader *state, const uint8_t *head, const struct ptz_part *part)
{
	const uint64_t offset = state->offset;
	if (state->behind.offset == offset)
		state->before = state->behind;
	else if (state->before.offset != offset)
		state->before = (struct ptz_chained){0};
	if (state->before.offset == offset)
		state->behind = (struct ptz_chained){offset + PTZ_HEAD_SIZE + part->body,
			ptz_chain(state->before.chain, head)};
}

/* True where the end of the file stands at p, as far as the index before it says. */
static bool
is_end(const struct ptz_reader *state, const uint8_t *p, size_t n)
{
	return n >= PTZ_TAIL_SIZE && state->index && load_le64(p) == state->index &&
	       memcmp(p + PTZ_MAGIC_SIZE, PTZ_END_MAGIC, PTZ_MAGIC_SIZE) == 0;
}

/* Says that what follows is not of this trace. */
static enum poly_status
tell_foreign(struct ptz_reader *state, const char *what, struct poly_error *error)
{
	state->foreign = true;
	return err_set(error, POLY_ERR_FORMAT, state->offset,
		"%s behind %s; what follows is not of this trace", what, behind(state).what);
}

enum poly_status
ptz_next_part(struct reading *reading, struct ptz_part *part, struct poly_error *error)
{
	struct ptz_reader *state = reading->state;
	size_t have;
	const uint8_t *p = in_peek(reading->in, PTZ_HEAD_SIZE, &have);
	state->offset = in_offset(reading->in);
	if (have == 0 && !state->ended)
		tell_cut(reading, "it does not end in an index");
	if (have == 0)
		return POLY_END;
	if (is_end(state, p, have)) {
		if (have > PTZ_TAIL_SIZE)
			return tell_foreign(
				state, "the packed trace ends before the input does,", error);
		in_consume(reading->in, have);
		state->ended = true;
		return POLY_END;
	}
	if (have < PTZ_HEAD_SIZE)
		return take_rest(reading, p, have, error);
	if (!ptz_part_read(p, part))
		return part_wrong(
			state, "is damaged: the checksum of its head is wrong", error);
	if (part->front > part->body || part->front > PTZ_FRONT_MOST)
		return part_wrong(
			state, "says that its front is longer than it is, or can be", error);
	if (part->body > PTZ_BODY_MOST)
		return part_wrong(
			state, "says that it has more bytes than a file can have", error);
	if (part->tag == PTZ_TAG_HEAD && state->offset != PTZ_MAGIC_SIZE)
		return tell_foreign(state, "another head stands", error);
	meet_part(state, p, part);
	return POLY_OK;
}

enum poly_status
ptz_part_front(struct reading *reading, const struct ptz_part *part, const uint8_t **front,
	struct poly_error *error)
{
	struct ptz_reader *state = reading->state;
	size_t have, want = PTZ_HEAD_SIZE + part->front;
	const uint8_t *p = in_peek(reading->in, want, &have);
	if (have < want) {
		tell_cut_part(reading, part, have, state->number + 1);
		in_consume(reading->in, have);
		return POLY_END;
	}
	if (checksum(p + PTZ_HEAD_SIZE, part->front) != part->front_check)
		return part_wrong(
			state, "is damaged: the checksum of its front is wrong", error);
	*front = p + PTZ_HEAD_SIZE;
	return POLY_OK;
}

bool
ptz_pass(struct reading *reading, const struct ptz_part *part)
{
	const struct ptz_reader *state = reading->state;
	struct in *in = reading->in;
	const uint64_t size = PTZ_HEAD_SIZE + part->body;
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
			tell_cut_part(reading, part, size - n, state->number + 1);
			return false;
		}
		have = have < n ? have : (size_t)n;
		in_consume(in, have);
		n -= have;
	}
	return true;
}

/* Meets an index; false: it was written behind other parts. The chain goes on from what it
 * says. */
static bool
meet_index(struct ptz_reader *state, const struct ptz_part *part, const uint8_t *front)
{
	struct ptz_chained said = {.offset = state->offset};
	state->index = state->offset;
	if (!ptz_index_chain(front, part->front, &said.chain))
		return true;
	const struct ptz_chained known = state->before;
	state->before = said;
	meet_part(state, front - PTZ_HEAD_SIZE, part);
	return known.offset != said.offset || known.chain == said.chain;
}

enum poly_status
ptz_pass_part(struct reading *reading, const struct ptz_part *part, const uint8_t *front,
	struct poly_error *error)
{
	struct ptz_reader *state = reading->state;
	const bool good = part->tag != PTZ_TAG_INDEX || meet_index(state, part, front);
	if (!ptz_pass(reading, part))
		return POLY_END;
	if (good)
		return POLY_OK;
	state->passed = true;
	state->broken = PTZ_RULE_CHAIN;
	return err_set(error, POLY_ERR_FORMAT, state->offset,
		"the parts before the index are not those that it was written behind: one was "
		"added, left out, replaced or moved");
}

enum poly_status
ptz_open(struct reading *reading, struct poly_error *error)
{
	struct ptz_reader *state = reading->state;
	struct ptz_part part;
	const uint8_t *front = NULL;
	size_t have;
	state->records = mem_new(PTZ_RECORDS, sizeof *state->records);
	if (!state->records)
		return err_memory(error);
	/* Names that a trace told only behind its head are lost; their numbers are not. */
	for (unsigned i = 0; i < PTZ_RECORDS; i++)
		state->records[i] = "unnamed";
	reading->info->view.records = state->records;
	reading->info->view.raw_format = NULL;
	reading->info->view.columns = 0;
	if (!checksum_available())
		return err_missing(error, "the format ptz", "libxxhash-dev");
	enum poly_status status = block_unpacker_new(&state->unpacker, error);
	if (status != POLY_OK)
		return status;
	const uint8_t *p = in_peek(reading->in, PTZ_MAGIC_SIZE, &have);
	if (have < PTZ_MAGIC_SIZE || memcmp(p, PTZ_MAGIC, PTZ_MAGIC_SIZE) != 0)
		return err_set(error, POLY_ERR_FORMAT, 0,
			"the input does not begin with the magic of a packed trace");
	in_consume(reading->in, PTZ_MAGIC_SIZE);
	state->behind.offset = PTZ_MAGIC_SIZE;
	/* Without a head there is no trace: that it is cut off is an error then. */
	const bool told = state->told;
	state->told = true;
	status = ptz_next_part(reading, &part, error);
	if (status == POLY_OK && part.tag != PTZ_TAG_HEAD)
		status = err_set(error, POLY_ERR_FORMAT, state->offset,
			"the packed trace does not begin with a head");
	if (status == POLY_OK && part.body != part.front)
		status = err_set(error, POLY_ERR_FORMAT, state->offset,
			"the head has %llu bytes behind its front, expected none",
			(unsigned long long)(part.body - part.front));
	if (status == POLY_OK)
		status = ptz_part_front(reading, &part, &front, error);
	if (status == POLY_OK)
		status = ptz_head_take(reading, front, part.front, error);
	if (status == POLY_OK)
		in_consume(reading->in, PTZ_HEAD_SIZE + part.front);
	reading->info->view.columns |= POLY_HAS(origin);
	state->told = told;
	return status == POLY_END ? err_set(error, POLY_ERR_FORMAT, PTZ_MAGIC_SIZE,
					    "the packed trace is cut off within its head, "
					    "which tells what it is of")
				  : status;
}

/*
 * The bytes of a segment's streams, which are what stands behind its front. POLY_END: the input
 * ends before they do.
 */
static enum poly_status
take_streams(struct reading *reading, const struct ptz_part *part, const uint8_t **streams,
	struct poly_error *error)
{
	struct ptz_reader *state = reading->state;
	const size_t skip = PTZ_HEAD_SIZE + part->front;
	const size_t size = (size_t)part->body - part->front;
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
		/* No more is allocated than there is. */
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
	tell_cut_part(reading, part, skip + have, state->number);
	return POLY_END;
}

/* Lets threads load segments, where another one is asked for behind one of so many rows. */
static void
begin_ahead(struct reading *reading, const struct ptz_part *part, uint32_t rows,
	poly_columns wanted)
{
	struct ptz_reader *state = reading->state;
	const struct ptz_ahead_plan plan = {.in = reading->in,
		.wanted = wanted,
		.of_column = state->of_column,
		.of_count = state->of_count,
		.end = reading->end,
		.threads = reading->threads};
	if (state->ahead || state->ahead_failed || reading->threads < 2 ||
		reading->record + rows >= reading->end || !in_is_random(reading->in) ||
		!ptz_ahead_pays(reading->in, state->offset + PTZ_HEAD_SIZE + part->body))
		return;
	state->ahead = ptz_ahead_new(&plan);
	state->ahead_wanted = wanted;
	state->ahead_failed = !state->ahead;
}

/* Takes the segment that was met from the threads. False: nothing was done. */
static bool
take_ahead(struct reading *reading, const struct ptz_part *part, const uint8_t *front,
	poly_columns wanted)
{
	struct ptz_reader *state = reading->state;
	struct unpacked *segment = &state->segment;
	const struct ptz_met met = {state->offset, part};
	if (part->front >= PTZ_FRONT_SIZE)
		begin_ahead(reading, part, load_le32(front + 8), wanted);
	if (!state->ahead || state->ahead_wanted != wanted ||
		!ptz_ahead_take(state->ahead, &met, segment))
		return false;
	if (unpacked_adopt(segment, reading->info, NULL) != POLY_OK) {
		unpacked_clear(segment);
		return false;
	}
	state->passed = ptz_pass(reading, part);
	return true;
}

/* Loads the segment whose head and front stand next, and passes over it. */
static enum poly_status
load_segment(struct reading *reading, const struct ptz_part *part, const uint8_t *front,
	poly_columns wanted, struct poly_error *error)
{
	struct ptz_reader *state = reading->state;
	struct unpacked *segment = &state->segment;
	const size_t skip = PTZ_HEAD_SIZE + part->front;
	const struct ptz_unpacker with = {
		state->unpacker, wanted, state->of_column, state->of_count};
	const uint8_t *streams = NULL;
	const uint64_t before = in_offset(reading->in);
	enum poly_status status = unpacked_front(segment, front, part->front, error);
	const uint64_t size = status == POLY_OK ? unpacked_size(segment) : 0;
	if (status == POLY_OK && part->body != part->front + size)
		status = err_set(error, POLY_ERR_FORMAT, state->offset,
			"its streams have %llu bytes, and its head says %llu",
			(unsigned long long)size,
			(unsigned long long)(part->body - part->front));
	/* What a front says that can't be so is not held against the segment behind it. */
	state->lost |= status != POLY_OK;
	if (status == POLY_OK)
		status = take_streams(reading, part, &streams, error);
	if (status == POLY_OK)
		status = unpacked_load(segment, &with, streams, error);
	if (status == POLY_OK)
		status = unpacked_adopt(segment, reading->info, error);
	if (status == POLY_OK && skip + size <= IN_PEEK_MAX)
		in_consume(reading->in, skip + (size_t)size);
	state->passed = in_offset(reading->in) != before;
	if (status != POLY_OK)
		unpacked_clear(segment);
	return status;
}

/* Takes or loads the segment whose head and front stand next, and passes over it. */
static enum poly_status
take_segment(struct reading *reading, const struct ptz_part *part, const uint8_t *front,
	poly_columns wanted, struct poly_error *error)
{
	struct ptz_reader *state = reading->state;
	/* Its front has the checksums of all that makes its templates. */
	state->epoch = part->front_check ^ wanted * 0x9e3779b97f4a7c15u;
	if (take_ahead(reading, part, front, wanted))
		return POLY_OK;
	return load_segment(reading, part, front, wanted, error);
}

/* Says which segment is wrong. */
static void
segment_wrong(
	const struct ptz_reader *state, const struct poly_error *why, struct poly_error *error)
{
	err_set(error, POLY_ERR_FORMAT, state->offset, "segment %u: %s", state->number,
		why->message);
}

bool
ptz_follows(const struct ptz_reader *state, const uint8_t *front)
{
	return state->lost ||
	       (load_le32(front + 20) == state->number + 1 && load_le64(front) == state->met);
}

void
ptz_meet(struct ptz_reader *state, const uint8_t *front)
{
	state->met = load_le64(front) + load_le32(front + 8);
	state->number = load_le32(front + 20);
	state->lost = false;
}

/* Meets a segment. Where it does not follow that is told, and it stands next nevertheless. */
static enum poly_status
expect_next(struct ptz_reader *state, const uint8_t *front, struct poly_error *error)
{
	const uint32_t number = load_le32(front + 20), expected = state->number + 1;
	const uint64_t first = load_le64(front), records = state->met;
	const struct behind before = behind(state);
	const bool good = ptz_follows(state, front);
	ptz_meet(state, front);
	if (good)
		return POLY_OK;
	state->broken = PTZ_RULE_ORDER;
	state->lost = state->passed = true;
	/* That the chain is another one goes without saying. */
	state->before = state->behind = (struct ptz_chained){0};
	if (number != expected)
		return err_set(error, POLY_ERR_FORMAT, state->offset,
			"segment %u stands behind %s, expected segment %u", number, before.what,
			expected);
	return err_set(error, POLY_ERR_FORMAT, state->offset,
		"segment %u has %llu records before it, and %llu are there", number,
		(unsigned long long)first, (unsigned long long)records);
}

/* Goes to the next segment that has rows. POLY_END: there is none. */
static enum poly_status
next_segment(struct reading *reading, poly_columns wanted, struct poly_error *error)
{
	struct ptz_reader *state = reading->state;
	enum poly_status status = POLY_OK;
	while (status == POLY_OK && state->segment.given == state->segment.rows) {
		struct ptz_part part;
		const uint8_t *front = NULL;
		unpacked_clear(&state->segment);
		state->passed = false;
		reading->record += ptz_pass_over(reading);
		status = ptz_next_part(reading, &part, error);
		if (status == POLY_OK)
			status = ptz_part_front(reading, &part, &front, error);
		if (status != POLY_OK)
			break;
		if (part.tag != PTZ_TAG_SEGMENT) {
			status = ptz_pass_part(reading, &part, front, error);
			continue;
		}
		struct poly_error why;
		if (part.front >= PTZ_FRONT_SIZE)
			status = expect_next(state, front, error);
		if (status != POLY_OK)
			break;
		status = take_segment(reading, &part, front, wanted, &why);
		if (status == POLY_ERR_FORMAT)
			segment_wrong(state, &why, error);
		else if (status != POLY_OK && error)
			*error = why;
	}
	return status;
}

/* Gives rows of the segment, counted where that may be. */
static enum poly_status
give_rows(struct reading *reading, struct batch *batch, struct poly_error *error)
{
	struct ptz_reader *state = reading->state;
	struct unpacked *segment = &state->segment;
	enum poly_status status = POLY_OK;
	if (segment->given == 0 && reading->weighted >= segment->rows &&
		!unpacked_counted(segment))
		status = unpacked_count(segment, error);
	if (status == POLY_OK && unpacked_counted(segment))
		return unpacked_tally(segment, batch, batch->capacity, error);
	if (status == POLY_OK)
		status = unpacked_rows(segment, batch, batch->capacity, error);
	if (status == POLY_OK)
		ptz_patterns(state, batch);
	return status;
}

enum poly_status
ptz_read(struct reading *reading, struct batch *batch, struct poly_error *error)
{
	struct ptz_reader *state = reading->state;
	/* Sites are numbered by both. */
	const poly_columns sited =
		batch->wanted & POLY_HAS(site) ? POLY_HAS(pc) | POLY_HAS(opcode) : 0;
	enum poly_status status = next_segment(reading, batch->wanted | sited, error);
	if (status == POLY_OK) {
		struct poly_error why;
		status = give_rows(reading, batch, &why);
		if (status == POLY_ERR_FORMAT)
			segment_wrong(state, &why, error);
		else if (status != POLY_OK && error)
			*error = why;
	}
	/* Where columns are deferred, these are, too. */
	if (status == POLY_OK && !(batch->view.patterns && state->patterns.lazy))
		ptz_origins(state, batch);
	if (status == POLY_ERR_FORMAT && !state->told) {
		findings_add(reading->findings, state->broken, reading->record + 1,
			state->offset, "%s", error ? error->message : "damaged");
		state->broken = PTZ_RULE_DAMAGED;
		state->told = true;
		state->segment.given = state->segment.rows;
	}
	return status;
}

bool
ptz_is_head(const uint8_t *p, size_t n)
{
	struct ptz_part part;
	return n >= PTZ_HEAD_SIZE && begins_tag(p, n) && ptz_part_read(p, &part);
}

/*
 * Passes over damage, up to the head of a part or to the end of the input, which may be that of
 * the file though what it knows of is damaged.
 */
static void
pass_damage(struct reading *reading)
{
	struct ptz_reader *state = reading->state;
	size_t have = 0, at = 1;
	bool goes_on = true;
	while (goes_on) {
		const uint8_t *p = in_peek(reading->in, IN_PEEK_MAX, &have);
		while (at < have && (state->foreign || !ptz_is_head(p + at, have - at)))
			at++;
		const bool is_last = at >= have && have < IN_PEEK_MAX;
		state->ended |= state->foreign;
		if (is_last && have >= PTZ_TAIL_SIZE)
			state->ended |= memcmp(p + have - PTZ_MAGIC_SIZE, PTZ_END_MAGIC,
						PTZ_MAGIC_SIZE) == 0;
		goes_on = at >= have && !is_last;
		/* Where more may follow, a head may begin within the last bytes. */
		in_consume(reading->in, goes_on ? have - PTZ_HEAD_SIZE : is_last ? have : at);
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
	if (have == 0 && !state->passed)
		return POLY_END;
	batch_put(batch, kind, 0, POLY_KIND_OTHER);
	batch_put(batch, origin, 0, state->offset);
	batch->view.rows = 1;
	if (!state->passed)
		pass_damage(reading);
	state->told = state->passed = false;
	return POLY_OK;
}

void
ptz_close(struct reading *reading)
{
	struct ptz_reader *state = reading->state;
	ptz_ahead_free(state->ahead);
	unpacked_fini(&state->segment);
	block_unpacker_free(state->unpacker);
	buf_free(&state->bytes);
	batch_fini(&state->templates);
	mem_free(state->moving);
	buf_free(&state->places.places);
	buf_free(&state->space);
	mem_free(state->records);
}
