/* SPDX-License-Identifier: MIT */
/* Lines that the printouts of several homeworks share. */
#ifndef COURSE_TEXT_H
#define COURSE_TEXT_H

#include "course/course.h"

/* Prints `Trace name` and the name of the trace. */
void course_text_name(struct buf *out, const char *name);

/* Prints `Processed N trace lines.` and `Num Uops`. */
void course_text_processed(struct buf *out, uint64_t uops);

/* Prints the cycles until each register is ready; -: now. */
void course_text_board(struct buf *out, const unsigned board[COURSE_REGISTERS]);

/* Returns part of whole in percent; 0 if whole is 0. */
double course_percent(uint64_t part, uint64_t whole);

/* Returns whether n is a power of two. */
bool course_is_power(uint64_t n);

#endif
