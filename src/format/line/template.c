/* SPDX-License-Identifier: MIT */
/* The templates: learns lines. */
#include "format/line/template.h"

#include "format/line/number.h"

#include "base/bits.h"
#include "base/mem.h"
#include "model/columns.h"

#include <string.h>

/* Maximum distance from a line with a PC at which equal lines have separate templates. */
#define DISTANCE_MAX 31

/* Size of a cache line in bytes. */
#define CACHE_LINE 64

/* Columns of bytes: copied from the line, or absent in every template. */
#define COPIED text, raw
#define NEVER payload, verbatim

/* Lists the columns; false: too many. */
static bool
lay_out(struct templates *templates, poly_columns columns)
{
	FOR_COLUMNS(c, poly_columns_common(columns, POLY_ALL_COLUMNS))
	{
		if (templates->columns == TEMPLATE_COLUMNS)
			return false;
		templates->column[templates->columns++] = (struct template_column){c,
			templates->elsewhere >> c & 1 ? 0 : column_table[c].size, NULL, NULL};
	}
	return true;
}

/* Returns the first aligned byte of memory that has room for one extra cache line. */
static uint8_t *
align(uint8_t *memory)
{
	return memory + (-(uintptr_t)memory & (CACHE_LINE - 1));
}

/* Grows an array; false: out of memory, and the array is unchanged. */
static bool
resize(void *array, size_t count, size_t size)
{
	void *old, *grown;
	memcpy(&old, array, sizeof old);
	grown = mem_resize(old, count, size);
	if (grown)
		memcpy(array, &grown, sizeof grown);
	return grown;
}

static bool
grow_column(struct template_column *column, uint32_t capacity)
{
	return resize(&column->present, capacity / 64 + 1, sizeof *column->present) &&
	       (!column->size ||
		       resize(&column->values, capacity + TEMPLATE_SPARE, column->size));
}

/*
 * Makes room for more templates, which may move. On failure the arrays that could grow stay
 * grown.
 */
static bool
grow(struct templates *templates)
{
	const uint32_t capacity = templates->capacity ? 4 * templates->capacity : 256;
	const ptrdiff_t shift = templates->first - templates->memory;
	/* For the alignment, and for reads past the last text. */
	const size_t spare = (CACHE_LINE + TEMPLATE_TEXT) / templates->size + 1;
	if (!resize(&templates->nexts, capacity, sizeof *templates->nexts) ||
		!resize(&templates->positions, capacity, sizeof *templates->positions) ||
		!resize(&templates->memory, capacity + spare, templates->size))
		return false;
	templates->first = align(templates->memory);
	memmove(templates->first, templates->memory + shift,
		templates->count * templates->size);
	for (size_t i = 0; i < templates->columns; i++) {
		if (!grow_column(&templates->column[i], capacity))
			return false;
	}
	templates->capacity = capacity;
	return true;
}

bool
templates_start(
	struct templates *templates, poly_columns wanted, const struct predict_format *format)
{
	const size_t typical = format->typical_size ? format->typical_size : TEMPLATE_TEXT;
	const unsigned windows = (unsigned)__builtin_popcountll(format->windows.words[0]);
	templates_free(templates);
	templates->windows = wanted.words[0] & format->windows.words[0];
	templates->elsewhere = format->windows.words[0] | COLUMN_MASK(COPIED);
	templates->windows_max = windows < SHAPE_WINDOWS ? windows : SHAPE_WINDOWS;
	if (!lay_out(templates, poly_columns_minus(wanted, POLY_COLUMNS(origin, NEVER))))
		return false;
	/* A multiple of the cache line; the rest is room for the text. */
	const size_t head = offsetof(struct template, window) +
			    templates->windows_max * sizeof(struct window);
	templates->size = (head + typical + CACHE_LINE - 1) & ~(size_t)(CACHE_LINE - 1);
	const size_t room = (templates->size - head) & ~(sizeof(uint64_t) - 1);
	templates->text_size = room < TEMPLATE_TEXT ? room : TEMPLATE_TEXT;
	if (!grow(templates))
		return false;
	templates_forget(templates);
	return true;
}

void
templates_forget(struct templates *templates)
{
	map_free(&templates->found);
	templates->count = 1;
	templates->all = UINT32_MAX;
	templates->any = 0;
	templates->nexts[TEMPLATE_NONE] = (struct template_next){TEMPLATE_NONE, TEMPLATE_NONE};
	templates->positions[TEMPLATE_NONE] =
		(struct template_position){.place = TEMPLATE_NONE};
	templates->has_parts = false;
}

