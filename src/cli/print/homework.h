/* SPDX-License-Identifier: MIT */
/* sim --course: homeworks of courses, with the output of the courses' programs. */
#ifndef CLI_HOMEWORK_H
#define CLI_HOMEWORK_H

#include "cli/files/command_input.h"

/*
 * Runs a homework of a course, the first operand, on each of the following inputs; returns the
 * exit status.
 */
int homework_run(struct input_options *options, const char *course, char **operands);

/* Adds tables of all homeworks and their options to a report. */
void homework_list(struct poly_report *report);

#endif
