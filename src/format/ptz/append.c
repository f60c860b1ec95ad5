/* SPDX-License-Identifier: MIT */
/*
 * Going on behind the segments of a file: what it says of the trace has to be what the new one
 * says, and where it ends is found by its index, or by going from part to part where it has no
 * end.
 */
#include "format/ptz/file.h"

#include "base/bits.h"
#include "base/err.h"
#include "io/checksum.h"

#include <string.h>

/* Most segments that no index tells of: as many as one may have. */
#define LOOSE_MOST 4096

/* A file whose end is looked for. */
struct ending {
	struct writing *writing;
	struct reading *reading;
	uint64_t total;	   /* its size */
	uint64_t records;  /* in the segments so far */
	uint64_t index;	   /* the last one's offset; 0: none */
	uint64_t kept;	   /* bytes up to the end of the last whole part */
	uint32_t number;   /* of the last segment */
	struct buf places; /* struct ptz_place of segments behind the last index */
};

static enum poly_status
damaged(uint64_t offset, const char *what, struct poly_error *error)
{
	return err_set(error, POLY_ERR_FORMAT, offset,
		"the packed trace is damaged: %s; nothing was appended", what);
}

/* A pair of a head. */
struct pair {
	const uint8_t *key, *value;
	size_t key_size, value_size;
};

static bool
is_key(const struct pair *pair, const char *key)
{
	return pair->key_size == strlen(key) && memcmp(pair->key, key, pair->key_size) == 0;
}

static const uint8_t *
take_text(struct ptz_bytes *bytes, size_t *size)
{
	const uint64_t n = ptz_take(bytes);
	const uint8_t *p = bytes->p;
	bytes->bad |= n > (uint64_t)(bytes->end - p);
	*size = bytes->bad ? 0 : (size_t)n;
	bytes->p += *size;
	return p;
}

/* What may differ: where the first instruction is, why a dialect was believed, and labels. */
static bool
is_free(const struct pair *pair)
{
	static const char evidence[] = ".evidence";
	static const char label[] = "label.";
	const size_t n = sizeof evidence - 1, m = sizeof label - 1;
	return is_key(pair, "first_pc") ||
	       (pair->key_size >= m && memcmp(pair->key, label, m) == 0) ||
	       (pair->key_size > n && memcmp(pair->key + pair->key_size - n, evidence, n) == 0);
}

/* The next pair that counts; without a key behind the last one. */
static struct pair
next_pair(struct ptz_bytes *bytes)
{
	struct pair pair = {0};
	while (bytes->p < bytes->end && !bytes->bad) {
		pair.key = take_text(bytes, &pair.key_size);
		pair.value = take_text(bytes, &pair.value_size);
		if (!is_free(&pair))
			return pair;
	}
	return (struct pair){.key = bytes->p, .value = bytes->p};
}

static bool
same(const uint8_t *a, size_t n, const uint8_t *b, size_t m)
{
	return n == m && (n == 0 || memcmp(a, b, n) == 0);
}

/* Fails where the heads of the file and of the new trace say different things. */
static enum poly_status
compare_heads(struct ptz_bytes *old, struct ptz_bytes *new, struct poly_error *error)
{
	for (;;) {
		struct pair was = next_pair(old), is = next_pair(new);
		/* The file may know more records than the trace. */
		while (is_key(&was, "record") && !is_key(&is, "record"))
			was = next_pair(old);
		const bool same_key = same(was.key, was.key_size, is.key, is.key_size);
		if (same_key && !was.key_size)
			return POLY_OK;
		if (same_key && same(was.value, was.value_size, is.value, is.value_size))
			continue;
		const struct pair *said = is.key_size ? &is : &was;
		if (!same_key)
			return err_set(error, POLY_ERR_LOSS, POLY_NO_OFFSET,
				"what is appended does not fit: only %s has the %.*s '%.*s'",
				is.key_size ? "it" : "the packed trace", (int)said->key_size,
				(const char *)said->key, (int)said->value_size,
				(const char *)said->value);
		return err_set(error, POLY_ERR_LOSS, POLY_NO_OFFSET,
			"what is appended does not fit: its %.*s is '%.*s', and that of the "
			"packed trace '%.*s'",
			(int)is.key_size, (const char *)is.key, (int)is.value_size,
			(const char *)is.value, (int)was.value_size, (const char *)was.value);
	}
}

