/* SPDX-License-Identifier: MIT */
/* Fills the rows of predicted lines, column by column, in runs of neighbouring templates. */
#include "format/line/predict.h"

#include <string.h>

/* Rows that are copied at once, even if a run is shorter. */
#define STEP TEMPLATE_SPARE

/* Lines of a predicted run whose templates are neighbours. */
struct template_run {
	uint32_t number; /* of the first template */
	uint32_t row;
	size_t lines; /* at most STEP */
};

/* The state of filling a batch. */
struct filling {
	const struct predicted_run *run;
	/* The first `open` runs are followed by rows that may be overwritten. */
	size_t run_count, open;
	struct template_run runs[RUN_LINES_MAX];
};

/* Splits a predicted run. Rows from limit on must not be overwritten. */
static void
find_runs(struct filling *filling, size_t limit)
{
	const struct predicted_run *run = filling->run;
	size_t n = 0, open = 0;
	for (size_t at = 0, lines; at < run->lines; at += lines) {
		const uint64_t following = at < 63 ? run->breaks >> (at + 1) : 0;
		const size_t left = run->lines - at, max = left < STEP ? left : STEP;
		lines = following ? (size_t)__builtin_ctzll(following) + 1 : max;
		lines = lines < max ? lines : max;
		filling->runs[n++] = (struct template_run){
			run->number[at], (uint32_t)(run->row + at), lines};
		open = run->row + at + STEP <= limit ? n : open;
	}
	filling->run_count = n;
	filling->open = open;
}

/* Copies a column whose elements have size bytes, a compile-time constant. */
static inline __attribute__((always_inline)) void
copy(const struct filling *filling, uint8_t *dst, const uint8_t *from, size_t size)
{
	size_t i = 0;
	for (; i < filling->open; i++) {
		const struct template_run *part = &filling->runs[i];
		memcpy(dst + part->row * size, from + part->number * size, STEP * size);
	}
	for (; i < filling->run_count; i++) {
		const struct template_run *part = &filling->runs[i];
		memcpy(dst + part->row * size, from + part->number * size, part->lines * size);
	}
}

static void
fill_values(const struct filling *filling, const struct template_column *column, uint8_t *dst)
{
	switch (column->size) {
	case 1: copy(filling, dst, column->values, 1); break;
	case 2: copy(filling, dst, column->values, 2); break;
	case 4: copy(filling, dst, column->values, 4); break;
	case 8: copy(filling, dst, column->values, 8); break;
	}
}

/* Returns the rows of a run that have a column, one bit per row. */
static uint64_t
presence(const struct filling *filling, const uint64_t *present)
{
	uint64_t bits = 0;
	for (size_t i = 0; i < filling->run_count; i++) {
		const struct template_run *part = &filling->runs[i];
		const uint64_t *word = present + part->number / 64;
		const unsigned shift = part->number % 64;
		uint64_t some = word[0] >> shift;
		if (shift + part->lines > 64)
			some |= word[1] << (64 - shift);
		some &= ~(uint64_t)0 >> (64 - part->lines);
		bits |= some << (part->row - filling->run->row);
	}
	return bits;
}

/* Sets the bits of a run's rows. */
static inline void
put_presence(const struct predicted_run *run, uint64_t *map, uint64_t bits)
{
	const size_t shift = run->row % 64;
	map[run->row / 64] |= bits << shift;
	if (shift + run->lines > 64)
		map[run->row / 64 + 1] |= bits >> (64 - shift);
}

/* Stores the bytes of lines: all of them in the first row of each. */
static void
fill_raw(const struct predictor *predictor, uint64_t bits)
{
	const struct predicted_run *run = &predictor->run;
	const struct templates *templates = &predictor->templates;
	for (; bits; bits &= bits - 1) {
		const size_t i = (size_t)__builtin_ctzll(bits);
		size_t last = i;
		while (template_end(templates, run->number[last]) && last + 1 < run->lines)
			last++;
		const uint32_t number = run->number[last];
		const size_t n = templates->positions[number].at +
				 template_at(templates, number)->length;
		const bool is_first = templates->positions[run->number[i]].at == 0;
		/* The plain parser stored the bytes of a line that is incomplete here. */
		if (!is_first || !template_end(templates, number))
			batch_put_bytes(predictor->batch, POLY_COLUMN_raw, run->row + i,
				run->text[i], is_first ? n : 0);
	}
}

/* Fills the column text. */
static void
fill_text(const struct predictor *predictor, uint64_t bits)
{
	const struct predicted_run *run = &predictor->run;
	for (; bits; bits &= bits - 1) {
		const size_t i = (size_t)__builtin_ctzll(bits);
		const struct template *template =
			template_at(&predictor->templates, run->number[i]);
		batch_put_bytes(predictor->batch, POLY_COLUMN_text, run->row + i,
			run->text[i] + template->text_at, template->text_length);
	}
}

static void
fill_column(const struct predictor *predictor, const struct filling *filling, size_t i)
{
	const struct predicted_run *run = filling->run;
	const struct template_column *column = &predictor->templates.column[i];
	const bool all = predictor->templates.all >> i & 1;
	const uint64_t bits =
		all ? ~(uint64_t)0 >> (64 - run->lines) : presence(filling, column->present);
	if (column->column == POLY_COLUMN_raw) {
		fill_raw(predictor, bits);
		return;
	}
	if (column->column == POLY_COLUMN_text) {
		fill_text(predictor, bits);
		return;
	}
	fill_values(filling, column, predictor->columns[i]);
	put_presence(run, predictor->batch->bits[column->column], bits);
}

static void
fill_origins(const struct predictor *predictor)
{
	const struct predicted_run *run = &predictor->run;
	uint64_t *dst = predictor->batch->view.origin;
	if (!dst)
		return;
	for (size_t r = 0; r < run->lines; r++)
		dst[run->row + r] = predictor->window.base +
				    (uint64_t)(run->text[r] - predictor->window.start);
	/* Parts have the offset of their line. */
	for (size_t r = 0; predictor->templates.has_parts && r < run->lines; r++)
		dst[run->row + r] -= predictor->templates.positions[run->number[r]].at;
	put_presence(run, predictor->batch->bits[POLY_COLUMN_origin],
		~(uint64_t)0 >> (64 - run->lines));
}

void
predict_fill(struct predictor *predictor, size_t limit)
{
	struct predicted_run *run = &predictor->run;
	struct filling filling;
	if (run->lines == 0)
		return;
	filling.run = run;
	find_runs(&filling, limit);
	for (uint32_t some = predictor->templates.any; some; some &= some - 1)
		fill_column(predictor, &filling, (size_t)__builtin_ctz(some));
	fill_origins(predictor);
	run->lines = 0;
}
