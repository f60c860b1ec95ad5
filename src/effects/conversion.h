/* SPDX-License-Identifier: MIT */
/* The state of a conversion, shared by both forms. */
#ifndef EFFECTS_CONVERSION_H
#define EFFECTS_CONVERSION_H

#include "effects/effects.h"
#include "model/row_copy.h"
#include "isa/isa.h"

/* Rows of the result from which on it is delivered; a source row yields far fewer than the
 * rest.
 */
#define ROWS_ENOUGH (POLY_BATCH_ROWS / 2)

/* Columns that the records of an instruction take over from it. */
#define INHERITED_COLUMNS time, cpu, cpu_name, process, thread

/* The functions of a form. */
struct effects_way {
	/* Converts a row of the batch; false: out of memory. */
	bool (*row)(struct effects *effects, size_t row);
	/* Converts what is left at the end of the trace; false: out of memory. */
	bool (*finish)(struct effects *effects);
	/* Frees the state. */
	void (*free)(void *state);
};

struct effects {
	struct effects_options options;
	const struct effects_way *way;
	const struct poly_trace_info *source;
	struct info info;     /* of the result; its names */
	struct batch rows[2]; /* the result, by turns */
	unsigned turn;
	uint64_t numbers[2][POLY_BATCH_ROWS]; /* the record of each row */
	uint32_t picked[POLY_BATCH_ROWS];
	struct poly_batch view; /* what the caller gets */
	struct row_copy copy;
	const struct poly_batch *batch; /* of the source; NULL: needed */
	size_t row;			/* the next of batch */
	bool ended, finished;
	struct poly_source from; /* of effects_source */
	enum poly_status status; /* of from */
	struct poly_error failure;
	bool holds_last; /* the last row of the result is still open */
	uint64_t last;	 /* number of the last record */
	uint64_t gaps;	 /* seen so far */
	void *state;	 /* of the form */
};

extern const struct effects_way effects_separate, effects_joined, effects_states,
	effects_micro_ops;

/* Creates the state of a form; false: out of memory. */
bool separate_new(struct effects *effects);
bool joined_new(struct effects *effects);
bool states_new(struct effects *effects);
bool micro_ops_new(struct effects *effects);

/* Returns the batch of the result. */
static inline struct batch *
effects_rows(struct effects *effects)
{
	return &effects->rows[effects->turn];
}

/* Adds a row to the result that is of a record; returns its index. */
size_t effects_add_row(struct effects *effects, uint64_t number, enum poly_kind kind);

/* Counts a loss. */
void effects_note(const struct effects *effects, const char *what);

#endif
