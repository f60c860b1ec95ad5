/* SPDX-License-Identifier: MIT */
/* An aligned listing of rows on standard output. */
#ifndef CLI_LISTING_H
#define CLI_LISTING_H

#include "polytrace/polytrace.h"

#include "cli/files/output.h"

/* Columns that a listing reads besides those that it prints. */
#define LISTING_NEEDS                                                           \
	(POLY_HAS(kind) | POLY_HAS(record) | POLY_HAS(pc) | POLY_HAS(opcode) |  \
		POLY_HAS(opcode_size) | POLY_HAS(value) | POLY_HAS(synthetic) | \
		POLY_HAS(escape) | POLY_HAS(site))

/* Default columns, of those that the trace has. */
#define LISTING_DEFAULT                                                                        \
	(POLY_HAS(record) | POLY_HAS(time) | POLY_HAS(cpu) | POLY_HAS(process) |               \
		POLY_HAS(thread) | POLY_HAS(pc) | POLY_HAS(opcode) | POLY_HAS(next_pc) |       \
		POLY_HAS(branch) | POLY_HAS(access) | POLY_HAS(address) | POLY_HAS(size) |     \
		POLY_HAS(value) | POLY_HAS(reg) | POLY_HAS(mnemonic) | POLY_HAS(uop_name) |    \
		POLY_HAS(mode) | POLY_HAS(event) | POLY_HAS(byte_enables) |                    \
		POLY_HAS(control) | POLY_HAS(memory_type) | POLY_HAS(agent) | POLY_HAS(hook) | \
		POLY_HAS(subhook) | POLY_HAS(text))

/* Contents of a listing. */
struct listing_options {
	const char *columns;   /* names separated by commas; NULL: the default */
	const char *registers; /* the same for registers of FULL records, or NULL */
	bool colored;	       /* with colours for a terminal */
};

struct listing;

/*
 * Sets *columns to those that the reader must deliver. Reports unknown names and returns false.
 */
bool listing_columns(const struct listing_options *options, poly_columns *columns);

/* Begins a listing of a trace on output. name: the input in messages. */
struct listing *listing_new(const struct listing_options *options,
	const struct poly_trace_info *info, struct output *output, const char *name);

/* Prints the rows of a batch, after a header before the first batch. */
void listing_batch(struct listing *listing, const struct poly_batch *batch);

/* The columns that the listing computes for a trace that does not have them. */
poly_columns listing_derived(const struct listing *listing);

/* Whether a printed row had registers. */
bool listing_had_registers(const struct listing *listing);

/* Frees a listing. */
void listing_free(struct listing *listing);

#endif
