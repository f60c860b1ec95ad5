/* SPDX-License-Identifier: MIT */
/* What is told on standard error, one line each: "polytrace: SUBJECT: MESSAGE". */
#ifndef CLI_SAY_H
#define CLI_SAY_H

#include "polytrace/status.h"

#include <stddef.h>

/* Tells a message about subject (a file or command; NULL: the program as a whole). */
void say(const char *subject, const char *message, ...) __attribute__((format(printf, 2, 3)));

/* Tells what failed at a file, with record, line and byte offset where they are known. */
void say_error(const char *path, const struct poly_error *error);

/* The name of an input or output in messages: "-" has a better one. */
const char *say_input(const char *path);
const char *say_output(const char *path);

/* count zeroed elements of size bytes; without memory it says so and exits. */
void *say_allocate(size_t count, size_t size);

/* Says that memory could not be had, and exits. */
_Noreturn void say_no_memory(void);

#endif
