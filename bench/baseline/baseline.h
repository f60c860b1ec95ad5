/* SPDX-License-Identifier: MIT */
/* What people use today, written plainly: the other side of every ratio. */
#ifndef BENCH_BASELINE_H
#define BENCH_BASELINE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A decoded record; what a record does not have is 0. */
struct baseline_record {
	uint32_t pc, opcode, address, third;
};

/* Records that a decoder hands on at a time. */
#define BASELINE_RECORDS 1024

/*
 * Decodes a TT6E file a word at a time into records, classes by the seed's macros; records has
 * room for BASELINE_RECORDS, and is filled again and again. Returns their number.
 */
uint64_t baseline_tt6e(const char *path, struct baseline_record *records);

/* Prints a BACH file as the seed's program does, addresses in the right order; the records. */
uint64_t baseline_bach(const char *path, FILE *to);

/* Prints bare 32-bit AIX events of five data words; the events. */
uint64_t baseline_aix(const char *path, FILE *to);

/* A loop over the lines of a text trace; returns the records that it understood. */
struct baseline_text {
	const char *format, *name; /* format of the trace, and what the loop is */
	uint64_t (*run)(FILE *from);
};

/* The loop for a format, or NULL. */
const struct baseline_text *baseline_text(const char *format);

/* A micro-op as programs for CIS 501 traces keep it: 48 bytes. */
struct baseline_uop {
	uint64_t pc, address, fallthrough, target;
	int64_t immediate;
	int8_t src1, src2, dest;
	uint8_t uop;
	char flags, branch, ldst, unused;
};

/* Predictors of 2^LEAST to 2^MOST counters, bimodal and gshare of each size in turn. */
#define BASELINE_PREDICTOR_LEAST 3
#define BASELINE_PREDICTOR_MOST 20
#define BASELINE_PREDICTORS (2 * (BASELINE_PREDICTOR_MOST - BASELINE_PREDICTOR_LEAST + 1))

/* What each of BASELINE_PREDICTORS mispredicts of the conditional branches, in a pass each. */
void baseline_predictors(const struct baseline_uop *uops, size_t n, uint64_t *wrong);

#endif
