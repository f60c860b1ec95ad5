/* SPDX-License-Identifier: MIT */
/* Lines that the printouts of several homeworks have in common. */
#ifndef COURSE_TEXT_H
#define COURSE_TEXT_H

#include "course/course.h"

/* `Trace name` and what the trace is called. */
void course_text_name(struct buf *to, const char *name);

/* `Processed N trace lines.` and `Num Uops`. */
void course_text_processed(struct buf *to, uint64_t uops);

/* part of whole in percent; 0 where there is no whole. */
double course_percent(uint64_t part, uint64_t whole);

/* Whether n is a power of two. */
bool course_is_power(uint64_t n);

#endif
