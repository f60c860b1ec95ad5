/* SPDX-License-Identifier: MIT */
/* The templates of a segment, as patterns of its batches. */
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
ptz_set_origins(const struct ptz_reader *state, struct batch *batch)
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
	*batch = &state->last_batch->view;
	if (!patterns->lazy)
		return POLY_OK;
	unpacked_fill_lazy(&state->segment);
	ptz_set_origins(state, state->last_batch);
	patterns->lazy = false;
	return batch_finish(state->last_batch, error);
}

static enum poly_status
emit_templates(struct poly_patterns *patterns, uint32_t first, struct pattern_rows *rows,
	struct poly_error *error)
{
	struct ptz_reader *state = reader_of(patterns);
	const struct batch *last_batch = state->last_batch;
	struct batch *batch = &state->templates;
	enum poly_status status = POLY_OK;
	if (batch->capacity)
		batch_clear(batch);
	else
		status = batch_init(batch,
			poly_columns_minus(
				last_batch->wanted, POLY_COLUMNS(PTZ_POSITION_COLUMNS)),
			POLY_BATCH_ROWS, last_batch->view.info, error);
	if (status == POLY_OK && !state->varying)
		state->varying = mem_new(POLY_BATCH_ROWS, sizeof *state->varying);
	if (status != POLY_OK)
		return status;
	if (!state->varying)
		return err_memory(error);
	*rows = (struct pattern_rows){batch, state->varying};
	return unpacked_list_templates(&state->segment, first, batch, state->varying, error);
}

void
ptz_set_patterns(struct ptz_reader *state, struct batch *batch)
{
	struct poly_patterns *patterns = &state->patterns;
	unpacked_set_patterns(&state->segment, batch, patterns);
	batch->internal.pattern_epoch = state->epoch;
	state->last_batch = batch;
	patterns->make_rows = emit_templates;
	patterns->materialize = fill_batch;
	patterns->lazy = batch->may_defer;
	if (!patterns->lazy)
		unpacked_fill_lazy(&state->segment);
}
