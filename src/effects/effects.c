/* SPDX-License-Identifier: MIT */
#include "effects/conversion.h"

#include "base/err.h"
#include "base/mem.h"

#include <string.h>

static bool
is_powerpc(const struct poly_trace_info *source)
{
	return source->isa && strcmp(source->isa, "powerpc") == 0 &&
	       POLY_HAS(source->columns, opcode);
}

bool
effects_has_states(const struct poly_trace_info *source)
{
	return is_powerpc(source) && POLY_HAS(source->columns, payload) &&
	       poly_trace_fact(source, "amber.record");
}

bool
effects_has_accesses(const struct poly_trace_info *source)
{
	return is_powerpc(source) && POLY_HAS(source->columns, access) &&
	       !POLY_HAS(source->columns, reg);
}

bool
effects_suits(enum effects_form form, const struct poly_trace_info *source)
{
	switch (form) {
	case EFFECTS_SEPARATE: return effects_has_states(source);
	case EFFECTS_JOINED: return is_powerpc(source) && POLY_HAS(source->columns, reg);
	case EFFECTS_STATES:
		return is_powerpc(source) && POLY_HAS(source->columns, reg) &&
		       !effects_has_states(source);
	case EFFECTS_MICRO_OPS:
		return source->isa && strncmp(source->isa, "x86", 3) == 0 &&
		       POLY_HAS(source->columns, opcode) &&
		       POLY_HAS(source->columns, opcode_size) &&
		       !POLY_HAS(source->columns, uop_index) && isa_described(source->isa);
	case EFFECTS_AS_READ: break;
	}
	return false;
}

poly_columns
effects_result_columns(enum effects_form form, const struct poly_trace_info *source)
{
	const poly_columns separate = POLY_COLUMNS(
				   kind, access, address, size, value, reg, text, mode),
			   joined = POLY_COLUMNS(kind, access, address, size, value);
	if (form == EFFECTS_SEPARATE && effects_has_states(source))
		return poly_columns_union(source->columns, separate);
	if (form == EFFECTS_STATES && effects_suits(form, source))
		return poly_columns_union(source->columns, POLY_COLUMNS(payload));
	if (form == EFFECTS_MICRO_OPS && effects_suits(form, source))
		return poly_columns_minus(
			poly_columns_union(source->columns,
				POLY_COLUMNS(branch, target, fallthrough, access, address,
					mnemonic, uop_name, src1, src2, dest, uop_index,
					immediate, flags)),
			POLY_COLUMNS(opcode, opcode_size, payload));
	if (effects_suits(form, source))
		return poly_columns_union(source->columns, joined);
	return source->columns;
}

/* Copies the metadata of the source. */
static void
copy_info(struct effects *effects)
{
	struct poly_trace_info *view = &effects->info.view;
	*view = *effects->source;
	view->names = &effects->info.names;
	view->columns = effects_result_columns(effects->options.form, effects->source);
}

/* Sets the functions and creates the state of the form; false: out of memory. */
static bool
set_way(struct effects *effects)
{
	switch (effects->options.form) {
	case EFFECTS_SEPARATE: effects->way = &effects_separate; return separate_new(effects);
	case EFFECTS_STATES: effects->way = &effects_states; return states_new(effects);
	case EFFECTS_MICRO_OPS:
		effects->way = &effects_micro_ops;
		return micro_ops_new(effects);
	case EFFECTS_JOINED:
	case EFFECTS_AS_READ: break;
	}
	effects->way = &effects_joined;
	return joined_new(effects);
}

enum poly_status
effects_new(const struct effects_options *options, const struct poly_trace_info *source,
	struct effects **result, struct poly_error *error)
{
	*result = NULL;
	struct effects *effects = mem_new(1, sizeof *effects);
	if (!effects)
		return err_memory(error);
	info_init(&effects->info);
	effects->options = *options;
	effects->source = source;
	effects->copy.names = &effects->info;
	poly_columns_add(&effects->options.wanted, POLY_COLUMN_kind);
	bool good = set_way(effects);
	for (unsigned i = 0; i < 2 && good; i++)
		good = batch_init(&effects->rows[i], effects->options.wanted, POLY_BATCH_ROWS,
			       &effects->info.view, NULL) == POLY_OK;
	if (!good) {
		effects_free(effects);
		return err_memory(error);
	}
	copy_info(effects);
	*result = effects;
	return POLY_OK;
}

const struct poly_trace_info *
effects_info(const struct effects *effects)
{
	return &effects->info.view;
}

