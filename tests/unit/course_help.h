/* SPDX-License-Identifier: MIT */
/* CIS 501 traces for tests, read by a scanf of their own, and files beside the project. */
#ifndef TESTS_COURSE_HELP_H
#define TESTS_COURSE_HELP_H

#include "course/course.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct course_trace {
	struct course_uop uops[5000];
	char names[5000][2][24];
	size_t count;
};

/* Opens a file of the public CIS 501 data beside the project; NULL if it does not exist. */
static inline FILE *
course_public(const char *name)
{
	const char *shared = getenv("POLYTRACE_SHARED"), *root = getenv("POLYTRACE_ROOT");
	char path[4096];
	if (shared)
		snprintf(path, sizeof path, "%s/data/public/cis501/%s", shared, name);
	else
		snprintf(path, sizeof path, "%s/../shared/data/public/cis501/%s",
			root ? root : ".", name);
	return fopen(path, "r");
}

/* The records of a trace, whose file is closed; an empty one where file is NULL. */
static inline struct course_trace *
course_read(FILE *file)
{
	struct course_trace *trace = calloc(1, sizeof *trace);
	if (!trace)
		abort();
	if (!file)
		return trace;
	for (;;) {
		struct course_uop *u = &trace->uops[trace->count];
		char(*names)[24] = trace->names[trace->count];
		if (trace->count == 5000 ||
			fscanf(file,
				"%" SCNd32 " %" SCNx64 " %" SCNd32 " %" SCNd32 " %" SCNd32
				" %c %c %c %" SCNd64 " %" SCNx64 " %" SCNx64 " %" SCNx64
				" %23s %23s",
				&u->uop, &u->pc, &u->src1, &u->src2, &u->dest, &u->flags,
				&u->branch, &u->ldst, &u->immediate, &u->address,
				&u->fallthrough, &u->target, names[0], names[1]) != 14)
			break;
		u->number = ++trace->count;
		u->macro = names[0];
		u->micro = names[1];
	}
	fclose(file);
	return trace;
}

#endif
