/* SPDX-License-Identifier: MIT */
/*
 * Appending to a file: the file's metadata have to match those of the new trace. The end of the
 * file is found by its index, or section by section if the file has no end.
 */
#include "format/ptz/file.h"

#include "base/bits.h"
#include "base/err.h"
#include "base/checksum.h"

#include <string.h>

/* Maximum number of segments after the last index: an index's own limit. */
#define UNINDEXED_MAX 4096

/* A file whose end is searched. */
struct ending {
	struct writing *writing;
	struct reading *reading;
	uint64_t total;	    /* size of the file */
	uint64_t records;   /* in the segments so far */
	uint64_t index;	    /* offset of the last index; 0: none */
	uint64_t retained;  /* bytes up to the end of the last complete section */
	uint32_t number;    /* of the last segment */
	struct buf entries; /* struct ptz_index_entry of the segments after the last index */
};

static enum poly_status
fail_corrupt(uint64_t offset, const char *what, struct poly_error *error)
{
	return err_set(error, POLY_ERR_FORMAT, offset,
		"the packed trace is corrupt: %s; nothing was appended", what);
}

/* A key and its value in a head section. */
struct head_pair {
	const uint8_t *key, *value;
	size_t key_size, value_size;
};

static bool
is_key(const struct head_pair *pair, const char *key)
{
	return pair->key_size == strlen(key) && memcmp(pair->key, key, pair->key_size) == 0;
}

static const uint8_t *
parse_text(struct ptz_bytes *bytes, size_t *size)
{
	const uint64_t n = ptz_parse_varint(bytes);
	const uint8_t *p = bytes->p;
	bytes->bad |= n > (uint64_t)(bytes->end - p);
	*size = bytes->bad ? 0 : (size_t)n;
	bytes->p += *size;
	return p;
}

/* Returns whether a pair may differ: the first pc, the evidence of a dialect, and labels. */
static bool
is_free(const struct head_pair *pair)
{
	static const char evidence[] = ".evidence";
	static const char label[] = "label.";
	const size_t n = sizeof evidence - 1, m = sizeof label - 1;
	return is_key(pair, "first_pc") ||
	       (pair->key_size >= m && memcmp(pair->key, label, m) == 0) ||
	       (pair->key_size > n && memcmp(pair->key + pair->key_size - n, evidence, n) == 0);
}

/* Returns the next pair that must match; one without a key after the last. */
static struct head_pair
next_pair(struct ptz_bytes *bytes)
{
	struct head_pair pair = {0};
	while (bytes->p < bytes->end && !bytes->bad) {
		pair.key = parse_text(bytes, &pair.key_size);
		pair.value = parse_text(bytes, &pair.value_size);
		if (!is_free(&pair))
			return pair;
	}
	return (struct head_pair){.key = bytes->p, .value = bytes->p};
}

static bool
same(const uint8_t *a, size_t n, const uint8_t *b, size_t m)
{
	return n == m && (n == 0 || memcmp(a, b, n) == 0);
}

/* Fails if the metadata of the file and of the new trace differ. */
static enum poly_status
compare_heads(struct ptz_bytes *old, struct ptz_bytes *new, struct poly_error *error)
{
	for (;;) {
		struct head_pair old_pair = next_pair(old), new_pair = next_pair(new);
		/* The file may have more records than the trace. */
		while (is_key(&old_pair, "record") && !is_key(&new_pair, "record"))
			old_pair = next_pair(old);
		const bool same_key =
			same(old_pair.key, old_pair.key_size, new_pair.key, new_pair.key_size);
		if (same_key && !old_pair.key_size)
			return POLY_OK;
		if (same_key && same(old_pair.value, old_pair.value_size, new_pair.value,
					new_pair.value_size))
			continue;
		const struct head_pair *odd = new_pair.key_size ? &new_pair : &old_pair;
		if (!same_key)
			return err_set(error, POLY_ERR_LOSS, POLY_NO_OFFSET,
				"cannot append: only %s has the %.*s '%.*s'",
				new_pair.key_size ? "the input" : "the packed trace",
				(int)odd->key_size, (const char *)odd->key,
				(int)odd->value_size, (const char *)odd->value);
		return err_set(error, POLY_ERR_LOSS, POLY_NO_OFFSET,
			"cannot append: the %.*s of the input is '%.*s', that of the packed "
			"trace is "
			"'%.*s'",
			(int)new_pair.key_size, (const char *)new_pair.key,
			(int)new_pair.value_size, (const char *)new_pair.value,
			(int)old_pair.value_size, (const char *)old_pair.value);
	}
}