/*
 * Returns whether the windows of a shape are exactly those that its row has. This detects
 * mistakes, but proves nothing for other lines: if a number that is byte-swapped or scaled was
 * declared as a window, the value of this line may agree by chance (0 always does).
 */
static bool
windows_fit(const struct templates *templates, const struct batch *batch, size_t row,
	const struct line_shape *shape)
{
	column_mask declared = 0, there = 0;
	for (unsigned i = 0; i < shape->windows; i++) {
		const struct window *window = &shape->window[i];
		const bool is_stored = window->column != WINDOW_NO_COLUMN;
		const uint64_t *values =
			is_stored ? column_data(&batch->view, window->column) : NULL;
		uint64_t value;
		declared |= (column_mask)is_stored << window->column;
		if (window->form & WINDOW_DERIVED)
			continue;
		if (!window_number_plain(shape->line, window, &value) ||
			(values && values[row] != value))
			return false;
	}
	for (column_mask left = templates->windows; left; left &= left - 1) {
		const unsigned c = (unsigned)__builtin_ctzll(left);
		there |= (column_mask)bit_test(batch->bits[c], row) << c;
	}
	return there == (declared & templates->windows);
}

/* Returns whether a column of bytes is absent, or equals the n bytes at p. */
static bool
bytes_fit(const struct batch *batch, enum poly_column column, size_t row, const uint8_t *p,
	size_t n)
{
	if (!poly_columns_has(batch->wanted, column) || !bit_test(batch->bits[column], row))
		return true;
	const struct poly_slice *slices = column_data(&batch->view, column);
	return p && slices[row].length == n &&
	       (n == 0 || memcmp(batch->arena.data + slices[row].offset, p, n) == 0);
}

/* Returns whether the row can be recreated from the line and its template. */
static bool
can_repeat(const struct templates *templates, const struct batch *batch, size_t row,
	const struct line_shape *shape)
{
	if (!shape->repeats || shape->windows > templates->windows_max || batch->arena.failed ||
		shape->size + shape->ahead > templates->text_size || shape->size == 0)
		return false;
	/* The first row of a line has all its bytes. */
	return windows_fit(templates, batch, row, shape) &&
	       bytes_fit(batch, POLY_COLUMN_raw, row, shape->line,
		       shape->at ? 0 : shape->line_size) &&
	       bytes_fit(batch, POLY_COLUMN_text, row, shape->text, shape->text_length) &&
	       bytes_fit(batch, POLY_COLUMN_payload, row, NULL, 0) &&
	       bytes_fit(batch, POLY_COLUMN_verbatim, row, NULL, 0);
}

/* Creates the template for the line, without its row, and its text. */
static void
describe(const struct line_shape *shape, struct template *template, uint8_t text[TEMPLATE_TEXT])
{
	const size_t n = shape->size + shape->ahead;
	memset(template, 0, sizeof *template);
	memset(text, 0, TEMPLATE_TEXT);
	template->length = (uint8_t)shape->size;
	template->windows = shape->windows;
	memcpy(text, shape->line, n);
	for (size_t i = 0; i < n; i += 64)
		template->care[i / 64] =
			~(uint64_t)0 >> (n - i < 64 ? 64 - (n - i) : 0) & ~shape->holes[i / 64];
	for (size_t i = shape->size; i < n; i++)
		text[i] = template->care[i / 64] >> i % 64 & 1 ? text[i] : 0;
	for (unsigned i = 0; i < shape->windows; i++) {
		const struct window *window = &shape->window[i];
		for (size_t j = 0, at = window->at; j < window->width; j++, at++) {
			text[at] = 0;
			template->care[at / 64] &= ~((uint64_t)1 << at % 64);
		}
	}
	if (shape->text) {
		template->text_at = (uint8_t)(shape->text - shape->line);
		template->text_length = (uint8_t)shape->text_length;
	}
}

static uint64_t
key_of(struct map *found, const struct template *template, const uint8_t text[TEMPLATE_TEXT],
	size_t n, struct template_position stand)
{
	const uint64_t place = (uint64_t)stand.place << 32 | stand.distance;
	const uint64_t part = (uint64_t)stand.at << 32 | stand.end;
	const uint64_t state = (uint64_t)stand.key << 32 | stand.variant;
	return map_pair(found, place ^ template->care[0],
		map_pair(found, part ^ state, map_bytes(found, text, n)));
}

/*
 * Returns whether the number is that of the template with this text, at this position. Lines
 * with the same windows have them in the same form.
 */
