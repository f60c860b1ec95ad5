/* SPDX-License-Identifier: MIT */
/* The line cache: creates the lines of patterns, copies them, and patches numbers in. */
#include "format/core/line_cache.h"

#include "base/bits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/vec.h"
#include "format/core/line_ends.h"

#include <string.h>

/* The line cache pays only if the number of rows is at least this multiple of the patterns. */
#define ROWS_PER_PATTERN 4

/* Maximum bytes of a run that is copied at once; longer ones are written by columns. */
#define RUN_BYTES (OUT_ROOM_MAX / 2)

/* Bytes that stay unflushed while lines are created, so that a line of RUN_BYTES still fits. */
#define HELD_BYTES (OUT_ROOM_MAX / 4)

static void
forget_lines(struct line_cache *cache)
{
	cache->known = cache->missed = 0;
	cache->full = cache->failed = cache->depend = false;
	cache->column_count = 0;
	for (unsigned i = 0; i < LINE_CACHE_COLUMNS; i++)
		cache->columns[i].count = cache->columns[i].width = 0;
	buf_clear(&cache->text);
}

/* Returns the elements of a column whose numbers can be patched; NULL: not such a column. */
static const uint64_t *
column_values(const struct poly_batch *batch, enum poly_column column)
{
	switch ((unsigned)column) {
	case POLY_COLUMN_time: return batch->time;
	case POLY_COLUMN_instruction_id: return batch->instruction_id;
	case POLY_COLUMN_address: return batch->address;
	case POLY_COLUMN_real_address: return batch->real_address;
	case POLY_COLUMN_value: return batch->value;
	}
	return NULL;
}

/* An out_fn: appends the text of lines. */
static int
append_text(void *user, const void *data, size_t n)
{
	struct buf *text = user;
	buf_append(text, data, n);
	return 0;
}

/* Makes room for the lines of count patterns, and the end. */
static bool
grow_lines(struct line_cache *cache, uint32_t count)
{
	uint32_t room[2] = {cache->capacity, cache->capacity};
	if (!VEC_ROOM(cache->lines, room[0], count) ||
		!VEC_ROOM(cache->contexts, room[1], count))
		return false;
	cache->capacity = room[0];
	return true;
}

/* Returns the numbers of a column; NULL: too many columns. */
static struct cached_column *
numbers_of(struct line_cache *cache, enum poly_column column)
{
	for (unsigned i = 0; i < cache->column_count; i++) {
		if (cache->columns[i].column == column)
			return &cache->columns[i];
	}
	if (cache->column_count == LINE_CACHE_COLUMNS)
		return NULL;
	cache->columns[cache->column_count].column = column;
	return &cache->columns[cache->column_count++];
}

void
writing_patch_field(struct writing *writing, enum poly_column column, enum writing_form form,
	const void *at, size_t width)
{
	struct line_cache *cache = writing->cache;
	size_t held;
	if (!cache || !(cache->varying >> column & 1))
		return;
	const uint8_t *start = out_held(cache->out, &held);
	struct cached_column *dst = numbers_of(cache, column);
	if (!dst || width == 0 || width > 16) {
		cache->refused = true;
		return;
	}
	if (!VEC_ROOM(dst->numbers, dst->capacity, dst->count)) {
		cache->failed = true;
		return;
	}
	const size_t place = cache->text.size + (size_t)((const uint8_t *)at - start);
	dst->numbers[dst->count++] = (struct cached_number){
		(uint32_t)place, cache->known, (uint8_t)form, (uint8_t)width};
	cache->marked |= (column_mask)1 << column;
}

void
writing_require_varying(struct writing *writing, poly_columns columns)
{
	if (writing->cache)
		writing->cache->needed |= columns.words[0];
}

void
writing_cache_key(struct writing *writing, uint64_t context)
{
	if (!writing->cache)
		return;
	writing->cache->before = writing->context = context;
	writing->cache->depend = true;
}

