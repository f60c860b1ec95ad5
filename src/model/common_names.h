/* SPDX-License-Identifier: MIT */
/*
 * Names of rows of several traces, for a consumer that refers to names by number: each trace
 * has numbers of its own, so the rows of all but the first get those of one common table.
 */
#ifndef MODEL_COMMON_NAMES_H
#define MODEL_COMMON_NAMES_H

#include "model/batch.h"
#include "model/id_remap.h"
#include "model/info.h"

/* Zero-initialise; free by common_names_fini. */
struct common_names {
	struct poly_trace_info info; /* of the first trace, with the common names and records */
	const struct poly_trace_info *first;
	struct info table; /* owns the common names */
	const char *records[UINT8_MAX + 1];
	/* The table of the last batch: another trace may have one at the same address. */
	const struct poly_trace_names *last;
	struct hash_seed last_seed;
	bool mapped;		    /* a batch had another table than the first one */
	struct id_remap names, ids; /* of names and records of the last batch's table */
	struct batch cells;	    /* storage of the mapped columns */
	struct poly_batch view;
};

/*
 * Begins, once, with the metadata of the first trace, which must stay valid. POLY_ERR_MEMORY;
 * POLY_ERR_LIMIT: too many names of records.
 */
enum poly_status common_names_begin(struct common_names *common,
	const struct poly_trace_info *first, struct poly_error *error);

/* Returns whether a batch is of another trace than the batch before it. */
bool common_names_change(const struct common_names *common, const struct poly_batch *batch);

/*
 * Adds the names of a batch. If a batch had another table than the first one, *batch becomes
 * one with numbers of common->info, valid until the next call, without knowledge of patterns.
 * All its columns must be filled. POLY_ERR_MEMORY; POLY_ERR_LIMIT: too many names of records.
 */
enum poly_status common_names_adapt(
	struct common_names *common, const struct poly_batch **batch, struct poly_error *error);

/* Frees everything. */
void common_names_fini(struct common_names *common);

#endif
