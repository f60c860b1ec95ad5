/* SPDX-License-Identifier: MIT */
/* Contexts: who has registers and a stack of its own. Threads, or what stands for them. */
#ifndef ANALYSIS_CONTEXT_H
#define ANALYSIS_CONTEXT_H

#include "polytrace/trace.h"

#include "base/buf.h"

/* The columns that tell contexts apart. */
#define CONTEXT_COLUMNS \
	(POLY_HAS(thread) | POLY_HAS(process) | POLY_HAS(cpu) | POLY_HAS(cpu_name))

/* The columns that tell contexts apart, the first one first. */
#define CONTEXT_COLUMN_COUNT 4
extern const enum poly_column context_columns[CONTEXT_COLUMN_COUNT];

/* A number for the context of a row: by the first of the columns that it has; 0: it has none.
 */
uint64_t context_key(const struct poly_batch *batch, size_t row);

/* No name. */
#define CONTEXT_NO_NAME UINT32_MAX

/* The number of the name that a number stands for; CONTEXT_NO_NAME: it is none. */
uint32_t context_name_index(uint64_t key);

/* The number for a processor of a name, which is number name of some list. */
uint64_t context_key_of_name(uint32_t name);

/* The number for a value of one of the columns. */
uint64_t context_key_of_value(enum poly_column column, uint64_t value);

/* Appends what a number stands for, as "thread 3"; nothing for 0. */
void context_append_name(const struct poly_trace_info *info, uint64_t key, struct buf *to);

#endif
