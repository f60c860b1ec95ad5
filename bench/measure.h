/* SPDX-License-Identifier: MIT */
/* What the comparisons share: clocks, medians, files. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stddef.h>
#include <stdint.h>

#define ROUNDS_MOST 99

/* Seconds that this process and its children that have ended spent, or that have passed. */
double cpu_seconds(void);
double wall_seconds(void);

/* The median of n values, at most ROUNDS_MOST. */
double median(const double *values, int n);

/* The bytes of a file; the program ends where there is none. */
size_t file_size(const char *path);

#endif
