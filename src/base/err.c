/* SPDX-License-Identifier: MIT */
/* Filling a caller's struct poly_error. */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The part of a constant message that names an option, and the bytes of it before the name. */
struct option_mention {
	const char *begin, *end; /* begin is NULL: the message names none */
	size_t before;
};

/*
 * Finds where a message names an option: "options.NAME" is of the library, with "set " before
 * it in a remedy, and "option 'NAME'" of a format or analysis. Only the constant text is
 * searched: what a list inserts may be the user's words.
 */
static struct option_mention
find_option(const char *message)
{
	static const char prefix[] = "options.", quoted[] = "option '";
	struct option_mention words = {NULL, NULL, 0};
	const char *name = strstr(message, prefix), *own = strstr(message, quoted);
	if (!name && own) {
		words.begin = own + strlen(quoted);
		words.end = words.begin + strcspn(words.begin, "'");
	}
	if (!name)
		return words;
	words.begin = name;
	while (words.begin > message &&
		(words.begin[-1] == '_' || (words.begin[-1] >= 'a' && words.begin[-1] <= 'z')))
		words.begin--;
	if (words.begin - message >= 4 && memcmp(words.begin - 4, "set ", 4) == 0)
		words.begin -= 4;
	name += strlen(prefix);
	words.before = (size_t)(name - words.begin);
	words.end = name + strspn(name, "abcdefghijklmnopqrstuvwxyz_");
	return words;
}

/* Returns the length of the formatted front of a message, up to an end. */
static size_t
format_length(const char *message, const char *end, va_list list)
{
	char front[sizeof((struct poly_error *)NULL)->message];
	va_list copy;
	snprintf(front, sizeof front, "%.*s", (int)(end - message), message);
	va_copy(copy, list);
	const int length = vsnprintf(NULL, 0, front, copy);
	va_end(copy);
	return length < 0 ? sizeof front : (size_t)length;
}

/* Stores the option that the message of an error names. */
static void
set_option(struct poly_error *error, const char *message, va_list list)
{
	const struct option_mention words = find_option(message);
	if (!words.begin)
		return;
	const size_t begin = format_length(message, words.begin, list);
	const size_t end = format_length(message, words.end, list);
	if (end >= sizeof error->message || end - begin - words.before >= sizeof error->option)
		return;
	error->option_at = (uint16_t)begin;
	error->option_size = (uint16_t)(end - begin);
	memcpy(error->option, error->message + begin + words.before,
		end - begin - words.before);
}

static enum poly_status
set_error(struct poly_error *error, enum poly_status status, uint64_t offset,
	const char *message, va_list list)
{
	int saved = errno;
	va_list copy;
	if (!error)
		return status;
	memset(error, 0, sizeof *error);
	error->status = status;
	error->sys_errno = status == POLY_ERR_IO ? saved : 0;
	error->offset = offset;
	va_copy(copy, list);
	vsnprintf(error->message, sizeof error->message, message, copy);
	va_end(copy);
	set_option(error, message, list);
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
