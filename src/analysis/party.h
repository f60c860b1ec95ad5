/* SPDX-License-Identifier: MIT */
/* Parties: who has registers and a stack of its own. Threads, or what stands for them. */
#ifndef ANALYSIS_PARTY_H
#define ANALYSIS_PARTY_H

#include "polytrace/trace.h"

#include "base/buf.h"

/* The columns that tell parties apart. */
#define PARTY_COLUMNS \
	(POLY_HAS(thread) | POLY_HAS(process) | POLY_HAS(cpu) | POLY_HAS(cpu_name))

/* The columns that tell parties apart, the first one first. */
#define PARTY_COLUMN_COUNT 4
extern const enum poly_column party_columns[PARTY_COLUMN_COUNT];

/* A number for the party of a row: by the first of the columns that it has; 0: it has none. */
uint64_t party_key(const struct poly_batch *batch, size_t row);

/* No name. */
#define PARTY_NO_NAME UINT32_MAX

/* The number of the name that a number stands for; PARTY_NO_NAME: it is none. */
uint32_t party_name_number(uint64_t key);

/* The number for a processor of a name, which is number name of some list. */
uint64_t party_named(uint32_t name);

/* The number for a value of one of the columns. */
uint64_t party_number(enum poly_column column, uint64_t value);

/* Appends what a number stands for, as "thread 3"; nothing for 0. */
void party_name(const struct poly_trace_info *info, uint64_t key, struct buf *to);

#endif
