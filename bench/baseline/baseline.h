/* SPDX-License-Identifier: MIT */
/* Typical hand-written programs: the baseline of every ratio. */
#ifndef BENCH_BASELINE_H
#define BENCH_BASELINE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A decoded record; absent values are 0. */
struct baseline_record {
	uint32_t pc, opcode, address, third;
};

/* Records per call of a decoder. */
#define BASELINE_RECORDS 1024

/*
 * Decodes a TT6E file word by word into records, with classes by the macros of the TT6 trace
 * format; records holds BASELINE_RECORDS and is reused. Returns the number of records.
 */
uint64_t baseline_tt6e(const char *path, struct baseline_record *records);

/*
 * Prints a BACH file like the program of "Address Trace Specification", with addresses in the
 * right byte order; returns the number of records.
 */
uint64_t baseline_bach(const char *path, FILE *output);

/* Prints bare 32-bit AIX events of five data words; returns the number of events. */
uint64_t baseline_aix(const char *path, FILE *output);

/* A loop over the lines of a text trace; returns the number of parsed records. */
struct baseline_text {
	const char *format, *name; /* format of the trace, and the name of the loop */
	uint64_t (*run)(FILE *from);
};

/* Returns the loop for a format, or NULL. */
const struct baseline_text *baseline_text(const char *format);

/* A micro-op as programs for CIS 501 traces store it: 48 bytes. */
struct baseline_uop {
	uint64_t pc, address, fallthrough, target;
	int64_t immediate;
	int8_t src1, src2, dest;
	uint8_t uop;
	char flags, branch, ldst, unused;
};

/* Predictors of 2^MIN to 2^MAX counters, bimodal and gshare of each size in turn. */
#define BASELINE_PREDICTOR_MIN 3
#define BASELINE_PREDICTOR_MAX 20
#define BASELINE_PREDICTORS (2 * (BASELINE_PREDICTOR_MAX - BASELINE_PREDICTOR_MIN + 1))

/*
 * Counts the mispredicted conditional branches of each of BASELINE_PREDICTORS, in one scan
 * each.
 */
void baseline_predictors(const struct baseline_uop *uops, size_t n, uint64_t *wrong);

#endif
