/* SPDX-License-Identifier: MIT */
/* The status that every fallible function returns, and the error that it fills. */
#ifndef POLYTRACE_STATUS_H
#define POLYTRACE_STATUS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
/* A function of the public interface. */
#define POLY_API __attribute__((visibility("default")))
#else
#define POLY_API
#endif

/* The result of a fallible function: failures are negative. */
enum poly_status {
	POLY_OK = 0,		   /* success */
	POLY_END = 1,		   /* end of the input; sticky, and not a failure */
	POLY_ERR_USAGE = -1,	   /* invalid argument, option or combination */
	POLY_ERR_IO = -2,	   /* the operating system failed; see sys_errno */
	POLY_ERR_FORMAT = -3,	   /* the input is corrupt, or not of its format */
	POLY_ERR_LIMIT = -4,	   /* a limit (nesting, expansion, line length) was reached */
	POLY_ERR_MEMORY = -5,	   /* out of memory */
	POLY_ERR_UNSUPPORTED = -6, /* a required library is not in this build */
	POLY_ERR_LOSS = -7,	   /* the target format cannot hold, or lacks, a column */
	POLY_ERR_CANCELLED = -8,   /* the caller's callback requested a stop */
	POLY_ERR_TRUNCATED = -9,   /* the input ends within a record or a compressed stream */
};

/* The offset of an error that does not refer to an input. */
#define POLY_NO_OFFSET UINT64_MAX

/*
 * What failed and where. The caller owns it, and every function that has such a parameter
 * accepts NULL. It is written only on failure. message is one line, without capital and full
 * stop: what is wrong, then what was found and expected, with units; it repeats neither the
 * file name nor the position. If a text of the caller is invalid, two lines follow: the text,
 * and a caret under the error.
 *
 * An option of the library is named as "options.NAME", in a remedy as "set options.NAME", and
 * an option of a format or analysis by its own name. A program that has other names for options
 * replaces these option_size bytes of message, which begin at option_at.
 */
struct poly_error {
	enum poly_status status; /* the status that the function returned */
	int sys_errno;		 /* errno of POLY_ERR_IO, else 0 */
	uint64_t offset;	 /* byte offset in the decompressed input, or POLY_NO_OFFSET */
	uint64_t record;	 /* number of the record from 1; 0: unknown */
	uint64_t line;		 /* line from 1 if the input is text; 0: unknown */
	char message[400];	 /* always ends in NUL */
	char option[32];	 /* name of the option that message names; "": none */
	uint16_t option_at;	 /* offset in message of the words that name the option */
	uint16_t option_size;	 /* bytes of these words; 0: message names no option */
};

#ifdef __cplusplus
}
#endif

#endif
