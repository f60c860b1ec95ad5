/* SPDX-License-Identifier: MIT */
/* Making the lines of patterns, copying them, and putting numbers into them. */
#include "format/pattern.h"

#include "base/bits.h"
#include "base/mem.h"
#include "base/num.h"

#include <string.h>

/* Lines are not worth making where rows have not so many times as many as there are patterns.
 */
#define ROWS_A_PATTERN 4

/* Bytes of a run that are copied at once; longer ones are written by columns. */
#define RUN_BYTES (OUT_ROOM_MAX / 2)

/* Bytes that are held back while lines are made, so that a line of RUN_BYTES fits behind. */
#define HELD_BYTES (OUT_ROOM_MAX / 4)

static void
forget(struct pattern_lines *it)
{
	it->known = it->missed = 0;
	it->full = it->failed = it->depend = false;
	it->column_count = 0;
	for (unsigned i = 0; i < PATTERN_COLUMNS; i++)
		it->columns[i].count = it->columns[i].width = 0;
	buf_clear(&it->text);
}

/* The elements of a column whose numbers can be put into lines; NULL: it is none. */
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

/* Receives the text of lines. */
static int
take_text(void *user, const void *data, size_t n)
{
	struct buf *text = user;
	buf_append(text, data, n);
	return 0;
}

/* Room for the lines of patterns up to count, and the end. */
static bool
grow_lines(struct pattern_lines *it, uint32_t count)
{
	uint32_t capacity = it->capacity ? it->capacity : 8192;
	if (count < it->capacity)
		return true;
	while (capacity <= count)
		capacity *= 2;
	struct pattern_line *lines = mem_resize(it->lines, capacity, sizeof *lines);
	it->lines = lines ? lines : it->lines;
	struct pattern_context *contexts = mem_resize(it->contexts, capacity, sizeof *contexts);
	it->contexts = contexts ? contexts : it->contexts;
	if (!lines || !contexts)
		return false;
	it->capacity = capacity;
	return true;
}

/* The numbers of a column; NULL: there are too many columns. */
static struct pattern_column *
numbers_of(struct pattern_lines *it, enum poly_column column)
{
	for (unsigned i = 0; i < it->column_count; i++) {
		if (it->columns[i].column == column)
			return &it->columns[i];
	}
	if (it->column_count == PATTERN_COLUMNS)
		return NULL;
	it->columns[it->column_count].column = column;
	return &it->columns[it->column_count++];
}

void
writing_mark(struct writing *writing, enum poly_column column, enum writing_form form,
	const void *at, size_t width)
{
	struct pattern_lines *it = writing->making;
	size_t held;
	if (!it || !(it->moving >> column & 1))
		return;
	const uint8_t *start = out_held(it->out, &held);
	struct pattern_column *to = numbers_of(it, column);
	if (!to || width == 0 || width > 16) {
		it->refused = true;
		return;
	}
	if (to->count == to->capacity) {
		const uint32_t capacity = to->capacity ? 2 * to->capacity : 1024;
		struct pattern_number *room = mem_resize(to->numbers, capacity, sizeof *room);
		it->failed |= !room;
		if (!room)
			return;
		to->numbers = room;
		to->capacity = capacity;
	}
	const size_t place = it->text.size + (size_t)((const uint8_t *)at - start);
	to->numbers[to->count++] = (struct pattern_number){
		(uint32_t)place, it->known, (uint8_t)form, (uint8_t)width};
	it->marked |= (poly_columns)1 << column;
}

void
writing_moves(struct writing *writing, poly_columns columns)
{
	if (writing->making)
		writing->making->needed |= columns;
}

void
writing_suppose(struct writing *writing, uint64_t context)
{
	if (!writing->making)
		return;
	writing->making->before = writing->context = context;
	writing->making->depend = true;
}

void
writing_unlike(struct writing *writing)
{
	if (writing->making)
		writing->making->refused = true;
}

/* Says where the next line begins. */
static void
put_line(struct pattern_lines *it, uint32_t refused)
{
	struct pattern_line *line = &it->lines[it->known];
	size_t held;
	out_held(it->out, &held);
	line->at = (uint32_t)(it->text.size + held);
	line->refused = refused;
	for (unsigned i = 0; i < PATTERN_COLUMNS; i++)
		line->numbers[i] = it->columns[i].count;
}

