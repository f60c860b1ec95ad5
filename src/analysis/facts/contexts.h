/* SPDX-License-Identifier: MIT */
/*
 * Dense numbers of execution contexts: from 0, in order of first appearance, over all traces of
 * a run. Threads with the same id are one context, in whatever trace.
 */
#ifndef ANALYSIS_CONTEXTS_H
#define ANALYSIS_CONTEXTS_H

#include "model/context.h"

#include "base/intern.h"
#include "base/map.h"

struct archive;

/* Maximum number of contexts; all further ones count as the last. */
#define ANALYSIS_CONTEXTS_MAX 1024

/* Entries of the cache of recently found keys. */
#define CONTEXTS_RECENT 64

/* Zero-initialize; free with contexts_fini. At most 40 KiB and the names of CPUs. */
struct contexts {
	uint64_t keys[ANALYSIS_CONTEXTS_MAX]; /* by number; those of names index names */
	uint16_t count;
	bool overflowed;     /* the last one stands for further ones, too */
	struct map numbers;  /* by key */
	struct intern names; /* of the CPUs of all traces */
	const struct poly_trace_info *info;
	struct {
		uint64_t key; /* as context_key returns it */
		uint16_t number;
		bool used;
	} recent[CONTEXTS_RECENT]; /* of the trace */
};

/* Begins a trace. info must stay valid until the next trace begins. */
void contexts_begin_trace(struct contexts *contexts, const struct poly_trace_info *info);

/*
 * Numbers the context of each row of a batch that is not empty. Sets *mixed, and fills context,
 * if the rows belong to several contexts; else sets *sole_context. False: out of memory.
 */
bool contexts_number_rows(struct contexts *contexts, const struct poly_batch *batch,
	uint16_t *context, uint16_t *sole_context, bool *mixed);

/* Adds the contexts of another run; numbers, of from->count elements, gets their numbers in
 * into. */
bool contexts_merge(struct contexts *into, const struct contexts *from, uint16_t *numbers);

/* Saves or loads the contexts, and sets the number of those that states may refer to. */
void contexts_transfer(struct contexts *contexts, struct archive *archive);

/* Appends the name of a context, as "thread 3"; nothing for rows without one. */
void contexts_append_name(const struct contexts *contexts, uint16_t number, struct buf *text);

/* Frees the memory. */
void contexts_fini(struct contexts *contexts);

#endif