static bool
is_same(const struct templates *templates, uint32_t number, const struct template *template,
	const uint8_t text[TEMPLATE_TEXT], struct template_position stand)
{
	const struct template *known = template_at(templates, number);
	return known->length == template->length &&
	       memcmp(known->care, template->care, sizeof known->care) == 0 &&
	       memcmp(template_text(templates, number), text, templates->text_size) == 0 &&
	       memcmp(&templates->positions[number], &stand, sizeof stand) == 0;
}

/* Stores an element of a column, of any size. */
static void
keep_value(const struct template_column *column, uint32_t number, const void *data, size_t row)
{
	if (!column->size)
		return;
	uint8_t *dst = column->values + number * column->size;
	const uint8_t *from = (const uint8_t *)data + row * column->size;
	switch (column->size) {
	case 1: *dst = *from; break;
	case 2: memcpy(dst, from, 2); break;
	case 4: memcpy(dst, from, 4); break;
	case 8: memcpy(dst, from, 8); break;
	}
}

/* Stores the row of a template. */
static void
keep_row(struct templates *templates, uint32_t number, const struct batch *batch, size_t row)
{
	uint32_t presence = 0;
	for (size_t i = 0; i < templates->columns; i++) {
		const struct template_column *column = &templates->column[i];
		const uint64_t bit = (uint64_t)1 << number % 64;
		uint64_t *word = &column->present[number / 64];
		bool present = bit_test(batch->bits[column->column], row);
		presence |= (uint32_t)present << i;
		*word = present ? *word | bit : *word & ~bit;
		/* An absent element has a value, too, as in any column. */
		keep_value(column, number, column_data(&batch->view, column->column), row);
	}
	templates->all &= presence;
	templates->any |= presence;
}

/* Returns the position of a line that follows a template; a line with a PC has no place yet. */
static struct template_position
position_after(const struct templates *templates, uint32_t last, const struct line_shape *shape)
{
	struct template_position stand = {.place = TEMPLATE_NONE};
	if (!shape->place) {
		stand = templates->positions[last];
		stand.distance += stand.distance < DISTANCE_MAX;
	}
	stand.at = shape->at;
	stand.end = shape->is_open ? shape->at + (uint32_t)shape->size : 0;
	stand.key = shape->key;
	stand.variant = shape->variant;
	return stand;
}

/* Returns the number of a key, the next new one if *added; NULL: no template possible. */
static const uint64_t *
find(struct templates *templates, uint64_t key, bool *added)
{
	const uint32_t count = templates->count;
	*added = false;
	if (count == TEMPLATES_MAX || (count == templates->capacity && !grow(templates)))
		return map_find(&templates->found, key);
	return map_get(&templates->found, key, count, added);
}

uint32_t
templates_learn(struct templates *templates, const struct batch *batch, size_t row,
	const struct line_shape *shape, uint32_t last)
{
	struct template created;
	uint8_t text[TEMPLATE_TEXT];
	bool added;
	if (!can_repeat(templates, batch, row, shape) || (shape->at && last == TEMPLATE_NONE))
		return TEMPLATE_NONE;
	describe(shape, &created, text);
	struct template_position stand = position_after(templates, last, shape);
	const uint64_t key =
		key_of(&templates->found, &created, text, shape->size + shape->ahead, stand);
	const uint64_t *found = find(templates, key, &added);
	if (!found)
		return TEMPLATE_NONE;
	const uint32_t number = (uint32_t)*found;
	if (shape->place)
		stand.place = number;
	/* If two lines have the same hash, only the first one is a template. */
	if (!added)
		return is_same(templates, number, &created, text, stand) ? number
									 : TEMPLATE_NONE;
	templates->count++;
	templates->has_parts |= shape->at || shape->is_open;
	struct template *template = template_at(templates, number);
	memcpy(template_text(templates, number), text, templates->text_size);
	memcpy(template, &created, sizeof created);
	memcpy(template->window, shape->window, shape->windows * sizeof *shape->window);
	keep_row(templates, number, batch, row);
	templates->nexts[number] = (struct template_next){TEMPLATE_NONE, TEMPLATE_NONE};
	templates->positions[number] = stand;
	return number;
}

void
templates_follow(struct templates *templates, uint32_t last, uint32_t next)
{
	struct template_next *known = &templates->nexts[last];
	if (last == TEMPLATE_NONE || next == TEMPLATE_NONE || known->next == next)
		return;
	known->second = known->next;
	known->next = next;
}

void
templates_free(struct templates *templates)
{
	mem_free(templates->nexts);
	mem_free(templates->positions);
	mem_free(templates->memory);
	for (size_t i = 0; i < templates->columns; i++) {
		mem_free(templates->column[i].values);
		mem_free(templates->column[i].present);
	}
	map_free(&templates->found);
	memset(templates, 0, sizeof *templates);
}
