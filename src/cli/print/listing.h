/* SPDX-License-Identifier: MIT */
/* An aligned listing of rows on standard output. */
#ifndef CLI_LISTING_H
#define CLI_LISTING_H

#include "polytrace/polytrace.h"

#include "cli/files/output.h"

/* Columns that a listing reads besides those that it prints. */
#define LISTING_NEEDS kind, record, pc, opcode, opcode_size, value, synthetic, escape, site

/* Default columns, of those that the trace has. */
#define LISTING_DEFAULT                                                                   \
	record, time, cpu, process, thread, pc, opcode, next_pc, branch, access, address, \
		size, value, reg, mnemonic, uop_name, mode, event, byte_enables, control, \
		memory_type, agent, hook, subhook, text

/* Contents of a listing. */
struct listing_options {
	const char *columns;   /* names separated by commas; NULL: the default */
	const char *registers; /* the same for registers of FULL records, or NULL */
	bool colored;	       /* with colours for a terminal */
	unsigned threads;      /* that format rows; 0: one per CPU */
};

struct listing;

/*
 * Sets *columns to those that the reader must deliver. Reports unknown names and returns false.
 */
bool listing_columns(const struct listing_options *options, poly_columns *columns);

/* Begins a listing of a trace on output. name: the input in messages. */
struct listing *listing_new(const struct listing_options *options,
	const struct poly_trace_info *info, struct output *output, const char *name);

/*
 * Returns what decoders can do for the listing, for the plan of the reader, which must be
 * closed before the listing is freed; NULL: nothing. Called before the first batch.
 */
const struct poly_decoder_work *listing_work(struct listing *listing);

/*
 * Prints the rows of a batch, or keeps them: a header precedes the first ones. False: a failure
 * of the output, or another one, which was reported.
 */
bool listing_batch(struct listing *listing, const struct poly_batch *batch);

/* Prints the rows that were kept. False: as listing_batch. */
bool listing_finish(struct listing *listing);

/* The columns that the listing computes for a trace that does not have them. */
poly_columns listing_derived(const struct listing *listing);

/* Whether a printed row had registers. */
bool listing_had_registers(const struct listing *listing);

/* Frees a listing. */
void listing_free(struct listing *listing);

#endif
