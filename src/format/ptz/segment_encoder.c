/* SPDX-License-Identifier: MIT */
#include "format/ptz/segment_encoder.h"

#include "base/err.h"
#include "base/mem.h"

/*
 * Rows by which plans are compared: enough for a dictionary to pay off. With a quarter of
 * them, a new phase of a program looks as if it did not repeat.
 */
#define TRIAL 262144

/* Segments between two comparisons. */
#define AGAIN 8

/* Rows of a segment that does not repeat, which needs more memory per row. */
#define SHORT_ROWS 262144

enum poly_status
segment_encoder_new(int level, struct segment_encoder **result, struct poly_error *error)
{
	struct segment_encoder *encoder = mem_new(1, sizeof *encoder);
	*result = NULL;
	if (!encoder)
		return err_memory(error);
	for (unsigned plan = 0; plan < PTZ_PLAN_COUNT; plan++)
		segment_init(&encoder->segments[plan], (enum ptz_plan)plan);
	enum poly_status status = block_packer_new(level, &encoder->packer.packer, error);
	if (status == POLY_OK)
		status = block_packer_new(BLOCK_LEVEL_FIRST, &encoder->packer.quick, error);
	if (status == POLY_OK)
		*result = encoder;
	else
		segment_encoder_free(encoder);
	return status;
}

bool
ptz_next_is_trial(struct ptz_trials *trials)
{
	const bool trial = trials->since == 0;
	trials->since = (trials->since + 1) % AGAIN;
	return trial;
}

size_t
ptz_check_interval(size_t rows_max)
{
	return rows_max < POLY_BATCH_ROWS ? rows_max : POLY_BATCH_ROWS;
}

bool
ptz_is_full(const struct ptz_extent *extent, const struct ptz_choice *choice, size_t rows_max)
{
	const size_t max = choice->is_short && rows_max > SHORT_ROWS ? SHORT_ROWS : rows_max;
	return extent->rows + ptz_check_interval(rows_max) > max ||
	       extent->bytes > PTZ_SLICES_MAX;
}

bool
ptz_ends_trial(
	const struct ptz_extent *extent, const struct ptz_choice *choice, size_t rows_max)
{
	return extent->rows >= TRIAL || ptz_is_full(extent, choice, rows_max);
}

/* Returns the segment of a plan that is not that of the choice. */
static struct ptz_segment *
other_segment(struct segment_encoder *encoder)
{
	return &encoder->segments[!encoder->choice.plan];
}

const struct ptz_segment *
segment_encoder_segment(const struct segment_encoder *encoder)
{
	return &encoder->segments[encoder->choice.plan];
}

bool
segment_encoder_add(struct segment_encoder *encoder, const struct poly_batch *batch)
{
	return segment_add(&encoder->segments[encoder->choice.plan], batch) &&
	       (!encoder->trying || segment_add(other_segment(encoder), batch));
}

/* Returns whether the rows of a segment mostly have templates of earlier ones. */
static bool
repeats(const struct ptz_segment *segment)
{
	return segment->dictionary.count < segment->rows / 4;
}

/* Frees the segment of the other plan: its dictionary may be large, and trials are rare. */
static void
discard_other(struct segment_encoder *encoder)
{
	struct ptz_segment *other = other_segment(encoder);
	segment_fini(other);
	segment_init(other, !encoder->choice.plan);
}

enum poly_status
segment_encoder_choose_plan(struct segment_encoder *encoder, struct poly_error *error)
{
	struct ptz_packer quick = encoder->packer;
	const struct ptz_begin begin = {0};
	const struct ptz_segment *segments[] = {
		segment_encoder_segment(encoder), other_segment(encoder)};
	size_t size[2];
	quick.packer = quick.quick;
	for (size_t i = 0; i < 2; i++) {
		const enum poly_status status =
			segment_pack(segments[i], &quick, &begin, &encoder->packed, error);
		if (status != POLY_OK)
			return status;
		size[i] = encoder->packed.front.size + encoder->packed.streams.size;
	}
	/* A program's dictionary pays off later, and decodes faster. */
	if (repeats(segments[0]) ? size[1] < size[0] / 4 * 3 : size[1] < size[0])
		encoder->choice.plan = !encoder->choice.plan;
	encoder->choice.is_short =
		encoder->choice.plan == PTZ_FLAT || !repeats(segment_encoder_segment(encoder));
	encoder->trying = false;
	discard_other(encoder);
	return POLY_OK;
}

enum poly_status
segment_encoder_pack(struct segment_encoder *encoder, const struct ptz_begin *begin,
	struct poly_error *error)
{
	return segment_pack(segment_encoder_segment(encoder), &encoder->packer, begin,
		&encoder->packed, error);
}

void
segment_encoder_clear(struct segment_encoder *encoder)
{
	for (size_t plan = 0; plan < PTZ_PLAN_COUNT; plan++)
		segment_clear(&encoder->segments[plan]);
}

void
segment_encoder_free(struct segment_encoder *encoder)
{
	if (!encoder)
		return;
	for (size_t plan = 0; plan < PTZ_PLAN_COUNT; plan++)
		segment_fini(&encoder->segments[plan]);
	block_packer_free(encoder->packer.packer);
	block_packer_free(encoder->packer.quick);
	buf_free(&encoder->packed.front);
	buf_free(&encoder->packed.streams);
	mem_free(encoder);
}