void
writing_no_cache(struct writing *writing)
{
	if (writing->cache)
		writing->cache->refused = true;
}

/* Sets the start of the next line. */
static void
start_line(struct line_cache *cache, uint32_t refused)
{
	struct cached_line *line = &cache->lines[cache->known];
	size_t held;
	out_held(cache->out, &held);
	line->at = (uint32_t)(cache->text.size + held);
	line->refused = refused;
	for (unsigned i = 0; i < LINE_CACHE_COLUMNS; i++)
		line->numbers[i] = cache->columns[i].count;
}

/* Sets the contexts before and after the last line. */
static void
set_context(struct line_cache *cache, uint64_t after)
{
	struct cached_context *context = &cache->contexts[cache->known - 1];
	*context = (struct cached_context){cache->before, after, 0};
	if (cache->known > 1)
		context->seams = context[-1].seams + (context[-1].after != cache->before);
}

/* Creates the line of a row. */
static void
create_line(struct line_cache *cache, const struct format *format, struct writing *writing,
	const struct poly_batch *batch, size_t row)
{
	const struct cached_line *line = &cache->lines[cache->known];
	const uint32_t refused = line->refused;
	size_t held;
	out_held(cache->out, &held);
	if (held > HELD_BYTES)
		out_flush(cache->out);
	cache->marked = cache->needed = 0;
	cache->before = writing->context = 0;
	cache->refused = false;
	const enum poly_status status = format->write_row(writing, batch, row, NULL);
	out_held(cache->out, &held);
	/* A varying column that is not marked would be missing. */
	const bool whole = !(cache->varying & writing->uses.words[0] & ~cache->marked) &&
			   !(cache->needed & ~cache->marked);
	const bool open =
		line_ends_matter(format, writing) && line_is_open(writing, batch, row);
	const bool bad = cache->refused || status != POLY_OK || !whole || open ||
			 cache->text.size + held - line->at > RUN_BYTES;
	cache->known++;
	start_line(cache, refused + bad);
	set_context(cache, writing->context);
}

/* Fills varying columns with numbers of the same width as those of the batch. */
static void
fill_samples(const struct pattern_rows *rows, const struct poly_batch *batch)
{
	for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++) {
		const enum poly_form form = poly_column_form((enum poly_column)c);
		size_t row = 0;
		if (!poly_columns_has(batch->internal->varying, (enum poly_column)c) ||
			form == POLY_FORM_BYTES || form == POLY_FORM_TEXT)
			continue;
		while (form == POLY_FORM_DEC && row < batch->rows &&
			!poly_present(batch, (enum poly_column)c, row))
			row++;
		const uint64_t v = form == POLY_FORM_DEC && row < batch->rows
					   ? poly_batch_integer(batch, (enum poly_column)c, row)
					   : 0;
		for (size_t i = 0; i < rows->batch->view.rows; i++) {
			if (rows->varying[i] >> c & 1)
				batch_put_integer(rows->batch, (enum poly_column)c, i, v);
		}
	}
}

/* Creates the lines of the next patterns, with a writer of their own; false: out of memory. */
static bool
create_lines(struct line_cache *cache, const struct format *format,
	const struct writing *writing, const struct poly_batch *batch)
{
	struct poly_patterns *patterns = batch->internal->patterns;
	struct pattern_rows rows;
	struct writing making = *writing;
	if (!cache->out &&
		out_open_function(append_text, &cache->text, &cache->out, NULL) != POLY_OK)
		return false;
	/* All lines may be empty, but the text must have memory. */
	if (!buf_reserve(&cache->text, 1) ||
		patterns->make_rows(patterns, cache->known, &rows, NULL) != POLY_OK ||
		!grow_lines(cache, cache->known + (uint32_t)rows.batch->view.rows))
		return false;
	making.state = mem_new(1, format->writer_size);
	if (!making.state)
		return false;
	memcpy(making.state, writing->state, format->writer_size);
	making.out = cache->out;
	making.cache = cache;
	fill_samples(&rows, batch);
	if (cache->known == 0)
		start_line(cache, 0);
	for (size_t row = 0; row < rows.batch->view.rows; row++) {
		cache->varying = rows.varying[row];
		create_line(cache, format, &making, &rows.batch->view, row);
	}
	out_flush(cache->out);
	mem_free(making.state);
	return !cache->failed && !cache->text.failed;
}

