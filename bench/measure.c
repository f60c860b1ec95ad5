/* SPDX-License-Identifier: MIT */
/* Clocks, medians and file sizes. */
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

static double
seconds(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double
cpu_seconds(void)
{
	struct tms children = {0};
	times(&children);
	return seconds(CLOCK_PROCESS_CPUTIME_ID) +
	       (double)(children.tms_cutime + children.tms_cstime) /
		       (double)sysconf(_SC_CLK_TCK);
}

double
wall_seconds(void)
{
	return seconds(CLOCK_MONOTONIC);
}

static int
by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

double
median(const double *values, int n)
{
	double sorted[ROUNDS_MAX];
	memcpy(sorted, values, (size_t)n * sizeof *sorted);
	qsort(sorted, (size_t)n, sizeof *sorted, by_size);
	return sorted[n / 2];
}

size_t
file_size(const char *path)
{
	FILE *file = fopen(path, "rb");
	if (!file || fseek(file, 0, SEEK_END) != 0) {
		perror(path);
		exit(2);
	}
	long size = ftell(file);
	fclose(file);
	return (size_t)size;
}
