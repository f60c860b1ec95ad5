/* SPDX-License-Identifier: MIT */
/* What people use today, written plainly: the other side of every ratio. */
#ifndef BENCH_BASELINE_H
#define BENCH_BASELINE_H

#include <stdint.h>
#include <stdio.h>

/*
 * Decodes a TT6E file a word at a time, classes by the seed's macros; last gets PC, opcode,
 * address and third word as they stood at each record. Returns the number of records.
 */
uint64_t baseline_tt6e(const char *path, uint32_t last[4]);

/* Prints a BACH file as the seed's program does, addresses in the right order; the records. */
uint64_t baseline_bach(const char *path, FILE *to);

#endif