/* Says what the line that is known last was written behind, and what it left. */
static void
put_context(struct pattern_lines *it, uint64_t behind)
{
	struct pattern_context *context = &it->contexts[it->known - 1];
	*context = (struct pattern_context){it->before, behind, 0};
	if (it->known > 1)
		context->seams = context[-1].seams + (context[-1].behind != it->before);
}

/* Makes the line of a row. */
static void
make_line(struct pattern_lines *it, const struct format *format, struct writing *writing,
	const struct poly_batch *batch, size_t row)
{
	const struct pattern_line *line = &it->lines[it->known];
	const uint32_t refused = line->refused;
	size_t held;
	out_held(it->out, &held);
	if (held > HELD_BYTES)
		out_flush(it->out);
	it->marked = it->needed = 0;
	it->before = writing->context = 0;
	it->refused = false;
	const enum poly_status status = format->write_row(writing, batch, row, NULL);
	out_held(it->out, &held);
	/* What else moves would be missing. */
	const bool whole =
		!(it->moving & writing->uses & ~it->marked) && !(it->needed & ~it->marked);
	const bool bad = it->refused || status != POLY_OK || !whole ||
			 it->text.size + held - line->at > RUN_BYTES;
	it->known++;
	put_line(it, refused + bad);
	put_context(it, writing->context);
}

/* Puts numbers where columns move, that are as long as those of the batch. */
static void
put_samples(const struct pattern_rows *rows, const struct poly_batch *batch)
{
	for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++) {
		const enum poly_form form = poly_column_form((enum poly_column)c);
		size_t row = 0;
		if (!(batch->moving >> c & 1) || form == POLY_FORM_BYTES ||
			form == POLY_FORM_TEXT)
			continue;
		while (form == POLY_FORM_DEC && row < batch->rows &&
			!poly_present(batch, (enum poly_column)c, row))
			row++;
		const uint64_t v = form == POLY_FORM_DEC && row < batch->rows
					   ? poly_batch_integer(batch, (enum poly_column)c, row)
					   : 0;
		for (size_t i = 0; i < rows->batch->view.rows; i++) {
			if (rows->moving[i] >> c & 1)
				batch_put_integer(rows->batch, (enum poly_column)c, i, v);
		}
	}
}

/* Makes lines of the next patterns, with a writer of their own; false: there is no memory. */
static bool
make_lines(struct pattern_lines *it, const struct format *format, const struct writing *writing,
	const struct poly_batch *batch)
{
	struct poly_patterns *patterns = batch->patterns;
	struct pattern_rows rows;
	struct writing making = *writing;
	if (!it->out && out_open_function(take_text, &it->text, &it->out, NULL) != POLY_OK)
		return false;
	/* Lines may all be empty, and yet are where there is memory. */
	if (!buf_reserve(&it->text, 1) ||
		patterns->give(patterns, it->known, &rows, NULL) != POLY_OK ||
		!grow_lines(it, it->known + (uint32_t)rows.batch->view.rows))
		return false;
	making.state = mem_new(1, format->writer_size);
	if (!making.state)
		return false;
	memcpy(making.state, writing->state, format->writer_size);
	making.out = it->out;
	making.making = it;
	put_samples(&rows, batch);
	if (it->known == 0)
		put_line(it, 0);
	for (size_t row = 0; row < rows.batch->view.rows; row++) {
		it->moving = rows.moving[row];
		make_line(it, format, &making, &rows.batch->view, row);
	}
	out_flush(it->out);
	mem_free(making.state);
	return !it->failed && !it->text.failed;
}

/* Makes lines up to those of count patterns; false: they are not kept. */
static bool
know(struct pattern_lines *it, const struct format *format, const struct writing *writing,
	const struct poly_batch *batch, uint32_t count)
{
	while (!it->full && it->known < count) {
		if (make_lines(it, format, writing, batch)) {
			it->full = it->text.size > PATTERN_TEXT_MOST;
			continue;
		}
		forget(it);
		buf_free(&it->text);
		it->full = true;
	}
	return count <= it->known;
}

/* Puts the first n characters (up to 8) of a word, and what stood behind them again. */
static inline void
put_some(uint8_t *to, uint64_t word, unsigned n)
{
	const uint64_t kept = n < 8 ? ~(uint64_t)0 << 8 * n : 0;
	store_le64(to, (load_le64(to) & kept) | (word & ~kept));
}