/* Opens the file, and sees that it is of such a trace. */
static enum poly_status
open_head(struct ending *it, struct poly_error *error)
{
	struct writing *writing = it->writing;
	struct buf head = {0}, there = {0};
	enum poly_status status = ptz_open(it->reading, error);
	if (status != POLY_OK)
		return status;
	const size_t before = PTZ_MAGIC_SIZE + PTZ_HEAD_SIZE;
	const size_t size = (size_t)in_offset(it->reading->in) - before;
	ptz_head_put(&head, writing->source, writing->uses);
	uint8_t *room = buf_reserve(&there, size);
	if (head.failed || !room)
		status = err_memory(error);
	else if (!ptz_take_at(it->reading->in, before, room, size))
		status = damaged(PTZ_MAGIC_SIZE, "its head can't be read again", error);
	else
		status = compare_heads(&(struct ptz_bytes){room, room + size, false},
			&(struct ptz_bytes){head.data, head.data + head.size, false}, error);
	buf_free(&head);
	buf_free(&there);
	return status;
}

/* Finds the end by the indexes; false: there is none that can be trusted. */
static bool
find_end(struct ending *it)
{
	const struct ptz_reader *state = it->reading->state;
	struct ptz_index index;
	uint8_t head[PTZ_HEAD_SIZE];
	struct ptz_part part;
	if (!ptz_index_take(it->reading->in, state, &index))
		return false;
	const bool good = ptz_take_at(it->reading->in, index.end, head, sizeof head) &&
			  ptz_part_read(head, &part) &&
			  index.end + PTZ_HEAD_SIZE + part.body + PTZ_TAIL_SIZE == it->total &&
			  (index.number || !index.count);
	it->number = index.number;
	it->records = index.records;
	it->index = index.end;
	it->kept = it->total - PTZ_TAIL_SIZE;
	buf_free(&index.places);
	return good;
}

/* Takes a segment into account that is whole as far as its head says. */
static enum poly_status
meet_segment(struct ending *it, const struct ptz_part *part, const uint8_t *front,
	struct poly_error *error)
{
	if (part->front < PTZ_FRONT_SIZE || !ptz_follows(it->reading->state, front) ||
		load_le32(front + 8) > PTZ_ROWS_MOST)
		return damaged(it->kept, "records before a segment are missing", error);
	ptz_meet(it->reading->state, front);
	const struct ptz_place place = {.offset = it->kept,
		.first = it->records,
		.rows = load_le32(front + 8),
		.known = (1u << PTZ_RANGES) - 1,
		.range = {{UINT64_MAX, 0}, {UINT64_MAX, 0}, {UINT64_MAX, 0}}};
	it->records += place.rows;
	it->number = load_le32(front + 20);
	buf_append(&it->places, &place, sizeof place);
	if (it->places.size / sizeof place > LOOSE_MOST)
		return err_set(error, POLY_ERR_LIMIT, it->kept,
			"no index tells of more than %d segments", LOOSE_MOST);
	return it->places.failed ? err_memory(error) : POLY_OK;
}

/* Fails where a sound part follows behind what is none: then it is not the end. */
static enum poly_status
expect_nothing(struct ending *it, struct poly_error *error)
{
	struct in *in = it->reading->in;
	size_t have;
	in_peek(in, 1, &have);
	while (have) {
		const uint8_t *p = in_peek(in, IN_PEEK_MAX, &have);
		for (size_t at = 1; at < have; at++) {
			if (ptz_is_head(p + at, have - at))
				return damaged(it->kept, "sound parts follow behind the damage",
					error);
		}
		in_consume(in, have > PTZ_HEAD_SIZE ? have - PTZ_HEAD_SIZE : have);
	}
	return POLY_OK;
}

/* Goes from part to part, up to the first one that is not whole. */
static enum poly_status
walk(struct ending *it, struct poly_error *error)
{
	struct ptz_reader *state = it->reading->state;
	for (;;) {
		struct ptz_part part;
		struct poly_error why;
		const uint8_t *front = NULL;
		it->kept = in_offset(it->reading->in);
		enum poly_status status = ptz_next_part(it->reading, &part, &why);
		if (status == POLY_END)
			return POLY_OK;
		if (status == POLY_OK)
			status = ptz_part_front(it->reading, &part, &front, &why);
		if (status != POLY_OK || part.body > it->total - it->kept - PTZ_HEAD_SIZE)
			return expect_nothing(it, error);
		if (part.tag == PTZ_TAG_SEGMENT) {
			if ((status = meet_segment(it, &part, front, error)) != POLY_OK)
				return status;
		} else if (part.tag == PTZ_TAG_INDEX) {
			state->index = it->index = it->kept;
			buf_clear(&it->places);
		}
		if (!ptz_pass(it->reading, &part))
			return expect_nothing(it, error);
	}
}

