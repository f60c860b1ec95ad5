/* SPDX-License-Identifier: MIT */
/* The templates of a segment as streams, and the names that they use. */
#include "format/ptz/pack.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"

#include <string.h>

/* Not numbered yet. */
#define NONE UINT32_MAX

/* Returns the value of a template's column; of slices the length. */
static uint64_t
template_value(const struct dictionary *dictionary, enum poly_column column, uint32_t number)
{
	const void *values = dictionary->values[column];
	switch (ptz_column_size(column)) {
	case 1: return ((const uint8_t *)values)[number];
	case 2: return ((const uint16_t *)values)[number];
	case 4: return ((const uint32_t *)values)[number];
	case 8: return ((const uint64_t *)values)[number];
	}
	return ((const struct poly_slice *)values)[number].length;
}

/* Numbers of names within the segment, in the order of first use; and their text. */
struct name_table {
	uint32_t *number; /* by the trace's number */
	size_t capacity;
	uint32_t count;
	struct buf text;
};

static uint64_t
name_number(struct segment_packing *packing, struct name_table *names, uint64_t name)
{
	const size_t old = names->capacity;
	if (!VEC_ROOM(names->number, names->capacity, name)) {
		packing->status = err_memory(packing->error);
		return 0;
	}
	for (size_t i = old; i < names->capacity; i++)
		names->number[i] = NONE;
	if (names->number[name] == NONE) {
		const char *text = ptz_name(packing->packer->names, (uint32_t)name);
		names->number[name] = names->count++;
		buf_append(&names->text, text ? text : "", strlen(text ? text : "") + 1);
	}
	return names->number[name];
}

/* Adds a static column. */
static void
pack_fixed(struct segment_packing *packing, enum poly_column column, struct name_table *names,
	uint64_t *room, uint64_t *pcs)
{
	const struct dictionary *dictionary = &packing->segment->dictionary;
	const unsigned size = ptz_column_size(column);
	const bool is_name = poly_column_form(column) == POLY_FORM_NAME;
	struct ptz_values values = {.values = room};
	bool has_pc = column != POLY_COLUMN_pc && size == 8;
	if (!dictionary->values[column])
		return;
	for (uint32_t t = 0; t < dictionary->count && packing->status == POLY_OK; t++) {
		const column_mask fixed = dictionary->shapes[t].fixed;
		if (!(fixed >> column & 1))
			continue;
		const uint64_t v = template_value(dictionary, column, t);
		has_pc &= (fixed & COLUMN_MASK(pc)) != 0;
		pcs[values.count] = has_pc ? template_value(dictionary, POLY_COLUMN_pc, t) : 0;
		room[values.count++] = is_name ? name_number(packing, names, v) : v;
	}
	values.pc = has_pc ? pcs : NULL;
	pack_values(packing, PTZ_STATIC, column, &values);
	if (size)
		return;
	buf_clear(&packing->coded);
	for (uint32_t t = 0; t < dictionary->count; t++) {
		const struct poly_slice *slice =
			(const struct poly_slice *)dictionary->values[column] + t;
		if (dictionary->shapes[t].fixed >> column & 1)
			buf_append(&packing->coded, dictionary->bytes.data + slice->offset,
				slice->length);
	}
	const struct ptz_stream stream = {
		.role = PTZ_STATIC_BYTES, .column = (uint8_t)column, .coding = PTZ_BYTES};
	pack_stream(packing, stream, packing->coded.data, packing->coded.size);
}

void
pack_templates(struct segment_packing *packing)
{
	const size_t count = packing->segment->dictionary.count;
	struct name_table names = {0};
	uint64_t *room = mem_new(count + 1, sizeof *room),
		 *pcs = mem_new(count + 1, sizeof *pcs);
	if (!room || !pcs)
		packing->status = err_memory(packing->error);
	for (unsigned c = 0; c < POLY_COLUMN_COUNT && packing->status == POLY_OK; c++)
		pack_fixed(packing, (enum poly_column)c, &names, room, pcs);
	if (names.text.failed)
		packing->status = err_memory(packing->error);
	const struct ptz_stream stream = {
		.role = PTZ_NAMES, .coding = PTZ_BYTES, .values = names.count};
	pack_stream(packing, stream, names.text.data, names.text.size);
	buf_free(&names.text);
	mem_free(names.number);
	mem_free(room);
	mem_free(pcs);
}
