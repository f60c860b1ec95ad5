/* SPDX-License-Identifier: MIT */
/* The templates of a segment, told as patterns of its batches. */
#include "format/ptz/file.h"

#include "base/err.h"
#include "base/mem.h"

#include <stddef.h>

static struct ptz_reader *
reader_of(struct poly_patterns *patterns)
{
	return (struct ptz_reader *)((char *)patterns - offsetof(struct ptz_reader, patterns));
}

void
ptz_origins(const struct ptz_reader *state, struct batch *batch)
{
	if (!batch->view.origin)
		return;
	for (size_t row = 0; row < batch->view.rows; row++)
		batch->view.origin[row] = state->offset;
	batch_all_present(batch, POLY_COLUMN_origin);
}

static enum poly_status
fill_batch(struct poly_patterns *patterns, const struct poly_batch **batch,
	struct poly_error *error)
{
	struct ptz_reader *state = reader_of(patterns);
	*batch = &state->given->view;
	if (!patterns->lazy)
		return POLY_OK;
	unpacked_fill(&state->segment);
	ptz_origins(state, state->given);
	patterns->lazy = false;
	return batch_finish(state->given, error);
}

static enum poly_status
give(struct poly_patterns *patterns, uint32_t first, struct pattern_rows *rows,
	struct poly_error *error)
{
	struct ptz_reader *state = reader_of(patterns);
	const struct batch *given = state->given;
	struct batch *batch = &state->templates;
	enum poly_status status = POLY_OK;
	if (batch->capacity)
		batch_clear(batch);
	else
		status = batch_init(batch, given->wanted & ~PTZ_PLACES, POLY_BATCH_ROWS,
			given->view.info, error);
	if (status == POLY_OK && !state->moving)
		state->moving = mem_new(POLY_BATCH_ROWS, sizeof *state->moving);
	if (status != POLY_OK)
		return status;
	if (!state->moving)
		return err_memory(error);
	*rows = (struct pattern_rows){batch, state->moving};
	return unpacked_dictionary(&state->segment, first, batch, state->moving, error);
}

void
ptz_patterns(struct ptz_reader *state, struct batch *batch)
{
	struct poly_patterns *patterns = &state->patterns;
	unpacked_patterns(&state->segment, batch, patterns);
	batch->view.pattern_epoch = state->epoch;
	state->given = batch;
	patterns->make_rows = give;
	patterns->materialize = fill_batch;
	patterns->lazy = batch->may_defer;
	if (!patterns->lazy)
		unpacked_fill(&state->segment);
}
