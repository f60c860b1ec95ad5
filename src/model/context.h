/* SPDX-License-Identifier: MIT */
/* Execution contexts, each with its own registers and stack: a thread, process or CPU. */
#ifndef MODEL_CONTEXT_H
#define MODEL_CONTEXT_H

#include "polytrace/trace.h"

#include "base/buf.h"

/* The columns that identify a context. */
#define CONTEXT_COLUMNS thread, process, cpu, cpu_name

/* The columns that identify a context, in order of precedence. */
#define CONTEXT_COLUMN_COUNT 4
extern const enum poly_column context_columns[CONTEXT_COLUMN_COUNT];

/* Returns the key of a row's context, from the first of the columns with a value; 0: none. */
uint64_t context_key(const struct poly_batch *batch, size_t row);

/* The index of a key without a name. */
#define CONTEXT_NO_NAME UINT32_MAX

/* Returns the index of a key's CPU name; CONTEXT_NO_NAME: the key is not a name. */
uint32_t context_name_index(uint64_t key);

/* Returns the key of a CPU name by its index in a list of names. */
uint64_t context_key_of_name(uint32_t name);

/* Returns the key of a value of one of the columns. */
uint64_t context_key_of_value(enum poly_column column, uint64_t value);

/* Returns whether a number may be a key. */
bool context_is_key(uint64_t key);

/* Appends the name of a context, as "thread 3"; nothing for key 0. */
void context_append_name(const struct poly_trace_info *info, uint64_t key, struct buf *text);

#endif
