/* SPDX-License-Identifier: MIT */
#include "sim/pipeline/kanata.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"

/* Steps of a micro-op, in their order within a cycle. */
enum step { FETCHED, ISSUED, DONE, COMMITTED, STEPS };

struct moment {
	uint64_t cycle;
	uint32_t op; /* of the slice */
	uint32_t step;
};

static int
by_time(const void *left, const void *right)
{
	const struct moment *a = left, *b = right;
	if (a->cycle != b->cycle)
		return a->cycle < b->cycle ? -1 : 1;
	if (a->op != b->op)
		return a->op < b->op ? -1 : 1;
	return a->step < b->step ? -1 : a->step > b->step;
}

static void
find_moments(const struct pipeline_slice *slice, struct moment *moments)
{
	for (uint32_t i = 0; i < slice->n; i++) {
		const struct pipeline_times *at = &slice->times[i];
		const uint64_t cycles[STEPS] = {
			at->fetched, at->issued, at->done, at->committed};
		for (uint32_t step = 0; step < STEPS; step++)
			moments[i * STEPS + step] = (struct moment){cycles[step], i, step};
	}
	qsort(moments, slice->n * STEPS, sizeof *moments, by_time);
}

static void
begin(const struct pipeline_slice *slice, uint32_t op, struct buf *out)
{
	buf_printf(out, "I\t%" PRIu32 "\t%" PRIu64 "\t0\n", op, slice->first + op);
	buf_printf(out, "L\t%" PRIu32 "\t0\t%" PRIu64 ": ", op, slice->first + op);
	for (const char *c = slice->labels[op]; *c; c++)
		buf_byte(out, (unsigned char)*c < 0x20 ? ' ' : (uint8_t)*c);
	buf_byte(out, '\n');
}

/* Ends or starts the stage between a step and the next one, unless it takes no cycle. */
static void
mark(const struct pipeline_times *at, const struct moment *moment, uint32_t step,
	struct buf *out)
{
	const uint64_t cycles[STEPS] = {at->fetched, at->issued, at->done, at->committed};
	if (cycles[step] == cycles[step + 1])
		return;
	buf_printf(out, "%c\t%" PRIu32 "\t0\t%c\n", step == moment->step ? 'S' : 'E',
		moment->op, "FXC"[step]);
}

static void
append_moment(const struct pipeline_slice *slice, const struct moment *moment, struct buf *out)
{
	const struct pipeline_times *at = &slice->times[moment->op];
	if (moment->step == FETCHED)
		begin(slice, moment->op, out);
	if (moment->step > FETCHED)
		mark(at, moment, moment->step - 1, out);
	if (moment->step < COMMITTED)
		mark(at, moment, moment->step, out);
	if (moment->step == COMMITTED)
		buf_printf(out, "R\t%" PRIu32 "\t%" PRIu64 "\t0\n", moment->op,
			slice->first + moment->op);
}

enum poly_status
kanata_append(const struct pipeline_slice *slice, struct buf *out, struct poly_error *error)
{
	if (slice->n > KANATA_OPS_MAX)
		return err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
			"%zu instructions in a log of stages, expected at most %d", slice->n,
			KANATA_OPS_MAX);
	struct moment *moments = mem_new(slice->n * STEPS + 1, sizeof *moments);
	if (!moments)
		return err_memory(error);
	find_moments(slice, moments);
	uint64_t now = slice->n ? moments[0].cycle : 0;
	buf_printf(out, "Kanata\t0004\nC=\t%" PRIu64 "\n", now);
	for (size_t i = 0; i < slice->n * STEPS; i++) {
		if (moments[i].cycle > now)
			buf_printf(out, "C\t%" PRIu64 "\n", moments[i].cycle - now);
		now = moments[i].cycle;
		append_moment(slice, &moments[i], out);
	}
	mem_free(moments);
	return out->failed ? err_memory(error) : POLY_OK;
}