/* Opens the file and compares its metadata. */
static enum poly_status
open_head(struct ending *ending, struct poly_error *error)
{
	struct writing *writing = ending->writing;
	struct ptz_writer *writer = writing->state;
	struct buf head = {0}, *stored = &writer->head;
	enum poly_status status = ptz_open(ending->reading, error);
	if (status != POLY_OK)
		return status;
	const struct ptz_place place = {PTZ_TAG_HEAD, PTZ_MAGIC_SIZE, UINT64_MAX};
	ptz_put_head(&head, writing->source, writing->uses);
	const struct ptz_reader *state = ending->reading->state;
	if (state->rescued || !ptz_load_front(ending->reading->in, &place, stored))
		status = fail_corrupt(0, "its magic or head section is invalid", error);
	else if (head.failed || stored->failed)
		status = err_memory(error);
	else
		status = compare_heads(
			&(struct ptz_bytes){stored->data, stored->data + stored->size, false},
			&(struct ptz_bytes){head.data, head.data + head.size, false}, error);
	buf_free(&head);
	return status;
}

/* Finds the end by the indexes; returns false if no index is valid. */
static bool
find_end(struct ending *ending)
{
	const struct ptz_reader *state = ending->reading->state;
	struct ptz_index index;
	uint8_t head[PTZ_HEADER_SIZE];
	struct ptz_section section;
	if (!ptz_load_index(ending->reading->in, state, &index))
		return false;
	const bool good =
		ptz_read_at(ending->reading->in, index.end, head, sizeof head) &&
		ptz_parse_header(head, &section) &&
		index.end + PTZ_HEADER_SIZE + section.body + PTZ_TAIL_SIZE == ending->total &&
		(index.number || !index.count);
	ending->number = index.number;
	ending->records = index.records;
	ending->index = index.end;
	ending->retained = ending->total - PTZ_TAIL_SIZE;
	buf_free(&index.entries);
	return good;
}

/* Adds a segment that is complete according to its header. */
static enum poly_status
add_segment(struct ending *ending, const struct ptz_section *section, const uint8_t *front,
	struct poly_error *error)
{
	if (section->front < PTZ_FRONT_SIZE ||
		!ptz_is_in_sequence(ending->reading->state, front) ||
		load_le32(front + 8) > PTZ_ROWS_MAX)
		return fail_corrupt(
			ending->retained, "records before a segment are missing", error);
	ptz_set_current(ending->reading->state, front);
	const struct ptz_index_entry entry = {.offset = ending->retained,
		.first = ending->records,
		.rows = load_le32(front + 8),
		.known = (1u << PTZ_RANGES) - 1,
		.range = {{UINT64_MAX, 0}, {UINT64_MAX, 0}, {UINT64_MAX, 0}}};
	ending->records += entry.rows;
	ending->number = load_le32(front + 20);
	buf_append(&ending->entries, &entry, sizeof entry);
	if (ending->entries.size / sizeof entry > UNINDEXED_MAX)
		return err_set(error, POLY_ERR_LIMIT, ending->retained,
			"more than %d segments follow the last index", UNINDEXED_MAX);
	return ending->entries.failed ? err_memory(error) : POLY_OK;
}

/* Fails if a valid section follows an invalid one: then that is not the end. */
static enum poly_status
expect_no_section(struct ending *ending, struct poly_error *error)
{
	struct in *in = ending->reading->in;
	size_t have;
	in_peek(in, 1, &have);
	while (have) {
		const uint8_t *p = in_peek(in, IN_PEEK_MAX, &have);
		for (size_t at = 1; at < have; at++) {
			if (ptz_is_header(p + at, have - at))
				return fail_corrupt(ending->retained,
					"valid sections follow corrupt data", error);
		}
		in_consume(in, have > PTZ_HEADER_SIZE ? have - PTZ_HEADER_SIZE : have);
	}
	return POLY_OK;
}

/* Reads section by section, up to the first one that is incomplete. */
static enum poly_status
scan_sections(struct ending *ending, struct poly_error *error)
{
	struct ptz_reader *state = ending->reading->state;
	for (;;) {
		struct ptz_section section;
		struct poly_error why;
		const uint8_t *front = NULL;
		ending->retained = in_offset(ending->reading->in);
		enum poly_status status = ptz_peek_section(ending->reading, &section, &why);
		if (status == POLY_END)
			return POLY_OK;
		if (status == POLY_OK)
			status = ptz_peek_front(ending->reading, &section, &front, &why);
		if (status != POLY_OK ||
			section.body > ending->total - ending->retained - PTZ_HEADER_SIZE)
			return expect_no_section(ending, error);
		if (section.tag == PTZ_TAG_SEGMENT) {
			if ((status = add_segment(ending, &section, front, error)) != POLY_OK)
				return status;
		} else if (section.tag == PTZ_TAG_INDEX) {
			state->index = ending->index = ending->retained;
			buf_clear(&ending->entries);
		}
		if (!ptz_skip_section(ending->reading, &section))
			return expect_no_section(ending, error);
	}
}

/* Extends the ranges of the unindexed segment that a batch is of. */
static void
extend_ranges(struct ending *ending, const struct poly_batch *batch)
{
	struct ptz_index_entry *entry = (void *)ending->entries.data;
	const size_t count = ending->entries.size / sizeof *entry;
	for (size_t i = 0; i < count; i++) {
		const bool inside = batch->first - entry[i].first < entry[i].rows;
		for (unsigned k = 0; inside && k < PTZ_RANGES; k++)
			ptz_extend_range(&entry[i].range[k], batch,
				(enum poly_column)ptz_range_columns[k]);
	}
}

