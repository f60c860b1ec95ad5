/* SPDX-License-Identifier: MIT */
/* Messages on standard error, one line each: "polytrace: SUBJECT: MESSAGE". */
#ifndef CLI_DIAGNOSTICS_H
#define CLI_DIAGNOSTICS_H

#include "polytrace/polytrace.h"

#include <stdbool.h>
#include <stddef.h>

/* Prints a message about a subject: a file, a command, an option; NULL: the whole program. */
void diag_print(const char *subject, const char *message, ...)
	__attribute__((format(printf, 2, 3)));

/* Precedes the subject of all messages that follow by a text, which is copied. */
void diag_set_origin(const char *origin);

/* Holds back the messages that follow, except that memory ran out. */
void diag_hold(void);

/* Prints or drops the messages that were held back, if any. */
void diag_release(bool prints);

/* Returns the size and, in *texts, which the caller frees, the messages that were held back. */
size_t diag_take(char **texts);

/* Prints a message about something that happened count times. */
void diag_times(const char *subject, const char *note, uint64_t count);

/* Prints what a writer noted, with its counts. */
void diag_notes(const char *subject, const struct poly_writer *writer);

/*
 * Prints an error of the library about a subject, with record, line and byte offset if they are
 * known. Options of the library are named by the switches that set them.
 */
void diag_error(const char *subject, const struct poly_error *error);

/* The same for an error of a writer, whose options have switches of their own. */
void diag_writer_error(const char *subject, const struct poly_error *error);

/* Returns the name of an input or output in messages: the path, or a word for "-". */
const char *diag_input_name(const char *path);
const char *diag_output_name(const char *path);

/* Returns count zeroed elements of size bytes; exits if out of memory. */
void *diag_allocate(size_t count, size_t size);

/* Reports that memory ran out, and exits. */
_Noreturn void diag_no_memory(void);

/* Returns the name of a severity. */
const char *severity_name(enum poly_severity severity);

#endif