/* Puts the last width (1 to 16) of 16 characters. */
static inline void
put_digits(char *to, struct pattern_digits digits, unsigned width)
{
	uint8_t *p = (uint8_t *)to;
	if (width > 8) {
		/* What is written too much is written over. */
		store_le64(p, digits.high >> 8 * (16 - width));
		store_le64(p + width - 8, digits.low);
	} else {
		put_some(p, digits.low >> 8 * (8 - width), width);
	}
}

typedef uint8_t chars __attribute__((vector_size(16)));
typedef uint64_t words __attribute__((vector_size(16)));

/* A word whose first byte in memory is the lowest one of v. */
static inline uint64_t
little(uint64_t v)
{
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? v : __builtin_bswap64(v);
}

/* The digits of a hexadecimal number, with blanks in the place of the first blanks ones. */
static inline struct pattern_digits
hex_digits(uint64_t v, unsigned blanks)
{
	/* A blank is that much less than a 0, and those are what it stands for. */
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
	return (struct pattern_digits){little(shown[0]), little(shown[1])};
}

/* The digits of a decimal number; false where it does not have width (1 to 16). */
static bool
decimal_digits(uint64_t v, unsigned width, struct pattern_digits *digits)
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

/* Puts a decimal number; false where it does not fit. */
static inline bool
put_decimal(struct pattern_column *column, char *to, uint64_t v, unsigned width)
{
	const uint64_t more = v - column->last;
	/* Only the last digit changes. */
	if (width == column->width && more < 10 && (column->digits.low >> 56) + more <= '9') {
		column->digits.low += more << 56;
	} else if (decimal_digits(v, width, &column->digits)) {
		column->width = width;
	} else {
		column->width = 0;
		return false;
	}
	column->last = v;
	put_digits(to, column->digits, width);
	return true;
}

/* Puts a number of four bytes; false where it does not fit. */
static inline bool
put_bytes(char *to, unsigned form, uint64_t v)
{
	if (form == WRITING_BIG)
		store_be32((uint8_t *)to, (uint32_t)v);
	else
		store_le32((uint8_t *)to, (uint32_t)v);
	return v >> 32 == 0;
}

/* Puts a hexadecimal number; false where it does not fit. */
static inline bool
put_hexadecimal(char *to, const struct pattern_number *number, uint64_t v)
{
	const unsigned width = number->width;
	const unsigned blanks = number->form == WRITING_HEX_FAR ? 16 - num_hex_width(v) : 0;
	put_digits(to, hex_digits(v, blanks), width);
	return v >> 2 * width >> 2 * width == 0;
}

/* Where a run is copied to. */
struct copied {
	const struct poly_batch *batch;
	const struct pattern_run *run;
	char *to;
	uint32_t at; /* where its text begins */
};

/* Puts the numbers of a column into a copied run; false where one does not fit. */
static bool
put_column(
	const struct copied *copied, struct pattern_column *column, uint32_t from, uint32_t to)
{
	/* What is stored may be anything, for all that the compiler knows: nothing that is
	 * needed for each number stays in memory. */
	const uint64_t *values = column_values(copied->batch, column->column);
	const uint32_t move = copied->run->row - copied->run->pattern;
	const struct pattern_number *const numbers = column->numbers;
	char *const text = copied->to;
	const uint32_t at = copied->at;
	bool fits = true;
	/* An epoch is a checksum, and other templates might have the same. */
	if (!values && from != to)
		return false;
	for (uint32_t i = from; i < to; i++) {
		const struct pattern_number *number = &numbers[i];
		char *place = text + (number->at - at);
		const uint64_t v = values[number->pattern + move];
		if (number->form == WRITING_DECIMAL)
			fits &= put_decimal(column, place, v, number->width);
		else if (number->form < WRITING_BIG)
			fits &= put_hexadecimal(place, number, v);
		else
			fits &= put_bytes(place, number->form, v);
	}
	return fits;
}

/* Remembers what was put into lines of which write_row does not hear. */
static void
count_copied(const struct pattern_lines *it, struct writing *writing,
	const struct copied *copied, const struct pattern_line *begin)
{
	const uint32_t rows = copied->run->rows;
	for (unsigned i = 0; i < it->column_count; i++) {
		const struct pattern_column *column = &it->columns[i];
		const uint32_t from = begin->numbers[i], to = begin[rows].numbers[i];
		struct writing_copied *of = &writing->copied[column->column];
		if (from == to)
			continue;
		const uint32_t last = column->numbers[to - 1].pattern - copied->run->pattern;
		of->count += to - from;
		of->last =
			column_values(copied->batch, column->column)[copied->run->row + last];
	}
}

