/* SPDX-License-Identifier: MIT */
/*
 * Skipping segments: by the indexes at the end if the size of the input is known, otherwise by
 * the segments' headers. Neither loads a stream.
 */
#include "format/ptz/file.h"

#include "base/bits.h"

#include <string.h>

/* Parses a segment's entry, with the columns of its ranges. */
static struct ptz_index_entry
parse_entry(const struct ptz_reader *state, const uint8_t *p, const uint8_t *columns,
	uint32_t ranges)
{
	struct ptz_index_entry entry = {
		load_le64(p), load_le64(p + 8), load_le64(p + 16), 0, {{0, 0}}};
	for (uint32_t i = 0; i < ranges; i++) {
		const uint8_t *range = p + PTZ_ENTRY_SIZE + i * (size_t)PTZ_RANGE_SIZE;
		const uint8_t column =
			columns[i] < state->column_count ? state->column_map[columns[i]] : 255;
		for (unsigned k = 0; k < PTZ_RANGES; k++) {
			if (column != ptz_range_columns[k])
				continue;
			entry.known |= 1u << k;
			entry.range[k] =
				(struct ptz_range){load_le64(range), load_le64(range + 8)};
		}
	}
	return entry;
}

/* Adds the sections of an index at an offset; returns false if they are implausible, or unknown
 * and required. */
static bool
add_entries(const struct ptz_reader *state, struct ptz_index *index, const uint8_t *front,
	size_t n, uint64_t offset)
{
	struct ptz_index_front parsed;
	if (!ptz_parse_index(front, n, &parsed))
		return false;
	const size_t size = PTZ_ENTRY_SIZE + parsed.ranges * (size_t)PTZ_RANGE_SIZE;
	for (uint32_t i = 0; i < parsed.segments; i++) {
		const struct ptz_index_entry entry = parse_entry(
			state, front + PTZ_INDEX_SIZE + i * size, front + 16, parsed.ranges);
		if (entry.first != index->records || entry.rows > PTZ_ROWS_MAX ||
			entry.offset < index->end || entry.offset >= offset)
			return false;
		index->records += entry.rows;
		index->end = entry.offset + PTZ_HEADER_SIZE;
		index->count++;
		buf_append(&index->entries, &entry, sizeof entry);
	}
	for (uint32_t i = 0; i < parsed.other_count; i++) {
		const uint8_t *other = parsed.others + i * (size_t)PTZ_OTHER_SIZE;
		const uint32_t tag = load_le32(other + 8);
		if (ptz_is_refused(tag) || load_le64(other) >= offset)
			return false;
		if (tag == PTZ_TAG_COPY)
			index->copy = load_le64(other);
	}
	index->end = offset;
	return !index->entries.failed;
}

/* An index in the chain from the last one to the first. */
struct index_step {
	uint64_t offset;
	size_t front, size; /* where its front starts in the fronts, and its bytes */
};

/* Loads the entries of all indexes; the last index is at an offset. */
static bool
load_indexes(const struct in *in, const struct ptz_reader *state, uint64_t offset,
	struct ptz_index *index)
{
	struct buf fronts = {0}, steps = {0};
	uint64_t end = UINT64_MAX;
	bool good = true;
	do {
		struct index_step step = {offset, fronts.size, 0};
		struct ptz_index_front parsed;
		good = ptz_load_front(
			in, &(struct ptz_place){PTZ_TAG_INDEX, offset, end}, &fronts);
		step.size = fronts.size - step.front;
		buf_append(&steps, &step, sizeof step);
		good = good && !steps.failed &&
		       ptz_parse_index(fronts.data + step.front, step.size, &parsed) &&
		       parsed.before < offset;
		end = offset;
		offset = good ? parsed.before : 0;
	} while (good && offset);
	const struct index_step *step = (const void *)steps.data;
	for (size_t i = steps.size / sizeof *step; good && i-- > 0;)
		good = add_entries(state, index, fronts.data + step[i].front, step[i].size,
			step[i].offset);
	buf_free(&fronts);
	buf_free(&steps);
	return good;
}

/* Returns the number of the last segment; 0: it does not match its entry. */
static uint32_t
last_number(const struct in *in, const struct ptz_index *index)
{
	const struct ptz_index_entry *last = (const void *)index->entries.data;
	uint8_t head[PTZ_HEADER_SIZE + PTZ_FRONT_SIZE];
	const uint8_t *front = head + PTZ_HEADER_SIZE;
	struct ptz_section section;
	if (!index->count)
		return 0;
	last += index->count - 1;
	const bool same = ptz_read_at(in, last->offset, head, sizeof head) &&
			  ptz_parse_header(head, &section) && section.tag == PTZ_TAG_SEGMENT &&
			  load_le64(front) == last->first && load_le32(front + 8) == last->rows;
	return same ? load_le32(front + 20) : 0;
}

bool
ptz_load_index(const struct in *in, const struct ptz_reader *state, struct ptz_index *index)
{
	uint8_t tail[PTZ_TAIL_SIZE];
	uint64_t taken, total;
	*index = (struct ptz_index){.end = PTZ_MAGIC_SIZE};
	in_progress(in, &taken, &total);
	if (!in_is_random(in) || total < PTZ_TAIL_SIZE ||
		!ptz_read_at(in, total - PTZ_TAIL_SIZE, tail, sizeof tail) ||
		memcmp(tail + PTZ_MAGIC_SIZE, PTZ_END_MAGIC, PTZ_MAGIC_SIZE) != 0)
		return false;
	if (!load_indexes(in, state, load_le64(tail), index)) {
		buf_free(&index->entries);
		return false;
	}
	index->number = last_number(in, index);
	return true;
}

