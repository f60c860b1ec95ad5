/* SPDX-License-Identifier: MIT */
/*
 * Instructions with their effects (register writes, loads and stores with data), in two forms
 * of rows: separate, an instruction followed by records of its effects, as QEMU4V and Tarmac
 * have them; and joined, with the access in the instruction, as TT6 has it. Rows of any trace
 * are converted to either form; rows that already have it are passed on.
 *
 * FULL traces state registers only as a whole, so that effects follow from the states of
 * consecutive records: registers that differ are written; the data of a store are those of its
 * source register before it, the data of a load those of its destination register after it.
 * With states before the instruction, the effects of a record thus follow when the next one is
 * read. A gap in the records, as selections leave it, hides the effects of the record before
 * it.
 *
 * Joining needs the effective address of instructions without a record of an access (cache
 * operations, stores that failed): it follows from the registers that records have shown.
 *
 * The third form, states, is that of FULL: each instruction has the registers before it. Those
 * of other traces follow from their records of registers.
 *
 * The fourth form, micro-operations, is that of CIS 501, for instructions of x86.
 *
 * One thread at a time.
 */
#ifndef EFFECTS_EFFECTS_H
#define EFFECTS_EFFECTS_H

#include "polytrace/source.h"

/* Forms of rows. */
enum effects_form {
	EFFECTS_AS_READ, /* rows as the format reads them */
	EFFECTS_SEPARATE,
	EFFECTS_JOINED,
	EFFECTS_STATES,
	EFFECTS_MICRO_OPS,
};

struct effects_options {
	enum effects_form form; /* not AS_READ */
	poly_columns wanted;	/* columns that the consumer reads */
	bool initial;		/* SEPARATE: begins with the registers of the first state */
	/* Counts what is lost; what is static. NULL: not counted. */
	void (*note)(void *user, const char *what);
	void *user; /* passed to note */
};

struct effects;

/* Returns whether the records of a trace hold register states. */
bool effects_has_states(const struct poly_trace_info *source);

/* Returns whether the instructions of a trace hold their accesses, and no registers. */
bool effects_has_accesses(const struct poly_trace_info *source);

/* Returns whether rows of a trace need conversion to a form. */
bool effects_suits(enum effects_form form, const struct poly_trace_info *source);

/* Returns the columns of a trace after conversion. */
poly_columns effects_result_columns(
	enum effects_form form, const struct poly_trace_info *source);

/*
 * Creates a conversion for a trace of effects_suits; source is valid as long as the result,
 * which the caller frees. POLY_ERR_MEMORY.
 */
enum poly_status effects_new(const struct effects_options *options,
	const struct poly_trace_info *source, struct effects **effects,
	struct poly_error *error);

/* Returns the metadata of the converted trace, valid as long as effects. */
const struct poly_trace_info *effects_info(const struct effects *effects);

/* Returns the columns that batches passed to effects_put must have. */
poly_columns effects_columns(const struct effects *effects);

/* Sets the next batch, after effects_take returned POLY_END; it is used until then. NULL: the
 * trace has ended. */
void effects_put(struct effects *effects, const struct poly_batch *batch);

/*
 * Gets the next converted rows, at least one, valid until the next call. POLY_END: the next
 * batch is needed, or after the end of the trace nothing is left. POLY_ERR_MEMORY.
 */
enum poly_status effects_take(
	struct effects *effects, const struct poly_batch **batch, struct poly_error *error);

/*
 * Returns a source of converted rows of another one, which is copied, instead of effects_put
 * and effects_take; valid as long as effects.
 */
struct poly_source effects_source(struct effects *effects, const struct poly_source *from);

/* Frees the conversion; accepts NULL. */
void effects_free(struct effects *effects);

#endif
