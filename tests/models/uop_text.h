/* SPDX-License-Identifier: MIT */
/* Lines of a CIS 501 trace by scanf, as the course's programs read them. */
#ifndef TESTS_UOP_TEXT_H
#define TESTS_UOP_TEXT_H

#include "course/course.h"

#include <inttypes.h>
#include <stdio.h>

struct uop_text {
	char macro[80], micro[80];
};

/* Reads the next micro-op, whose names are in text. Returns false at the end. */
static inline bool
next_uop(FILE *file, struct course_uop *uop, struct uop_text *text)
{
	char line[512];
	if (!fgets(line, sizeof line, file))
		return false;
	uop->number++;
	uop->macro = text->macro;
	uop->micro = text->micro;
	return sscanf(line,
		       "%" SCNd32 " %" SCNx64 " %" SCNd32 " %" SCNd32 " %" SCNd32
		       " %c %c %c %" SCNd64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %79s %79s",
		       &uop->uop, &uop->pc, &uop->src1, &uop->src2, &uop->dest, &uop->flags,
		       &uop->branch, &uop->ldst, &uop->immediate, &uop->address,
		       &uop->fallthrough, &uop->target, text->macro, text->micro) == 14;
}

#endif
