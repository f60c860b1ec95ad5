/* SPDX-License-Identifier: MIT */
/* Parties: who has registers and a stack of its own. Threads, or what stands for them. */
#ifndef ANALYSIS_PARTY_H
#define ANALYSIS_PARTY_H

#include "polytrace/trace.h"

#include "base/buf.h"

/* The columns that tell parties apart. */
#define PARTY_COLUMNS \
	(POLY_HAS(thread) | POLY_HAS(process) | POLY_HAS(cpu) | POLY_HAS(cpu_name))

/* A number for the party of a row: by the first of the columns that it has; 0: it has none. */
uint64_t party_key(const struct poly_batch *batch, size_t row);

/* Appends what a number stands for, as "thread 3"; nothing for 0. */
void party_name(const struct poly_trace_info *info, uint64_t key, struct buf *to);

#endif