poly_columns
effects_columns(const struct effects *effects)
{
	return poly_columns_union(effects->options.wanted,
		POLY_COLUMNS(INHERITED_COLUMNS, kind, pc, opcode, opcode_size, access, address,
			size, value, reg, access_attributes, payload, raw, origin));
}

void
effects_put(struct effects *effects, const struct poly_batch *batch)
{
	/* Facts may have been added; at the end the source may be closed. */
	if (batch)
		copy_info(effects);
	effects->batch = batch;
	effects->row = 0;
	effects->ended = !batch;
}

/* Begins the next result with the open row of the last one, if there is any; false: out of
 * memory. */
static bool
begin_rows(struct effects *effects)
{
	struct batch *last = effects_rows(effects);
	const size_t open = last->view.rows;
	effects->turn = !effects->turn;
	batch_clear(effects_rows(effects));
	if (!effects->holds_last)
		return true;
	last->view.arena = last->arena.data;
	last->view.arena_size = last->arena.size;
	struct row_copy copy = {0};
	row_copy_begin(&copy, &last->view, effects_rows(effects));
	effects_rows(effects)->view.rows = 1;
	effects->numbers[effects->turn][0] = effects->numbers[!effects->turn][open];
	last->view.rows = open + 1;
	return row_copy_row(&copy, open, 0, POLY_NO_COLUMNS);
}

/* Converts rows until there are enough or none are left; false: out of memory. */
static bool
convert_rows(struct effects *effects)
{
	const struct poly_batch *batch = effects->batch;
	const struct batch *rows = effects_rows(effects);
	if (batch)
		row_copy_begin(&effects->copy, batch, effects_rows(effects));
	while (batch && effects->row < batch->rows && rows->view.rows < ROWS_ENOUGH) {
		const uint64_t number = poly_batch_number(batch, effects->row);
		if (rows->view.rows && number - effects->numbers[effects->turn][0] > UINT32_MAX)
			return true;
		effects->gaps += number != effects->last + 1;
		effects->last = number;
		if (!effects->way->row(effects, effects->row++))
			return false;
	}
	if (batch && effects->row == batch->rows)
		effects->batch = NULL;
	if (!effects->ended || effects->finished)
		return true;
	effects->finished = true;
	return effects->way->finish(effects);
}

/* Numbers the rows of the result by their records. */
static void
number_rows(struct effects *effects)
{
	const uint64_t *numbers = effects->numbers[effects->turn];
	const uint64_t first = numbers[0] - 1;
	for (size_t i = 0; i < effects->view.rows; i++)
		effects->picked[i] = (uint32_t)(numbers[i] - 1 - first);
	effects->view.first = first;
	effects->view.picked = effects->picked;
}

enum poly_status
effects_take(struct effects *effects, const struct poly_batch **batch, struct poly_error *error)
{
	if (!begin_rows(effects) || !convert_rows(effects) ||
		batch_finish(effects_rows(effects), NULL) != POLY_OK)
		return err_memory(error);
	struct poly_batch *view = &effects_rows(effects)->view;
	view->rows -= effects->holds_last;
	effects->view = *view;
	effects->view.info = &effects->info.view;
	*batch = &effects->view;
	if (!view->rows)
		return POLY_END;
	number_rows(effects);
	return POLY_OK;
}

/* A function of struct poly_source. */
static enum poly_status
next_rows(void *user, const struct poly_batch **batch, struct poly_error *error)
{
	struct effects *effects = user;
	const struct poly_batch *next;
	enum poly_status status;
	while ((status = effects_take(effects, batch, error)) == POLY_END) {
		if (effects->status != POLY_OK)
			break;
		effects->status =
			effects->from.next(effects->from.user, &next, &effects->failure);
		effects_put(effects, effects->status == POLY_OK ? next : NULL);
	}
	if (status != POLY_END)
		return status;
	if (effects->status < 0 && error)
		*error = effects->failure;
	return effects->status;
}

struct poly_source
effects_source(struct effects *effects, const struct poly_source *from)
{
	effects->from = *from;
	return (struct poly_source){&effects->info.view, next_rows, effects};
}

void
effects_free(struct effects *effects)
{
	if (!effects)
		return;
	effects->way->free(effects->state);
	for (unsigned i = 0; i < 2; i++)
		batch_fini(&effects->rows[i]);
	row_copy_fini(&effects->copy);
	info_fini(&effects->info);
	mem_free(effects);
}
