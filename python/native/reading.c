/* SPDX-License-Identifier: MIT */
/* Requests of the package, and the traces that they open. */
#include "native.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

bool
strings_init(struct strings *strings, PyObject *list)
{
	*strings = (struct strings){0};
	if (list == Py_None)
		return true;
	const Py_ssize_t count = PySequence_Size(list);
	if (count < 0)
		return false;
	strings->items = calloc((size_t)count + 1, sizeof *strings->items);
	if (!strings->items) {
		PyErr_NoMemory();
		return false;
	}
	for (Py_ssize_t i = 0; i < count; i++) {
		/* The list holds the string. */
		PyObject *item = PySequence_GetItem(list, i);
		Py_ssize_t size;
		const char *text = item ? PyUnicode_AsUTF8AndSize(item, &size) : NULL;
		Py_XDECREF(item);
		if (text && strlen(text) != (size_t)size)
			PyErr_SetString(PyExc_ValueError, "embedded null character");
		if (!text || PyErr_Occurred()) {
			strings_fini(strings);
			return false;
		}
		strings->items[strings->count++] = text;
	}
	return true;
}

void
strings_fini(struct strings *strings)
{
	free(strings->items);
	strings->items = NULL;
}

bool
request_init(struct request *request, PyObject *tuple)
{
	PyObject *columns, *options;
	const char *format, *isa;
	int strict, skip_errors, partial;
	unsigned threads;
	memset(request, 0, sizeof *request);
	if (!PyArg_ParseTuple(tuple, "OyOzKKzOzIppp:request", &request->file, &request->path,
		    &columns, &request->where, &request->first, &request->count, &format,
		    &options, &isa, &threads, &strict, &skip_errors, &partial) ||
		!strings_init(&request->columns, columns))
		return false;
	if (!strings_init(&request->options, options)) {
		strings_fini(&request->columns);
		return false;
	}
	struct poly_read_options read = POLY_READ_OPTIONS_INIT;
	read.format = format;
	read.isa = isa;
	read.threads = threads;
	read.one_thread = threads == 1;
	read.strict = strict;
	read.skip_errors = skip_errors;
	read.partial = partial;
	read.skip = request->first - 1;
	read.count = request->count;
	read.options = request->options.items;
	request->read = read;
	return true;
}

void
request_fini(struct request *request)
{
	strings_fini(&request->columns);
	strings_fini(&request->options);
}

/* Gets the next batch, and remembers a failure. */
static enum poly_status
reading_next(void *user, const struct poly_batch **batch, struct poly_error *error)
{
	struct reading *reading = user;
	const struct poly_source rows = poly_reader_source(reading->reader);
	const enum poly_status status =
		reading->selection
			? poly_selection_next(
				  reading->selection, &rows, batch, &reading->failure)
			: poly_reader_next(reading->reader, batch, &reading->failure);
	if (status < 0 && error)
		*error = reading->failure;
	return status;
}

/*
 * Handles signals, such as that of Ctrl-C, ten times per second: more often, threads that run
 * would delay reading. A result other than 0 cancels it, with an exception set.
 */
static int
check_signals(void *user, uint64_t bytes, uint64_t total)
{
	struct reading *reading = user;
	struct timespec now;
	(void)bytes, (void)total;
	clock_gettime(CLOCK_MONOTONIC, &now);
	const long long tenth = now.tv_sec * 10LL + now.tv_nsec / 100000000;
	if (reading->is_exported || tenth == reading->checked)
		return 0;
	reading->checked = tenth;
	const PyGILState_STATE state = PyGILState_Ensure();
	const int result = PyErr_CheckSignals();
	PyGILState_Release(state);
	return result;
}

/* Returns whether the column site is requested by name. */
static bool
requests_sites(const struct request *request)
{
	size_t i = 0;
	while (i < request->columns.count && strcmp(request->columns.items[i], "site") != 0)
		i++;
	return i < request->columns.count;
}

/* Opens reader and selection. */
static enum poly_status
open_parts(const struct request *request, struct reading *reading, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	if (request->where) {
		struct poly_selection_options options = POLY_SELECTION_OPTIONS_INIT;
		options.where = request->where;
		options.keep_sites = requests_sites(request);
		status = poly_selection_new(&options, &reading->selection, error);
	}
	struct poly_read_options read = request->read;
	read.progress = check_signals;
	read.user = reading;
	if (status == POLY_OK)
		status = poly_reader_open(request->path, &read, &reading->reader, error);
	if (status == POLY_OK && reading->selection)
		status = poly_selection_bind(
			reading->selection, poly_reader_info(reading->reader), error);
	return status;
}

