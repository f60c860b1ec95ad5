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
	const struct predictor *predictor;
	struct template *from[RUN_MOST];
	uint32_t all, any;		     /* columns that all and some of the rows have */
	uint64_t presence[TEMPLATE_COLUMNS]; /* a bit for every row, where not all have them */
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
turn(struct template *const *from, turned to)
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
turn(struct template *const *from, turned to)
{
	for (unsigned i = 0; i < TURN; i++) {
		for (unsigned j = 0; j < PRESENCE; j++)
			to[j][i] = (uint8_t)(from[i]->presence >> 8 * j);
		for (unsigned j = 0; j < TEMPLATE_NARROW; j++)
			to[PRESENCE + j][i] = template_values(from[i])[j];
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
	const struct predictor *predictor = filling->predictor;
	const struct templates *templates = &predictor->templates;
	const size_t left = predictor->run.lines - r, n = left < TURN ? left : TURN;
	struct template *from[TURN];
	turned bytes;
	for (size_t i = 0; i < TURN; i++)
		from[i] = filling->from[r + (i < n ? i : n - 1)];
	turn(from, bytes);
	for (uint32_t some = filling->any & ~filling->all; some; some &= some - 1) {
		const unsigned i = (unsigned)__builtin_ctz(some);
		filling->presence[i] |= bits_of(bytes[i / 8], i % 8) << r;
	}
	/* They are the first ones. */
	for (size_t i = 0; i < templates->columns && templates->column[i].size == 1; i++) {
		uint8_t *to = (uint8_t *)predictor->columns[i] + predictor->run.row + r;
		if (n == TURN)
			memcpy(to, bytes[PRESENCE + i], TURN);
		else
			memcpy(to, bytes[PRESENCE + i], n);
	}
}

#define FILL(type)                                                                          \
	do {                                                                                \
		type *const to = (type *)data + predictor->run.row;                         \
		for (size_t r = 0; r < lines; r++)                                          \
			memcpy(to + r, template_values(filling->from[r]) + at, sizeof *to); \
	} while (0)

static void
fill_wide(const struct filling *filling, size_t i)
{
	const struct predictor *predictor = filling->predictor;
	const size_t at = predictor->templates.column[i].at, lines = predictor->run.lines;
	void *const data = predictor->columns[i];
	switch (predictor->templates.column[i].size) {
	case 2: FILL(uint16_t); break;
	case 4: FILL(uint32_t); break;
	case 8: FILL(uint64_t); break;
	}
}

/* A column of bytes of the lines. */
static void
fill_bytes(const struct filling *filling, enum poly_column column, uint64_t bits)
{
	const struct predictor *predictor = filling->predictor;
	const bool raw = column == POLY_COLUMN_raw;
	for (; bits; bits &= bits - 1) {
		const size_t r = (size_t)__builtin_ctzll(bits);
		const struct template *template = filling->from[r];
		batch_put_bytes(predictor->batch, column, predictor->run.row + r,
			predictor->run.text[r] + (raw ? 0 : template->text_at),
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
		to[run->row + r] = predictor->window.base +
				   (uint64_t)(run->text[r] - predictor->window.start);
	put_presence(run, predictor->batch->bits[POLY_COLUMN_origin],
		~(uint64_t)0 >> (64 - run->lines));
}

static void
fill_column(const struct filling *filling, size_t i)
{
	const struct predictor *predictor = filling->predictor;
	const struct run *run = &predictor->run;
	const struct template_column *column = &predictor->templates.column[i];
	const enum poly_column c = (enum poly_column)column->column;
	const uint64_t ones = ~(uint64_t)0 >> (64 - run->lines);
	const uint64_t bits = filling->all >> i & 1 ? ones : filling->presence[i] & ones;
	if (c == POLY_COLUMN_text || c == POLY_COLUMN_raw) {
		fill_bytes(filling, c, bits);
		return;
	}
	if (column->size > 1)
		fill_wide(filling, i);
	put_presence(run, predictor->batch->bits[c], bits);
}

void
predict_fill(struct predictor *predictor)
{
	struct run *run = &predictor->run;
	struct filling filling;
	if (run->lines == 0)
		return;
	filling.predictor = predictor;
	filling.all = UINT32_MAX;
	filling.any = 0;
	for (size_t r = 0; r < run->lines; r++) {
		filling.from[r] = template_at(&predictor->templates, run->number[r]);
		filling.all &= filling.from[r]->presence;
		filling.any |= filling.from[r]->presence;
	}
	for (size_t i = 0; i < predictor->templates.columns; i++)
		filling.presence[i] = 0;
	for (size_t r = 0; r < run->lines; r += TURN)
		fill_narrow(&filling, r);
	for (uint32_t some = filling.any; some; some &= some - 1)
		fill_column(&filling, (size_t)__builtin_ctz(some));
	fill_origins(predictor);
	run->lines = 0;
}
