/* SPDX-License-Identifier: MIT */
/*
 * Rows of a segment, a column at a time, and in it stretches of neighbouring templates: a
 * program goes through them mostly in the order in which they were numbered.
 */
#include "format/ptz/decode.h"

#include "base/bits.h"
#include "base/err.h"
#include "base/mem.h"

#include <string.h>

struct giving {
	struct unpacked *from;
	struct batch *batch;
	bool no_memory;
	size_t rows, stretches;
	struct pattern_run stretch[POLY_BATCH_ROWS];
	uint32_t number[POLY_BATCH_ROWS + 8]; /* the template of each row */
	uint64_t value[POLY_BATCH_ROWS];
	struct ptz_span span[POLY_BATCH_ROWS];	   /* of the values, by stretch */
	uint16_t row[POLY_BATCH_ROWS + PTZ_SLACK]; /* and their rows */
};

/* Adds rows, to the last stretch where they are its neighbours: what was executed in this order
 * before was numbered in it. */
static void
add_stretch(struct giving *it, uint32_t template, uint32_t row, uint32_t rows)
{
	struct pattern_run *last = it->stretches ? &it->stretch[it->stretches - 1] : NULL;
	if (last && last->pattern + last->rows == template &&
		last->rows + rows <= PATTERN_RUN_MAX)
		last->rows += rows;
	else
		it->stretch[it->stretches++] = (struct pattern_run){template, row, rows};
}

/* Puts rows numbers that count from the first, and up to 7 more. */
static void
put_numbers(uint32_t *to, uint32_t first, uint32_t rows)
{
	for (uint32_t i = 0; i < rows; i += 8) {
		for (uint32_t k = 0; k < 8; k++)
			to[i + k] = first + i + k;
	}
}

/* Finds the templates of the next rows. False: the streams do not say them. */
static bool
find_stretches(struct giving *it)
{
	struct unpacked *from = it->from;
	size_t row = 0;
	while (row < it->rows) {
		if (from->next == PTZ_SEVERAL) {
			const uint32_t block = from->block < from->block_count
						       ? from->blocks[from->block]
						       : from->start_count;
			if (block >= from->start_count)
				return false;
			from->next = from->starts[block];
			from->block++;
		}
		const uint32_t t = from->next;
		const size_t left = it->rows - row, most = left < 64 ? left : 64;
		const uint32_t rows = from->run[t] < most ? from->run[t] : (uint32_t)most;
		add_stretch(it, t, (uint32_t)row, rows);
		put_numbers(it->number + row, t, rows);
		row += rows;
		from->next = from->follow[t + rows - 1];
	}
	return true;
}

/* The rows whose templates are in a set, a bit each; a bit behind the last row may be set. */
static const uint64_t *
find_rows(const struct giving *it, struct ptz_set *set)
{
	const uint64_t *map = set->templates;
	uint64_t *to = set->rows, some = 0;
	unsigned filled = 0;
	if (set->found)
		return set->rows;
	*to = 0;
	for (size_t i = 0; i < it->stretches; i++) {
		const struct pattern_run *stretch = &it->stretch[i];
		const uint64_t *word = map + stretch->pattern / 64;
		const unsigned shift = stretch->pattern % 64, n = stretch->rows;
		some = word[0] >> shift | word[1] << 1 << (63 - shift);
		some &= ~(uint64_t)0 >> (64 - n);
		*to |= some << filled;
		filled += n;
		if (filled < 64)
			continue;
		filled -= 64;
		*++to = filled ? some >> (n - filled) : 0;
	}
	set->found = true;
	return set->rows;
}

/* Copies elements of size bytes, which is known where this is compiled. */
static inline __attribute__((always_inline)) void
copy(const struct giving *it, uint8_t *to, const uint8_t *from, size_t size)
{
	for (size_t i = 0; i < it->stretches; i++) {
		const struct pattern_run *stretch = &it->stretch[i];
		uint8_t *target = to + stretch->row * size;
		const uint8_t *source = from + stretch->pattern * size;
		if (stretch->row + 64 + PTZ_SLACK > POLY_BATCH_ROWS) {
			memcpy(target, source, stretch->rows * size);
			continue;
		}
		for (uint32_t done = 0; done < stretch->rows; done += PTZ_SLACK)
			memcpy(target + done * size, source + done * size, PTZ_SLACK * size);
	}
}

static void
give_values(const struct giving *it, const struct ptz_column *column)
{
	uint8_t *to = batch_column(it->batch, column->column);
	switch (column->size) {
	case 1: copy(it, to, column->values, 1); break;
	case 2: copy(it, to, column->values, 2); break;
	case 4: copy(it, to, column->values, 4); break;
	case 8: copy(it, to, column->values, 8); break;
	}
}