/* Returns the trace's index, which is looked up once; NULL: none can be used. */
static struct ptz_index *
get_index(struct reading *reading)
{
	struct ptz_reader *state = reading->state;
	if (!state->index_tried)
		state->has_index = ptz_load_index(reading->in, state, &state->index_entries);
	state->index_tried = true;
	return state->has_index ? &state->index_entries : NULL;
}

/*
 * Seeks to the i-th segment, or to the last index after all segments. Returns false, and
 * discards the index, if something else is there.
 */
static bool
seek_segment(struct reading *reading, size_t i)
{
	struct ptz_reader *state = reading->state;
	const struct ptz_index *index = &state->index_entries;
	const struct ptz_index_entry *entries = (const void *)index->entries.data;
	const bool is_end = i == index->count;
	const uint64_t offset = is_end ? index->end : entries[i].offset;
	uint8_t head[PTZ_HEADER_SIZE + PTZ_FRONT_SIZE];
	struct ptz_section section;
	state->has_index = offset >= in_offset(reading->in) &&
			   ptz_read_at(reading->in, offset, head, sizeof head) &&
			   ptz_parse_header(head, &section) &&
			   section.tag == (is_end ? PTZ_TAG_INDEX : PTZ_TAG_SEGMENT) &&
			   (is_end || load_le64(head + PTZ_HEADER_SIZE) == entries[i].first);
	if (!state->has_index)
		return false;
	/* Messages name the previous segment. */
	if (!is_end)
		state->number = load_le32(head + PTZ_HEADER_SIZE + 20) - 1;
	state->next_record = is_end ? index->records : entries[i].first;
	state->position_lost = is_end;
	in_seek(reading->in, offset);
	return true;
}

/* Returns the segment of record n; the number of segments if n is past the last one. */
static size_t
find_segment(const struct ptz_index *index, uint64_t n)
{
	const struct ptz_index_entry *entry = (const void *)index->entries.data;
	size_t low = 0, high = index->count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (n >= entry[middle].first + entry[middle].rows)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Skips segments by their headers. */
static uint64_t
skip_by_headers(struct reading *reading, uint64_t n)
{
	struct ptz_reader *state = reading->state;
	struct ptz_section section;
	const uint8_t *front;
	uint64_t skipped = 0;
	while (ptz_peek_section(reading, &section, NULL) == POLY_OK &&
		ptz_peek_front(reading, &section, &front, NULL) == POLY_OK) {
		uint8_t header[PTZ_FRONT_SIZE];
		if (section.tag != PTZ_TAG_SEGMENT) {
			if (ptz_verify_and_skip(reading, &section, front, NULL) != POLY_OK)
				break;
			continue;
		}
		if (section.front < PTZ_FRONT_SIZE)
			break;
		memcpy(header, front, sizeof header);
		const uint32_t rows = load_le32(header + 8);
		if (rows > n - skipped || !ptz_is_in_sequence(state, header) ||
			!ptz_skip_section(reading, &section))
			break;
		ptz_set_current(state, header);
		skipped += rows;
	}
	return skipped;
}

uint64_t
ptz_skip_records(struct reading *reading, uint64_t n)
{
	const struct ptz_index *index = get_index(reading);
	const size_t i = index ? find_segment(index, n) : 0;
	if (!index || !seek_segment(reading, i))
		return skip_by_headers(reading, n);
	const struct ptz_index_entry *entries = (const void *)index->entries.data;
	return i == index->count ? index->records : entries[i].first;
}

/* Returns whether records of a segment may be selected. */
static bool
is_wanted(const struct reading *reading, const struct ptz_index_entry *entry)
{
	const struct ptz_index *index =
		&((const struct ptz_reader *)reading->state)->index_entries;
	struct poly_bounds bounds = {.first = entry->first, .rows = entry->rows};
	/* Only the last segment's number determines how many records follow. */
	if (index->number)
		bounds.following = index->records - entry->first - entry->rows;
	for (unsigned k = 0; k < PTZ_RANGES; k++) {
		const struct ptz_range *range = &entry->range[k];
		if (entry->known >> k & 1)
			bounds.ranges[bounds.count++] = (struct poly_range){
				(enum poly_column)ptz_range_columns[k], range->min, range->max};
	}
	return entry->rows && reading->may_match(reading->user, &bounds);
}

uint64_t
ptz_skip_unselected(struct reading *reading)
{
	struct ptz_index *index = reading->may_match ? get_index(reading) : NULL;
	if (!index)
		return 0;
	const uint64_t at = in_offset(reading->in);
	const struct ptz_index_entry *entry = (const void *)index->entries.data;
	size_t here = index->checked;
	/* A segment that was selected has been read since. */
	while (here < index->count && entry[here].offset < at)
		here++;
	if (here >= index->count || entry[here].offset != at)
		return 0;
	size_t next = here;
	while (next < index->count && !is_wanted(reading, &entry[next]))
		next++;
	index->checked = next + 1;
	if (next == here || !seek_segment(reading, next))
		return 0;
	return (next == index->count ? index->records : entry[next].first) - entry[here].first;
}
