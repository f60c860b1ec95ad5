/* SPDX-License-Identifier: MIT */
/* Clocks, medians and file sizes, shared by the benchmarks. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stddef.h>
#include <stdint.h>

#define ROUNDS_MAX 99

/* CPU seconds of this process and its terminated children; seconds of wall time. */
double cpu_seconds(void);
double wall_seconds(void);

/* Returns the median of n values, at most ROUNDS_MAX. */
double median(const double *values, int n);

/* Returns the bytes of a file; exits if the file cannot be opened. */
size_t file_size(const char *path);

#endif
