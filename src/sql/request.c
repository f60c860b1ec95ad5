/* SPDX-License-Identifier: MIT */
/* Files of tables, and the options that they are read with: those of the commands. */
#include "sql/tables.h"

#include "polytrace/stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int
sql_request_set_path(struct sql_request *request, const char *path)
{
	sqlite3_free(request->path);
	request->path = sqlite3_mprintf("%s", path);
	return request->path ? SQLITE_OK : SQLITE_NOMEM;
}

int
sql_request_add(struct sql_request *request, const char *option)
{
	if (request->count == SQL_OPTIONS_MAX)
		return SQLITE_TOOBIG;
	char *copy = sqlite3_mprintf("%s", option);
	if (!copy)
		return SQLITE_NOMEM;
	request->options[request->count++] = copy;
	return SQLITE_OK;
}

void
sql_request_free(struct sql_request *request)
{
	sqlite3_free(request->path);
	for (size_t i = 0; i < request->count; i++)
		sqlite3_free(request->options[i]);
	memset(request, 0, sizeof *request);
}

bool
sql_request_equal(const struct sql_request *a, const struct sql_request *b)
{
	if (!a->path || !b->path || strcmp(a->path, b->path) != 0 || a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++) {
		if (strcmp(a->options[i], b->options[i]) != 0)
			return false;
	}
	return true;
}

/* Returns the value of an option "NAME=VALUE"; NULL: it has another name. */
static const char *
option_value(const char *option, const char *name)
{
	const size_t n = strlen(name);
	return strncmp(option, name, n) == 0 && option[n] == '=' ? option + n + 1 : NULL;
}

/* Parses a number of an option; false: it is not one from min to max. */
static bool
parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *number)
{
	char *end;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && errno == 0 && *number >= min &&
	       *number <= max;
}

/* Sets an option with a number; returns whether it is one, valid or not. */
static bool
set_number(struct poly_read_options *options, const char *option, const char **expected)
{
	const char *threads = option_value(option, "threads");
	const char *line = option_value(option, "max-line");
	uint64_t number;
	if (threads && parse_number(threads, 0, 64, &number))
		options->threads = (unsigned)number;
	else if (threads)
		*expected = "0 to 64";
	else if (line && parse_number(line, 1, SIZE_MAX, &number))
		options->max_line = (size_t)number;
	else if (line)
		*expected = "a number of bytes";
	return threads || line;
}

/*
 * Sets an option of the reader; returns whether it is one. expected: what its value must be, if
 * it is not valid.
 */
static bool
set_option(struct poly_read_options *options, const char *option, const char **expected)
{
	const char *value;
	if ((value = option_value(option, "from")))
		options->format = value;
	else if ((value = option_value(option, "isa")))
		options->isa = value;
	else if (strcmp(option, "partial") == 0)
		options->partial = true;
	else if (strcmp(option, "strict") == 0)
		options->strict = true;
	else if (strcmp(option, "by-thread") == 0)
		options->by_thread = true;
	else if ((value = option_value(option, "on-error")) && strcmp(value, "skip") == 0)
		options->skip_errors = true;
	else if (value && strcmp(value, "stop") != 0)
		*expected = "stop or skip";
	else
		return value || set_number(options, option, expected);
	return true;
}

/* Returns whether an option "PREFIX.NAME=VALUE" is that of an analysis. */
static bool
is_of_analysis(const char *option, size_t n)
{
	const struct poly_analysis_info *info;
	for (size_t i = 0; (info = poly_analysis_at(i)); i++) {
		if (strncmp(info->name, option, n) == 0 && !info->name[n])
			return true;
	}
	return false;
}

bool
sql_request_resolve(
	const struct sql_request *request, struct sql_reading *reading, char **message)
{
	const struct poly_read_options initial = POLY_READ_OPTIONS_INIT;
	size_t formats = 0, others = 0;
	memset(reading, 0, sizeof *reading);
	reading->options = initial;
	reading->options.options = reading->format_options;
	for (size_t i = 0; i < request->count; i++) {
		const char *option = request->options[i], *expected = NULL;
		const size_t dot = strcspn(option, ".=");
		if (set_option(&reading->options, option, &expected)) {
			if (!expected)
				continue;
			*message = sqlite3_mprintf(
				"option '%s': invalid value (expected %s)", option, expected);
			return false;
		}
		if (option[dot] == '.' && !is_of_analysis(option, dot))
			reading->format_options[formats++] = option;
		else
			reading->others[others++] = option;
	}
	return true;
}

char *
sql_file_refusal(const char *path)
{
	struct stat file;
	if (strcmp(path, "-") == 0 ||
		(stat(path, &file) == 0 && !S_ISREG(file.st_mode) && !S_ISDIR(file.st_mode)))
		return sqlite3_mprintf("%s: not a regular file, and a query may read it "
				       "several times; write it to a file",
			strcmp(path, "-") == 0 ? "standard input" : path);
	return NULL;
}