/* Creates lines up to those of count patterns; false: the cache does not hold them. */
static bool
create_lines_up_to(struct line_cache *cache, const struct format *format,
	const struct writing *writing, const struct poly_batch *batch, uint32_t count)
{
	while (!cache->full && cache->known < count) {
		if (create_lines(cache, format, writing, batch)) {
			cache->full = cache->text.size > LINE_CACHE_TEXT_MAX;
			continue;
		}
		forget_lines(cache);
		buf_free(&cache->text);
		cache->full = true;
	}
	return count <= cache->known;
}

/* Stores the first n characters (up to 8) of a word, and preserves the following ones. */
static inline void
store_chars(uint8_t *dst, uint64_t word, unsigned n)
{
	const uint64_t kept = n < 8 ? ~(uint64_t)0 << 8 * n : 0;
	store_le64(dst, (load_le64(dst) & kept) | (word & ~kept));
}

/* Stores the last width (1 to 16) of 16 characters. */
static inline void
patch_digits(char *dst, struct cached_digits digits, unsigned width)
{
	uint8_t *p = (uint8_t *)dst;
	if (width > 8) {
		/* The two overlapping 8-byte stores together write exactly width bytes. */
		store_le64(p, digits.high >> 8 * (16 - width));
		store_le64(p + width - 8, digits.low);
	} else {
		store_chars(p, digits.low >> 8 * (8 - width), width);
	}
}

typedef uint8_t chars __attribute__((vector_size(16)));
typedef uint64_t words __attribute__((vector_size(16)));

/* Returns a word whose first byte in memory is the lowest one of v. */
static inline uint64_t
little(uint64_t v)
{
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? v : __builtin_bswap64(v);
}