enum poly_status
reading_open(const struct request *request, struct reading **result, struct poly_error *error)
{
	struct reading *reading = calloc(1, sizeof *reading);
	*result = NULL;
	if (!reading)
		return set_error(error, POLY_ERR_MEMORY, "out of memory");
	const enum poly_status status = open_parts(request, reading, error);
	if (status != POLY_OK) {
		reading_close(reading);
		return status;
	}
	reading->source =
		(struct poly_source){poly_reader_info(reading->reader), reading_next, reading};
	reading->is_partial =
		request->where || request->read.skip || request->read.count != UINT64_MAX;
	*result = reading;
	return POLY_OK;
}

/* Adds a register to the plan, unless it is there; returns its column. */
static enum poly_column
add_register(struct reading *reading, const char *name)
{
	unsigned i = 0;
	while (i < reading->register_count && strcmp(reading->registers[i], name) != 0)
		i++;
	if (i == POLY_REGISTERS_MAX || strlen(name) >= sizeof reading->registers[i])
		return POLY_COLUMN_NONE;
	if (i == reading->register_count) {
		strcpy(reading->registers[i], name);
		reading->register_names[i] = reading->registers[i];
		reading->register_count++;
	}
	return (enum poly_column)(POLY_COLUMN_register + i);
}

/* Resolves the name of a column. POLY_ERR_USAGE: unknown, or the trace does not have it. */
static enum poly_status
find_column(struct reading *reading, const char *name, enum poly_column *column,
	struct poly_error *error)
{
	const poly_columns able = reading->source.info->columns;
	*column = poly_column_find(name, strlen(name));
	if (strcmp(name, "row") == 0)
		*column = POLY_COLUMN_row;
	if (*column == POLY_COLUMN_COUNT && poly_isa_has_register(NULL, name))
		*column = add_register(reading, name);
	if (*column == POLY_COLUMN_NONE)
		return set_error(error, POLY_ERR_USAGE, "columns: more than %d registers",
			POLY_REGISTERS_MAX);
	if (*column == POLY_COLUMN_COUNT)
		return set_error(error, POLY_ERR_USAGE,
			"columns: no such column (found '%s', expected a column of "
			"polytrace-columns(5) or a register)",
			name);
	const bool is_derived = *column >= POLY_COLUMN_COUNT || *column == POLY_COLUMN_site;
	if (!is_derived && !poly_columns_has(able, *column))
		return set_error(error, POLY_ERR_USAGE,
			"columns: the trace does not have the column '%s'", name);
	return POLY_OK;
}

/* Lists the columns of a trace that are not requested by name only. */
static void
list_columns(const struct reading *reading, enum poly_column *list, size_t *count)
{
	const poly_columns columns = poly_columns_minus(
		reading->source.info->columns, POLY_COLUMNS(raw, origin, site, verbatim));
	for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++) {
		if (poly_columns_has(columns, (enum poly_column)c))
			list[(*count)++] = (enum poly_column)c;
	}
}

enum poly_status
reading_columns(struct reading *reading, const struct request *request, enum poly_column *list,
	size_t *count, struct poly_error *error)
{
	*count = 0;
	if (!request->columns.items)
		list_columns(reading, list, count);
	for (size_t i = 0; i < request->columns.count; i++) {
		const char *name = request->columns.items[i];
		if (i >= POLY_COLUMN_NONE)
			return set_error(error, POLY_ERR_USAGE, "columns: too many columns");
		const enum poly_status status = find_column(reading, name, &list[i], error);
		if (status != POLY_OK)
			return status;
		for (size_t k = 0; k < i; k++) {
			if (list[k] == list[i])
				return set_error(error, POLY_ERR_USAGE,
					"columns: '%s' is named twice", name);
		}
		*count = i + 1;
	}
	return *count ? POLY_OK
		      : set_error(error, POLY_ERR_USAGE, "columns: no column is named");
}

enum poly_status
reading_plan(
	struct reading *reading, poly_columns columns, bool weights, struct poly_error *error)
{
	struct poly_read_plan plan = POLY_READ_PLAN_INIT;
	const char *name;
	plan.columns = columns;
	if (reading->selection) {
		plan.columns =
			poly_columns_union(columns, poly_selection_columns(reading->selection));
		plan.may_match = poly_selection_pruning(reading->selection);
		plan.user = reading->selection;
		for (unsigned i = 0; (name = poly_selection_register_at(reading->selection, i));
			i++)
			add_register(reading, name);
	}
	plan.weights = weights && !reading->is_partial;
	plan.registers = reading->register_names;
	plan.register_count = reading->register_count;
	return poly_reader_plan(reading->reader, &plan, error);
}

void
reading_close(void *user)
{
	struct reading *reading = user;
	if (!reading)
		return;
	poly_reader_close(reading->reader);
	poly_selection_free(reading->selection);
	free(reading);
}
