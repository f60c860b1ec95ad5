/* SPDX-License-Identifier: MIT */
/* What is told on standard error, one line each: "polytrace: SUBJECT: MESSAGE". */
#ifndef CLI_DIAGNOSTICS_H
#define CLI_DIAGNOSTICS_H

#include "polytrace/status.h"

#include <stddef.h>

/* Tells a message about subject (a file or command; NULL: the program as a whole). */
void diag_print(const char *subject, const char *message, ...)
	__attribute__((format(printf, 2, 3)));

/* Tells what failed at a file, with record, line and byte offset where they are known. */
void diag_error(const char *path, const struct poly_error *error);

/* The name of an input or output in messages: "-" has a better one. */
const char *diag_input_name(const char *path);
const char *diag_output_name(const char *path);

/* count zeroed elements of size bytes; without memory it says so and exits. */
void *diag_allocate(size_t count, size_t size);

/* Says that memory could not be had, and exits. */
_Noreturn void diag_no_memory(void);

#endif