/* Returns the digits of a hexadecimal number; the first ones are replaced by blanks. */
static inline struct cached_digits
hex_digits(uint64_t v, unsigned blanks)
{
	/* Blanks replace leading zeros: subtract '0' - ' '. */
	static const uint8_t less[32] = {
		16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16};
	chars blank;
	memcpy(&blank, less + 16 - blanks, sizeof blank);
	const chars bytes = (chars)(words){little(__builtin_bswap64(v)), 0};
	const chars high = bytes >> 4, low = bytes & 15;
	const chars digits = __builtin_shufflevector(
		high, low, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
	const chars all = digits + '0' + ((chars)(digits > 9) & ('a' - '0' - 10));
	const words shown = (words)(all - blank);
	return (struct cached_digits){little(shown[0]), little(shown[1])};
}

/* Computes the digits of a decimal number; false if it does not have width (1 to 16) digits. */
static bool
decimal_digits(uint64_t v, unsigned width, struct cached_digits *digits)
{
	static const uint64_t powers[17] = {0, 10, 100, 1000, 10000, 100000, 1000000, 10000000,
		100000000, 1000000000, 10000000000, 100000000000, 1000000000000, 10000000000000,
		100000000000000, 1000000000000000, 10000000000000000};
	const uint64_t half = 100000000;
	if (v >= powers[width] || (width > 1 && v < powers[width - 1]))
		return false;
	digits->low = num_decimal_word((uint32_t)(v % half));
	digits->high = width > 8 ? num_decimal_word((uint32_t)(v / half)) : 0;
	return true;
}

/* Patches a decimal number; false if its width differs. */
static inline bool
patch_decimal(struct cached_column *column, char *dst, uint64_t v, unsigned width)
{
	const uint64_t difference = v - column->last;
	/* Fast path: only the last digit changes. */
	if (width == column->width && difference < 10 &&
		(column->digits.low >> 56) + difference <= '9') {
		column->digits.low += difference << 56;
	} else if (decimal_digits(v, width, &column->digits)) {
		column->width = width;
	} else {
		column->width = 0;
		return false;
	}
	column->last = v;
	patch_digits(dst, column->digits, width);
	return true;
}

/* Patches a number of four bytes; false if it is too large. */
static inline bool
patch_bytes(char *dst, unsigned form, uint64_t v)
{
	if (form == WRITING_BIG)
		store_be32((uint8_t *)dst, (uint32_t)v);
	else
		store_le32((uint8_t *)dst, (uint32_t)v);
	return v >> 32 == 0;
}

/* Patches a hexadecimal number; false if it is too wide. */
static inline bool
patch_hexadecimal(char *dst, const struct cached_number *number, uint64_t v)
{
	const unsigned width = number->width;
	const unsigned blanks = number->form == WRITING_HEX_PADDED ? 16 - num_hex_width(v) : 0;
	patch_digits(dst, hex_digits(v, blanks), width);
	return v >> 2 * width >> 2 * width == 0;
}

/* A run that is copied. */
struct run_copy {
	const struct poly_batch *batch;
	const struct pattern_run *run;
	char *dst;
	uint32_t at; /* start of its text in the cache */
};

/* Patches the numbers of a column into a copied run; false if one does not fit. */
static bool
patch_column(const struct run_copy *copied, struct cached_column *column, uint32_t from,
	uint32_t dst)
{
	/*
	 * The stores may alias anything for the compiler: keep what each number needs in
	 * locals.
	 */
	const uint64_t *values = column_values(copied->batch, column->column);
	const uint32_t move = copied->run->row - copied->run->pattern;
	const struct cached_number *const numbers = column->numbers;
	char *const text = copied->dst;
	const uint32_t at = copied->at;
	bool fits = true;
	/* An epoch is a checksum: other templates may have the same one. */
	if (!values && from != dst)
		return false;
	for (uint32_t i = from; i < dst; i++) {
		const struct cached_number *number = &numbers[i];
		char *place = text + (number->at - at);
		const uint64_t v = values[number->pattern + move];
		if (number->form == WRITING_DECIMAL)
			fits &= patch_decimal(column, place, v, number->width);
		else if (number->form < WRITING_BIG)
			fits &= patch_hexadecimal(place, number, v);
		else
			fits &= patch_bytes(place, number->form, v);
	}
	return fits;
}

/* Counts the numbers patched into lines for which write_row was not called. */
static void
count_copied(const struct line_cache *cache, struct writing *writing,
	const struct run_copy *copied, const struct cached_line *begin)
{
	const uint32_t rows = copied->run->rows;
	for (unsigned i = 0; i < cache->column_count; i++) {
		const struct cached_column *column = &cache->columns[i];
		const uint32_t from = begin->numbers[i], dst = begin[rows].numbers[i];
		struct writing_copied *of = &writing->copied[column->column];
		if (from == dst)
			continue;
		const uint32_t last = column->numbers[dst - 1].pattern - copied->run->pattern;
		of->count += dst - from;
		of->last =
			column_values(copied->batch, column->column)[copied->run->row + last];
	}
}

/* Returns whether the contexts of a run's lines fit the context of the output. */
static bool
may_follow(const struct line_cache *cache, const struct writing *writing,
	const struct pattern_run *run)
{
	const struct cached_context *first = &cache->contexts[run->pattern];
	return first->before == writing->context && first[run->rows - 1].seams == first->seams;
}

/* Writes a run by copying its lines; false: the caller must write it by columns. */
static bool
copy_run(struct line_cache *cache, struct writing *writing, const struct poly_batch *batch,
	const struct pattern_run *run)
{
	const struct cached_line *begin = &cache->lines[run->pattern], *end = begin + run->rows;
	const size_t n = end->at - begin->at;
	if (end->refused != begin->refused || n > RUN_BYTES ||
		(cache->depend && !may_follow(cache, writing, run)))
		return false;
	/* Patching stores up to a word past a number. */
	char *dst = (char *)out_room(writing->out, n + 8);
	const struct run_copy copied = {batch, run, dst, begin->at};
	memcpy(dst, cache->text.data + begin->at, n);
	bool fits = true;
	for (unsigned i = 0; i < cache->column_count; i++)
		fits &= patch_column(
			&copied, &cache->columns[i], begin->numbers[i], end->numbers[i]);
	if (!fits) {
		cache->missed += run->rows;
		return false;
	}
	count_copied(cache, writing, &copied, begin);
	if (cache->depend)
		writing->context = cache->contexts[run->pattern + run->rows - 1].after;
	out_commit(writing->out, n);
	return true;
}

/* Clears the cache if it holds the lines of another epoch, or too many numbers do not fit. */
static void
start_epoch(struct line_cache *cache, const struct poly_batch *batch)
{
	const struct poly_patterns *patterns = batch->internal->patterns;
	const bool same = cache->begun && cache->epoch == batch->internal->pattern_epoch;
	/* Decimal numbers sometimes grow by a digit: then new lines pay. */
	if (same && cache->missed <= cache->known)
		return;
	forget_lines(cache);
	cache->begun = true;
	cache->epoch = batch->internal->pattern_epoch;
	cache->full = patterns->count > patterns->rows / ROWS_PER_PATTERN;
}

/* Prefetches the lines of later runs. */
static inline void
prefetch(const struct line_cache *cache, const struct poly_patterns *patterns, size_t i)
{
	const struct pattern_run *run = &patterns->runs[i];
	if (i + 8 >= patterns->run_count)
		return;
	if (run[8].pattern < cache->known) {
		__builtin_prefetch(&cache->lines[run[8].pattern]);
		__builtin_prefetch(&cache->lines[run[8].pattern + run[8].rows]);
	}
	if (run[4].pattern < cache->known) {
		const uint8_t *text = cache->text.data + cache->lines[run[4].pattern].at;
		__builtin_prefetch(text);
		__builtin_prefetch(text + 64);
	}
}

enum poly_status
line_cache_write(struct line_cache *cache, const struct format *format, struct writing *writing,
	const struct poly_batch *batch, struct poly_error *error)
{
	struct poly_patterns *patterns = batch->internal->patterns;
	const struct poly_batch *full = patterns->lazy ? NULL : batch;
	enum poly_status status = POLY_OK;
	start_epoch(cache, batch);
	if (cache->full && cache->known == 0 && format->write) {
		if (!full)
			status = patterns->materialize(patterns, &full, error);
		return status == POLY_OK ? format->write(writing, full, error) : status;
	}
	for (size_t i = 0; status == POLY_OK && i < patterns->run_count; i++) {
		const struct pattern_run *run = &patterns->runs[i];
		prefetch(cache, patterns, i);
		if (!writing->line_is_open &&
			create_lines_up_to(
				cache, format, writing, batch, run->pattern + run->rows) &&
			copy_run(cache, writing, batch, run))
			continue;
		if (!full)
			status = patterns->materialize(patterns, &full, error);
		for (uint32_t k = 0; status == POLY_OK && k < run->rows; k++)
			status =
				line_ends_write_row(format, writing, full, run->row + k, error);
	}
	return status;
}

void
line_cache_fini(struct line_cache *cache)
{
	for (unsigned i = 0; i < LINE_CACHE_COLUMNS; i++)
		mem_free(cache->columns[i].numbers);
	mem_free(cache->lines);
	mem_free(cache->contexts);
	buf_free(&cache->text);
	out_close(cache->out);
	memset(cache, 0, sizeof *cache);
}