static void
give_slices(const struct giving *it, const struct ptz_column *column, const uint64_t *rows)
{
	const struct poly_slice *slices = column->values;
	for (size_t w = 0; 64 * w < it->rows; w++) {
		for (uint64_t left = rows[w]; left; left &= left - 1) {
			const size_t row = 64 * w + (size_t)__builtin_ctzll(left);
			const struct poly_slice *slice = &slices[it->number[row]];
			batch_put_bytes(it->batch, column->column, row,
				column->bytes ? column->bytes + slice->offset : NULL,
				slice->length);
		}
	}
}

/* The static values of a column. */
static void
give_fixed(struct giving *it, const struct ptz_column *column)
{
	uint64_t *bits = it->batch->bits[column->column];
	const uint64_t *rows = find_rows(it, column->fixed);
	if (column->size == 0) {
		give_slices(it, column, rows);
		return;
	}
	give_values(it, column);
	if (column->always) {
		batch_all_present(it->batch, column->column);
		return;
	}
	for (size_t w = 0; 64 * w < it->rows; w++)
		bits[w] |= rows[w];
}

/* The next slice of a moving column. False: there is none, or no memory. */
static bool
take_slice(struct giving *it, struct ptz_column *column, size_t n, const uint8_t **bytes)
{
	struct ptz_bytes *slices = &column->slices;
	if ((size_t)(slices->end - slices->p) < n)
		return false;
	*bytes = slices->p;
	/* Where all slices are empty there are no bytes to stand before. */
	if (n)
		slices->p += n;
	if (!column->is_xor)
		return true;
	if (n > column->before_capacity) {
		uint8_t *room = mem_resize(column->before, n, 1);
		it->no_memory = !room;
		if (!room)
			return false;
		column->before = room;
		column->before_capacity = n;
	}
	const bool same = n == column->before_size;
	for (size_t i = 0; i < n; i++)
		column->before[i] = (*bytes)[i] ^ (same ? column->before[i] : 0);
	column->before_size = n;
	*bytes = column->before;
	return true;
}

/* Lists the rows of a set, and which of its members they have; how many. */
static size_t
list_rows(struct giving *it, const struct ptz_set *set)
{
	size_t n = 0;
	for (size_t i = 0; i < it->stretches; i++) {
		const struct pattern_run *stretch = &it->stretch[i];
		const uint32_t first = set->before[stretch->pattern];
		const uint32_t count = set->before[stretch->pattern + stretch->rows] - first;
		const uint32_t move = stretch->row - stretch->pattern;
		const uint32_t *member = set->members + first;
		uint16_t *row = it->row + n;
		for (uint32_t done = 0; done < count; done += 8) {
			for (uint32_t k = done; k < done + 8; k++)
				row[k] = (uint16_t)(member[k] + move);
		}
		it->span[i] = (struct ptz_span){first, count};
		n += count;
	}
	return n;
}

/* The same of a set of all templates, whose rows are known. */
static void
list_spans(struct giving *it)
{
	for (size_t i = 0; i < it->stretches; i++)
		it->span[i] = (struct ptz_span){it->stretch[i].pattern, it->stretch[i].rows};
}

/* Stores n numbers in their rows of a column. */
static void
store_values(const struct giving *it, const struct ptz_column *column, size_t n)
{
	void *array = batch_column(it->batch, column->column);
	const uint64_t *v = it->value;
	const uint16_t *row = it->row;
	switch (column->size) {
	case 1:
		for (size_t i = 0; i < n; i++)
			((uint8_t *)array)[row[i]] = (uint8_t)v[i];
		break;
	case 2:
		for (size_t i = 0; i < n; i++)
			((uint16_t *)array)[row[i]] = (uint16_t)v[i];
		break;
	case 4:
		for (size_t i = 0; i < n; i++)
			((uint32_t *)array)[row[i]] = (uint32_t)v[i];
		break;
	case 8:
		for (size_t i = 0; i < n; i++)
			((uint64_t *)array)[row[i]] = v[i];
		break;
	}
}

/* The moving values of a column. False: there are too few. */
static bool
give_moving(struct giving *it, struct ptz_column *column)
{
	uint64_t *bits = it->batch->bits[column->column];
	if (column->all_move && column->size == sizeof(uint64_t)) {
		uint64_t *to = batch_column(it->batch, column->column);
		list_spans(it);
		ptz_decode(&column->decoder, to, it->rows, it->span);
		batch_all_present(it->batch, column->column);
		return !column->decoder.bytes.bad;
	}
	const size_t n = list_rows(it, column->moves);
	const uint64_t *rows = find_rows(it, column->moves);
	ptz_decode(&column->decoder, it->value, n, it->span);
	if (column->decoder.bytes.bad)
		return false;
	if (column->size) {
		store_values(it, column, n);
		for (size_t w = 0; 64 * w < it->rows; w++)
			bits[w] |= rows[w];
		return true;
	}
	for (size_t i = 0; i < n; i++) {
		const uint8_t *bytes;
		if (!take_slice(it, column, it->value[i], &bytes))
			return false;
		batch_put_bytes(it->batch, column->column, it->row[i], bytes, it->value[i]);
	}
	return true;
}

