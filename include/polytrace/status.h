/* SPDX-License-Identifier: MIT */
/* How every fallible function of the library answers, and what it says when it fails. */
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

/* The answer of a fallible function: failures are negative. */
enum poly_status {
	POLY_OK = 0,		   /* done */
	POLY_END = 1,		   /* nothing follows; sticky, and not a failure */
	POLY_ERR_USAGE = -1,	   /* a wrong argument, option or combination of them */
	POLY_ERR_IO = -2,	   /* the operating system refused; sys_errno says why */
	POLY_ERR_FORMAT = -3,	   /* the input is damaged, or not what it was said to be */
	POLY_ERR_LIMIT = -4,	   /* a limit (nesting, expansion, line length) was reached */
	POLY_ERR_MEMORY = -5,	   /* memory could not be had */
	POLY_ERR_UNSUPPORTED = -6, /* a library that this needs is not in this build */
	POLY_ERR_LOSS = -7,	 /* the target cannot hold what the source has, or needs more */
	POLY_ERR_CANCELLED = -8, /* the caller's own callback asked to stop */
};

/* The offset of an error that has no place in an input. */
#define POLY_NO_OFFSET UINT64_MAX

/*
 * What failed and where. The caller owns it, and every function that takes one accepts NULL.
 * It is written only on failure. message is one line, without capital and full stop: what is
 * wrong first, what was found and what was expected, with units; it repeats neither the file's
 * name nor the place. Where a text that the caller gave can't be understood two lines follow:
 * the text, and a caret under the place.
 */
struct poly_error {
	enum poly_status status; /* the status that the function returned */
	int sys_errno;		 /* errno of POLY_ERR_IO, else 0 */
	uint64_t offset;	 /* byte offset in the decompressed input, or POLY_NO_OFFSET */
	uint64_t record;	 /* number of the record from 1; 0: not known */
	uint64_t line;		 /* line from 1 where the input is text; 0: not known */
	char message[400];	 /* always ends in NUL */
};

#ifdef __cplusplus
}
#endif

#endif
