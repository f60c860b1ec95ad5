/* SPDX-License-Identifier: MIT */
/*
 * Contexts by number: dense from 0, in the order of first appearance, over all traces of a run.
 * Threads of the same number are one context whatever trace they are in.
 */
#ifndef ANALYSIS_CONTEXTS_H
#define ANALYSIS_CONTEXTS_H

#include "analysis/context.h"

#include "base/intern.h"
#include "base/map.h"

/* Most contexts that are told apart; all further ones count as the last. */
#define ANALYSIS_CONTEXTS_MAX 1024

/* Keys that are looked at before the map. */
#define CONTEXTS_RECENT 64

/* Zero-initialise; contexts_fini gives back. At most 40 KiB and the names of processors. */
struct contexts {
	uint64_t keys[ANALYSIS_CONTEXTS_MAX]; /* by number, as context_key but for names */
	uint16_t count;
	bool overflowed;     /* the last one stands for further ones, too */
	struct map numbers;  /* by key */
	struct intern names; /* of processors, of all traces */
	const struct poly_trace_info *info;
	struct {
		uint64_t key; /* of context_key */
		uint16_t number;
		bool used;
	} recent[CONTEXTS_RECENT]; /* of the trace */
};

/* A trace begins. Its names must stay until the next one does. */
void contexts_begin_trace(struct contexts *contexts, const struct poly_trace_info *info);

/*
 * Finds the context of each row of a batch that has rows. Where all are of the same one, it is
 * *only and context is not filled; *mixed tells. False: memory could not be had.
 */
bool contexts_number_rows(struct contexts *contexts, const struct poly_batch *batch,
	uint16_t *context, uint16_t *only, bool *mixed);

/* Adds another run's contexts; to, of from->count elements, becomes their numbers here. */
bool contexts_merge(struct contexts *into, const struct contexts *from, uint16_t *to);

/* Appends what a number stands for, as "thread 3"; nothing where a row does not say who. */
void contexts_append_name(const struct contexts *contexts, uint16_t number, struct buf *to);

/* Gives the memory back. */
void contexts_fini(struct contexts *contexts);

#endif
