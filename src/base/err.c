/* SPDX-License-Identifier: MIT */
/* Filling a caller's struct poly_error. */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static enum poly_status
set_error(struct poly_error *error, enum poly_status status, uint64_t offset,
	const char *message, va_list list)
{
	int saved = errno;
	if (!error)
		return status;
	memset(error, 0, sizeof *error);
	error->status = status;
	error->sys_errno = status == POLY_ERR_IO ? saved : 0;
	error->offset = offset;
	vsnprintf(error->message, sizeof error->message, message, list);
	return status;
}

enum poly_status
err_set(struct poly_error *error, enum poly_status status, uint64_t offset, const char *message,
	...)
{
	va_list list;
	va_start(list, message);
	set_error(error, status, offset, message, list);
	va_end(list);
	return status;
}

enum poly_status
err_usage(struct poly_error *error, const char *message, ...)
{
	va_list list;
	va_start(list, message);
	set_error(error, POLY_ERR_USAGE, POLY_NO_OFFSET, message, list);
	va_end(list);
	return POLY_ERR_USAGE;
}

enum poly_status
err_system(struct poly_error *error, uint64_t offset, const char *what)
{
	int number = errno;
	char reason[160];
	if (strerror_r(number, reason, sizeof reason) != 0)
		snprintf(reason, sizeof reason, "error %d", number);
	errno = number;
	return err_set(error, POLY_ERR_IO, offset, "%s: %s", what, reason);
}

enum poly_status
err_missing(struct poly_error *error, const char *what, const char *package)
{
	return err_set(error, POLY_ERR_UNSUPPORTED, POLY_NO_OFFSET,
		"%s requires a library that this build lacks (Debian package '%s')", what,
		package);
}

enum poly_status
err_memory(struct poly_error *error)
{
	return err_set(error, POLY_ERR_MEMORY, POLY_NO_OFFSET, "out of memory");
}
