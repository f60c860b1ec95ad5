/* SPDX-License-Identifier: MIT */
/* Rows of predicted lines, a column at a time. */
#include "format/line/predict.h"

#include <string.h>

/* Rows whose narrow columns are turned at a time. */
#define TURN 16

/* What stands in front of the narrow columns. */
#define PRESENCE sizeof(uint32_t)

/* The rows of a run. */
struct filling {
	const struct run *run;
	const struct templates *templates;
	struct batch *batch;
	const struct template *from[RUN_MOST];
	uint64_t presence[TEMPLATE_COLUMNS]; /* a bit for every row */
};

/* A byte of 16 rows each; the first ones are of presence. */
typedef uint8_t turned[PRESENCE + TEMPLATE_NARROW][TURN];

#if defined(__SSE2__)

#include <emmintrin.h>

/* Interleaves the first half of 16 registers with the second one. */
static inline void
interleave(const __m128i from[TURN], __m128i to[TURN])
{
	for (unsigned i = 0; i < TURN / 2; i++) {
		to[2 * i] = _mm_unpacklo_epi8(from[i], from[i + TURN / 2]);
		to[2 * i + 1] = _mm_unpackhi_epi8(from[i], from[i + TURN / 2]);
	}
}

/* Of 16 rows of 16 bytes makes 16 columns. */
static inline void
turn(const struct template *const *from, turned to)
{
	__m128i a[TURN], b[TURN];
	for (unsigned i = 0; i < TURN; i++)
		a[i] = _mm_loadu_si128((const __m128i *)(const void *)&from[i]->presence);
	interleave(a, b);
	interleave(b, a);
	interleave(a, b);
	interleave(b, a);
	for (unsigned i = 0; i < TURN; i++)
		_mm_storeu_si128((__m128i *)(void *)to[i], a[i]);
}

#else

static inline void
turn(const struct template *const *from, turned to)
{
	for (unsigned i = 0; i < TURN; i++) {
		for (unsigned j = 0; j < PRESENCE; j++)
			to[j][i] = (uint8_t)(from[i]->presence >> 8 * j);
		for (unsigned j = 0; j < TEMPLATE_NARROW; j++)
			to[PRESENCE + j][i] = from[i]->narrow[j];
	}
}

#endif

/* Bit i of 16 bytes. */
static inline uint64_t
bits_of(const uint8_t bytes[TURN], unsigned i)
{
	const uint64_t ones = 0x0101010101010101u, gather = 0x0102040810204080u;
	uint64_t low = ((load_le64(bytes) >> i & ones) * gather) >> 56;
	uint64_t high = ((load_le64(bytes + 8) >> i & ones) * gather) >> 56;
	return low | high << 8;
}

/* Narrow columns and presence of rows from r on. */
static void
fill_narrow(struct filling *filling, size_t r)
{
	const struct templates *templates = filling->templates;
	const size_t left = filling->run->lines - r, n = left < TURN ? left : TURN;
	const struct template *from[TURN];
	turned bytes;
	for (size_t i = 0; i < TURN; i++)
		from[i] = filling->from[r + (i < n ? i : n - 1)];
	turn(from, bytes);
	for (unsigned i = 0; i < templates->columns; i++) {
		const struct template_column *column = &templates->column[i];
		filling->presence[i] |= bits_of(bytes[i / 8], i % 8) << r;
		if (column->size != 1)
			continue;
		uint8_t *to = batch_column(filling->batch, (enum poly_column)column->column);
		to += filling->run->row + r;
		if (n == TURN)
			memcpy(to, bytes[PRESENCE + column->at], TURN);
		else
			memcpy(to, bytes[PRESENCE + column->at], n);
	}
}

#define FILL(type)                                                               \
	do {                                                                     \
		type *const to = (type *)data + filling->run->row;               \
		for (size_t r = 0; r < lines; r++)                               \
			memcpy(to + r, filling->from[r]->wide + at, sizeof *to); \
	} while (0)

static void
fill_wide(const struct filling *filling, const struct template_column *column)
{
	void *data = batch_column(filling->batch, (enum poly_column)column->column);
	const size_t at = column->at, lines = filling->run->lines;
	switch (column->size) {
	case 2: FILL(uint16_t); break;
	case 4: FILL(uint32_t); break;
	case 8: FILL(uint64_t); break;
	}
}

/* A column of bytes of the lines. */
static void
fill_bytes(const struct filling *filling, enum poly_column column, uint64_t bits)
{
	const struct run *run = filling->run;
	const bool raw = column == POLY_COLUMN_raw;
	for (; bits; bits &= bits - 1) {
		const size_t r = (size_t)__builtin_ctzll(bits);
		const struct template *template = filling->from[r];
		batch_put_bytes(filling->batch, column, run->row + r,
			run->text[r] + (raw ? 0 : template->text_at),
			raw ? template->length : template->text_length);
	}
}

/* Sets the bits of a run's rows. */
static inline void
put_presence(const struct run *run, uint64_t *map, uint64_t bits)
{
	const size_t shift = run->row % 64;
	map[run->row / 64] |= bits << shift;
	if (shift + run->lines > 64)
		map[run->row / 64 + 1] |= bits >> (64 - shift);
}

static void
fill_origins(const struct predictor *predictor)
{
	const struct run *run = &predictor->run;
	uint64_t *to = predictor->batch->view.origin;
	if (!to)
		return;
	for (size_t r = 0; r < run->lines; r++)
		to[run->row + r] =
			predictor->offset + (uint64_t)(run->text[r] - predictor->place);
	put_presence(run, predictor->batch->bits[POLY_COLUMN_origin],
		~(uint64_t)0 >> (64 - run->lines));
}

static void
fill_column(const struct filling *filling, unsigned i)
{
	const struct run *run = filling->run;
	const struct template_column *column = &filling->templates->column[i];
	const enum poly_column c = (enum poly_column)column->column;
	const uint64_t bits = filling->presence[i] & ~(uint64_t)0 >> (64 - run->lines);
	if (!bits)
		return;
	if (c == POLY_COLUMN_text || c == POLY_COLUMN_raw) {
		fill_bytes(filling, c, bits);
		return;
	}
	if (column->size > 1)
		fill_wide(filling, column);
	put_presence(run, filling->batch->bits[c], bits);
}

void
predict_fill(struct predictor *predictor)
{
	struct run *run = &predictor->run;
	struct filling filling;
	if (run->lines == 0)
		return;
	filling.run = run;
	filling.templates = &predictor->templates;
	filling.batch = predictor->batch;
	for (unsigned i = 0; i < filling.templates->columns; i++)
		filling.presence[i] = 0;
	for (size_t r = 0; r < run->lines; r++)
		filling.from[r] = template_at(filling.templates, run->number[r]);
	for (size_t r = 0; r < run->lines; r += TURN)
		fill_narrow(&filling, r);
	for (unsigned i = 0; i < filling.templates->columns; i++)
		fill_column(&filling, i);
	fill_origins(predictor);
	run->lines = 0;
}