/* Before columns are given: sets of rows are those of other batches. */
static void
begin_sets(const struct unpacked *from)
{
	for (unsigned i = 0; i < from->set_count; i++)
		from->sets[i]->found = false;
}

/* Room for giving rows; NULL: there is none. */
static struct giving *
giving_room(struct giving **room)
{
	if (!*room)
		*room = mem_new(1, sizeof **room);
	return *room;
}

/* Prepares giving rows; NULL: no memory. */
static struct giving *
begin(struct unpacked *from, struct batch *batch)
{
	struct giving *it = giving_room(&from->giving);
	if (!it)
		return NULL;
	it->from = from;
	it->batch = batch;
	it->no_memory = false;
	it->stretches = 0;
	begin_sets(from);
	return it;
}

enum poly_status
unpacked_templates(struct unpacked *from, struct batch *batch, const uint32_t *templates,
	size_t n, struct poly_error *error)
{
	struct giving *it = begin(from, batch);
	if (!it)
		return err_memory(error);
	it->rows = n;
	for (size_t row = 0; row < n; row++) {
		add_stretch(it, templates[row], (uint32_t)row, 1);
		it->number[row] = templates[row];
	}
	for (unsigned i = 0; i < from->columns; i++) {
		if (from->column[i].fixed)
			give_fixed(it, &from->column[i]);
	}
	batch->view.rows = n;
	return POLY_OK;
}

enum poly_status
unpacked_rows(struct unpacked *from, struct batch *batch, size_t most, struct poly_error *error)
{
	struct giving *it = begin(from, batch);
	if (!it)
		return err_memory(error);
	most = most < from->rows_most ? most : from->rows_most;
	it->rows = from->rows - from->given < most ? from->rows - from->given : most;
	if (from->given == 0)
		from->next = PTZ_SEVERAL;
	bool ok = find_stretches(it);
	for (unsigned i = 0; ok && i < from->columns; i++) {
		struct ptz_column *column = &from->column[i];
		if (!column->moves)
			continue;
		/* Values of rows that do not have it are written over those that move. */
		if (column->fixed)
			give_fixed(it, column);
		ok = give_moving(it, column);
	}
	from->given += (uint32_t)it->rows;
	batch->view.rows = it->rows;
	if (ok)
		return POLY_OK;
	/* Some columns were filled. */
	batch_clear(batch);
	if (it->no_memory)
		return err_memory(error);
	return err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
		"the streams of a segment of %u rows have fewer", from->rows);
}

void
unpacked_fill(const struct unpacked *from)
{
	struct giving *it = from->giving;
	begin_sets(from);
	for (unsigned i = 0; i < from->columns; i++) {
		if (from->column[i].fixed && !from->column[i].moves)
			give_fixed(it, &from->column[i]);
	}
}

void
unpacked_patterns(
	const struct unpacked *from, struct batch *batch, struct poly_patterns *patterns)
{
	const struct giving *it = from->giving;
	batch->view.pattern = it->number;
	batch->view.varying = PTZ_PLACES;
	for (unsigned i = 0; i < from->columns; i++) {
		if (from->column[i].moves)
			batch->view.varying |= (poly_columns)1 << from->column[i].column;
	}
	patterns->runs = it->stretch;
	patterns->run_count = it->stretches;
	patterns->count = from->templates;
	patterns->rows = from->rows;
	batch->view.patterns = patterns;
}

/* The rows of templates, each once, as if they were a stretch of the trace. */
static void
take_templates(struct giving *it, uint32_t first)
{
	it->stretches = 0;
	for (uint32_t row = 0; row < it->rows; row += PATTERN_RUN_MAX) {
		const uint32_t left = (uint32_t)it->rows - row;
		it->stretch[it->stretches++] = (struct pattern_run){
			first + row, row, left < PATTERN_RUN_MAX ? left : PATTERN_RUN_MAX};
	}
	for (uint32_t row = 0; row < it->rows; row++)
		it->number[row] = first + row;
}

enum poly_status
unpacked_dictionary(struct unpacked *from, uint32_t first, struct batch *batch,
	poly_columns *moving, struct poly_error *error)
{
	struct giving *it = giving_room(&from->templating);
	if (!it)
		return err_memory(error);
	const size_t left = from->templates - first, most = from->rows_most;
	it->from = from;
	it->batch = batch;
	it->rows = left < most ? left : most;
	take_templates(it, first);
	begin_sets(from);
	memset(moving, 0, it->rows * sizeof *moving);
	for (unsigned i = 0; i < from->columns; i++) {
		const struct ptz_column *column = &from->column[i];
		if (column->fixed)
			give_fixed(it, column);
		const uint64_t *moves = column->moves ? column->moves->templates : NULL;
		for (size_t row = 0; moves && row < it->rows; row++) {
			const bool has = bit_test(moves, first + row);
			moving[row] |= (poly_columns)has << column->column;
		}
	}
	batch->view.rows = it->rows;
	return batch_finish(batch, error);
}
