/* SPDX-License-Identifier: MIT */
/* sim --course: homeworks of courses, with the output of the courses' programs. */
#ifndef CLI_HOMEWORK_H
#define CLI_HOMEWORK_H

#include "cli/command_input.h"

/*
 * Does a course's homework, the first operand, with each of the inputs behind it, by settings
 * of its options; returns the exit status.
 */
int homework_run(const struct input_options *options, const char *course,
	const struct opt_list *settings, char **operands);

/* Adds tables of all homeworks and their options to a report. */
void homework_list(struct poly_report *report);

#endif