/* True where the lines of a run are what is to be written behind what was written. */
static bool
follows(const struct pattern_lines *it, const struct writing *writing,
	const struct pattern_run *run)
{
	const struct pattern_context *first = &it->contexts[run->pattern];
	return first->before == writing->context && first[run->rows - 1].seams == first->seams;
}

/* Writes a run by copying its lines; false: it has to be written by columns. */
static bool
copy_run(struct pattern_lines *it, struct writing *writing, const struct poly_batch *batch,
	const struct pattern_run *run)
{
	const struct pattern_line *begin = &it->lines[run->pattern], *end = begin + run->rows;
	const size_t n = end->at - begin->at;
	if (end->refused != begin->refused || n > RUN_BYTES ||
		(it->depend && !follows(it, writing, run)))
		return false;
	/* Numbers are put with what stands up to a word behind them. */
	char *to = (char *)out_room(writing->out, n + 8);
	const struct copied copied = {batch, run, to, begin->at};
	memcpy(to, it->text.data + begin->at, n);
	bool fits = true;
	for (unsigned i = 0; i < it->column_count; i++)
		fits &= put_column(
			&copied, &it->columns[i], begin->numbers[i], end->numbers[i]);
	if (!fits) {
		it->missed += run->rows;
		return false;
	}
	count_copied(it, writing, &copied, begin);
	if (it->depend)
		writing->context = it->contexts[run->pattern + run->rows - 1].behind;
	out_commit(writing->out, n);
	return true;
}

/* Begins with the lines of a batch's patterns, where those that are known are not theirs. */
static void
begin(struct pattern_lines *it, const struct poly_batch *batch)
{
	const struct poly_patterns *patterns = batch->patterns;
	const bool same = it->begun && it->epoch == batch->pattern_epoch;
	/* Decimal numbers grow by a digit at times; then it's worth making lines anew. */
	if (same && it->missed <= it->known)
		return;
	forget(it);
	it->begun = true;
	it->epoch = batch->pattern_epoch;
	it->full = patterns->count > patterns->rows / ROWS_A_PATTERN;
}

/* Asks for what later runs are copied from, as it may be far away. */
static inline void
prefetch(const struct pattern_lines *it, const struct poly_patterns *patterns, size_t i)
{
	const struct pattern_run *run = &patterns->runs[i];
	if (i + 8 >= patterns->run_count)
		return;
	if (run[8].pattern < it->known) {
		__builtin_prefetch(&it->lines[run[8].pattern]);
		__builtin_prefetch(&it->lines[run[8].pattern + run[8].rows]);
	}
	if (run[4].pattern < it->known) {
		const uint8_t *text = it->text.data + it->lines[run[4].pattern].at;
		__builtin_prefetch(text);
		__builtin_prefetch(text + 64);
	}
}

enum poly_status
pattern_lines_write(struct pattern_lines *it, const struct format *format,
	struct writing *writing, const struct poly_batch *batch, struct poly_error *error)
{
	struct poly_patterns *patterns = batch->patterns;
	const struct poly_batch *full = patterns->deferred ? NULL : batch;
	enum poly_status status = POLY_OK;
	begin(it, batch);
	if (it->full && it->known == 0 && format->write) {
		if (!full)
			status = patterns->fill(patterns, &full, error);
		return status == POLY_OK ? format->write(writing, full, error) : status;
	}
	for (size_t i = 0; status == POLY_OK && i < patterns->run_count; i++) {
		const struct pattern_run *run = &patterns->runs[i];
		prefetch(it, patterns, i);
		if (know(it, format, writing, batch, run->pattern + run->rows) &&
			copy_run(it, writing, batch, run))
			continue;
		if (!full)
			status = patterns->fill(patterns, &full, error);
		for (uint32_t k = 0; status == POLY_OK && k < run->rows; k++)
			status = format->write_row(writing, full, run->row + k, error);
	}
	return status;
}

void
pattern_lines_fini(struct pattern_lines *it)
{
	for (unsigned i = 0; i < PATTERN_COLUMNS; i++)
		mem_free(it->columns[i].numbers);
	mem_free(it->lines);
	mem_free(it->contexts);
	buf_free(&it->text);
	out_close(it->out);
	memset(it, 0, sizeof *it);
}