/* Widens the ranges of the loose segments by a batch, which is of one of them. */
static void
widen_places(struct ending *it, const struct poly_batch *batch)
{
	struct ptz_place *place = (void *)it->places.data;
	const size_t count = it->places.size / sizeof *place;
	for (size_t i = 0; i < count; i++) {
		const bool is = batch->first - place[i].first < place[i].rows;
		for (unsigned k = 0; is && k < PTZ_RANGES; k++)
			ptz_widen(&place[i].range[k], batch,
				(enum poly_column)ptz_range_columns[k]);
	}
}

/* Leaves out the last segment, whose bytes never came. */
static enum poly_status
drop_last(struct ending *it, uint64_t delivered, struct poly_error *error)
{
	const struct ptz_place *place = (const void *)it->places.data;
	const struct ptz_place *last = place + it->places.size / sizeof *place - 1;
	if (delivered != last->first)
		return damaged(last->offset, "a segment that is not the last one", error);
	it->kept = last->offset;
	it->records = last->first;
	it->number--;
	it->places.size -= sizeof *place;
	return POLY_OK;
}

/* Reads the segments that no index tells of: are they whole, and what are their ranges? */
static enum poly_status
read_loose(struct ending *it, struct poly_error *error)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	const struct poly_batch *batch;
	struct poly_error why;
	if (!it->places.size)
		return POLY_OK;
	const uint64_t first = ((const struct ptz_place *)(const void *)it->places.data)->first;
	uint64_t delivered = first;
	options.format = "ptz";
	options.columns = POLY_ALL_COLUMNS & ~POLY_HAS(site);
	options.skip = first;
	options.count = it->records - first;
	enum poly_status status = poly_reader_open(it->writing->path, &options, &reader, error);
	if (status != POLY_OK)
		return status;
	while ((status = poly_reader_next(reader, &batch, &why)) == POLY_OK) {
		widen_places(it, batch);
		delivered = batch->first + batch->rows;
	}
	poly_reader_close(reader);
	if (status == POLY_ERR_FORMAT)
		return drop_last(it, delivered, error);
	if (status < 0 && error)
		*error = why;
	return status < 0 ? status : POLY_OK;
}

/* True where the index at an offset tells this chain, or none. */
static bool
is_chained(const struct ending *it, uint64_t offset, uint64_t chain)
{
	struct buf front = {0};
	uint64_t said = chain;
	const bool good = ptz_index_front(it->reading->in, offset, it->kept, &front);
	if (good)
		ptz_index_chain(front.data, front.size, &said);
	buf_free(&front);
	return good && said == chain;
}

/* Goes on with the chain of the parts that are kept, by their heads alone. */
static enum poly_status
chain_parts(const struct ending *it, uint64_t *chain, struct poly_error *error)
{
	uint64_t offset = PTZ_MAGIC_SIZE;
	*chain = 0;
	while (offset < it->kept) {
		uint8_t head[PTZ_HEAD_SIZE];
		struct ptz_part part;
		if (it->kept - offset < sizeof head ||
			!ptz_take_at(it->reading->in, offset, head, sizeof head) ||
			!ptz_part_read(head, &part) ||
			part.body > it->kept - offset - sizeof head)
			return damaged(offset, "the head of a part is not sound", error);
		if (part.tag == PTZ_TAG_INDEX && !is_chained(it, offset, *chain))
			return damaged(offset,
				"an index stands behind other parts than it was written behind",
				error);
		*chain = ptz_chain(*chain, head);
		offset += sizeof head + part.body;
	}
	return POLY_OK;
}

/* Finds where the file ends, and what is in it. */
static enum poly_status
find(struct ending *it, struct poly_error *error)
{
	enum poly_status status = open_head(it, error);
	if (status != POLY_OK || find_end(it))
		return status;
	it->number = 0;
	it->index = it->records = 0;
	status = walk(it, error);
	if (status == POLY_OK)
		status = read_loose(it, error);
	if (status == POLY_OK)
		writing_note(it->writing,
			"the packed trace had no end: what stood behind its last whole segment "
			"was cut off");
	return status;
}

enum poly_status
ptz_append(struct writing *writing, struct poly_error *error)
{
	struct ptz_writer *state = writing->state;
	struct ptz_reader reader = {.told = true}; /* that it is cut off is no finding here */
	struct info info;
	struct reading reading = {.state = &reader, .in = writing->old, .info = &info};
	struct ending it = {.writing = writing, .reading = &reading};
	uint64_t taken;
	info_init(&info);
	in_progress(writing->old, &taken, &it.total);
	enum poly_status status = find(&it, error);
	if (status == POLY_OK)
		status = chain_parts(&it, &state->chain, error);
	ptz_close(&reading);
	info_fini(&info);
	writing->kept = it.kept;
	writing->before = it.records;
	state->offset = it.kept;
	state->index = it.index;
	state->begin.first = it.records;
	state->begin.number = it.number;
	state->places = it.places;
	return status;
}