/* Drops the last segment, whose bytes were never written. */
static enum poly_status
drop_last(struct ending *ending, uint64_t delivered, struct poly_error *error)
{
	const struct ptz_index_entry *entry = (const void *)ending->entries.data;
	const struct ptz_index_entry *last = entry + ending->entries.size / sizeof *entry - 1;
	if (delivered != last->first)
		return fail_corrupt(
			last->offset, "a segment before the last one is invalid", error);
	ending->retained = last->offset;
	ending->records = last->first;
	ending->number--;
	ending->entries.size -= sizeof *entry;
	return POLY_OK;
}

/* Reads the segments after the last index: checks that they are complete, and computes their
 * ranges. */
static enum poly_status
read_unindexed(struct ending *ending, struct poly_error *error)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	const struct poly_batch *batch;
	struct poly_error why;
	if (!ending->entries.size)
		return POLY_OK;
	const uint64_t first =
		((const struct ptz_index_entry *)(const void *)ending->entries.data)->first;
	uint64_t delivered = first;
	options.format = "ptz";
	options.columns = POLY_COLUMNS_EXCEPT(site);
	options.skip = first;
	options.count = ending->records - first;
	enum poly_status status =
		poly_reader_open(ending->writing->path, &options, &reader, error);
	if (status != POLY_OK)
		return status;
	while ((status = poly_reader_next(reader, &batch, &why)) == POLY_OK) {
		extend_ranges(ending, batch);
		delivered = batch->first + batch->rows;
	}
	poly_reader_close(reader);
	if (status == POLY_ERR_FORMAT)
		return drop_last(ending, delivered, error);
	if (status < 0 && error)
		*error = why;
	return status < 0 ? status : POLY_OK;
}

/* Returns whether the index at an offset has this chain. */
static bool
is_chained(const struct ending *ending, uint64_t offset, uint64_t chain)
{
	struct buf front = {0};
	struct ptz_index_front index;
	const struct ptz_place place = {PTZ_TAG_INDEX, offset, ending->retained};
	const bool good = ptz_load_front(ending->reading->in, &place, &front) &&
			  ptz_parse_index(front.data, front.size, &index) &&
			  index.chain == chain;
	buf_free(&front);
	return good;
}

/* Computes the chain of the retained sections from their headers alone. */
static enum poly_status
chain_parts(const struct ending *ending, uint64_t *chain, struct poly_error *error)
{
	uint64_t offset = PTZ_MAGIC_SIZE;
	*chain = 0;
	while (offset < ending->retained) {
		uint8_t head[PTZ_HEADER_SIZE];
		struct ptz_section section;
		if (ending->retained - offset < sizeof head ||
			!ptz_read_at(ending->reading->in, offset, head, sizeof head) ||
			!ptz_parse_header(head, &section) ||
			section.body > ending->retained - offset - sizeof head)
			return fail_corrupt(
				offset, "the header of a section is invalid", error);
		if (section.tag == PTZ_TAG_INDEX && !is_chained(ending, offset, *chain))
			return fail_corrupt(offset,
				"an index does not match the sections before it", error);
		*chain = ptz_next_chain(*chain, head);
		offset += sizeof head + section.body;
	}
	return POLY_OK;
}

/* Finds the end of the file, and its contents. */
static enum poly_status
find_contents(struct ending *ending, struct poly_error *error)
{
	enum poly_status status = open_head(ending, error);
	if (status != POLY_OK || find_end(ending))
		return status;
	ending->number = 0;
	ending->index = ending->records = 0;
	status = scan_sections(ending, error);
	if (status == POLY_OK)
		status = read_unindexed(ending, error);
	if (status == POLY_OK)
		writing_note(ending->writing, "the packed trace had no end: the data after its "
					      "last complete segment was "
					      "removed");
	return status;
}

enum poly_status
ptz_append(struct writing *writing, struct poly_error *error)
{
	struct ptz_writer *state = writing->state;
	struct ptz_reader reader = {.reported = true}; /* truncation is not a finding here */
	struct info info;
	struct reading reading = {.state = &reader, .in = writing->old, .info = &info};
	struct ending ending = {.writing = writing, .reading = &reading};
	uint64_t taken;
	info_init(&info);
	in_progress(writing->old, &taken, &ending.total);
	enum poly_status status = find_contents(&ending, error);
	if (status == POLY_OK)
		status = chain_parts(&ending, &state->chain, error);
	ptz_close(&reading);
	info_fini(&info);
	writing->kept = ending.retained;
	writing->before = ending.records;
	state->offset = ending.retained;
	state->index = ending.index;
	state->begin.first = ending.records;
	state->begin.number = ending.number;
	state->entries = ending.entries;
	return status;
}
