/* SPDX-License-Identifier: MIT */
/*
 * Columns of the caller, written as a trace. The rows are those of a format of our own, whose
 * input is the address of the table: so the library interns their names and checks their
 * values.
 */
#include "native.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How the values of a column are stored, by its form. */
enum layout {
	NUMBERS, /* elements of the column's size */
	CODES,	 /* int32 indices of texts; below 0: absent */
	STRINGS, /* bytes, and offsets */
};

/* A column of the table. The package has made the types of its buffers exact. */
struct source {
	enum poly_column id;
	enum layout layout;
	size_t size;	      /* bytes per element of values */
	Py_buffer values;     /* numbers; int32 codes; bytes of strings */
	Py_buffer present;    /* one byte per row; empty: all are present */
	Py_buffer offsets;    /* of strings: int64 per row, and the end */
	struct strings texts; /* of codes */
	size_t *sizes;	      /* of the texts in bytes */
	int *numbers;	      /* values of an enumeration, by code; NULL: names */
};

struct table {
	size_t rows;
	size_t count;
	struct source *columns;
	struct poly_trace_info info; /* what open stores */
};

/* State of the format. */
struct position {
	const struct table *table;
	size_t row;
};

static enum poly_status
table_open(const struct poly_plugin_input *input, struct poly_trace_info *info,
	struct poly_error *error)
{
	struct position *position = input->state;
	size_t have;
	const uint8_t *bytes = input->peek(input, sizeof position->table, &have);
	if (have < sizeof position->table)
		return set_error(error, POLY_ERR_FORMAT, "no table");
	memcpy(&position->table, bytes, sizeof position->table);
	input->consume(input, sizeof position->table);
	const struct poly_trace_info *ours = &position->table->info;
	info->isa = ours->isa;
	info->address_bits = ours->address_bits;
	info->addresses = ours->addresses;
	info->clock = ours->clock;
	info->producer = ours->producer;
	info->records = ours->records;
	info->record_count = ours->record_count;
	return POLY_OK;
}

static uint64_t
number_at(const struct source *column, size_t row)
{
	const void *values = column->values.buf;
	switch (column->size) {
	case 1: return ((const uint8_t *)values)[row];
	case 2: return ((const uint16_t *)values)[row];
	case 4: return ((const uint32_t *)values)[row];
	default: return ((const uint64_t *)values)[row];
	}
}

/* Stores the value of a row of the table in a row of a batch. */
static void
put_value(const struct source *column, size_t from, struct poly_plugin_rows *rows, size_t row)
{
	const uint8_t *present = column->present.buf;
	if (present && !present[from])
		return;
	if (column->layout == STRINGS) {
		const int64_t *offsets = column->offsets.buf;
		rows->put_bytes(rows, column->id, row,
			(const char *)column->values.buf + offsets[from],
			(size_t)(offsets[from + 1] - offsets[from]));
	} else if (column->layout != CODES) {
		rows->put(rows, column->id, row, number_at(column, from));
	} else {
		/* Another thread may have changed the codes since they were checked. */
		const int32_t code = ((const int32_t *)column->values.buf)[from];
		const bool is_valid = code >= 0 && (size_t)code < column->texts.count;
		if (is_valid && column->numbers)
			rows->put(rows, column->id, row, (uint64_t)column->numbers[code]);
		else if (is_valid)
			rows->put_bytes(rows, column->id, row, column->texts.items[code],
				column->sizes[code]);
	}
}

static enum poly_status
table_read(const struct poly_plugin_input *input, struct poly_plugin_rows *rows,
	struct poly_error *error)
{
	struct position *position = input->state;
	const struct table *table = position->table;
	(void)error;
	rows->count = table->rows - position->row;
	if (rows->count > rows->capacity)
		rows->count = rows->capacity;
	for (size_t i = 0; i < table->count; i++) {
		for (size_t row = 0; row < rows->count; row++)
			put_value(&table->columns[i], position->row + row, rows, row);
	}
	position->row += rows->count;
	return rows->count ? POLY_OK : POLY_END;
}

/* How a table is written. */
struct order {
	const char *path;
	struct poly_write_options options;
	const struct table *table;
};

static enum poly_status
copy_rows(struct poly_reader *reader, struct poly_writer *writer, struct poly_error *error)
{
	const struct poly_batch *batch;
	enum poly_status status;
	while ((status = poly_reader_next(reader, &batch, error)) == POLY_OK &&
		(status = poly_writer_write(writer, batch, error)) == POLY_OK)
		;
	return status < 0 ? status : poly_writer_finish(writer, error);
}

/* Lines of text; what does not fit is omitted. */
struct lines {
	size_t size;
	char text[4000];
};

static void
add_text(struct lines *lines, const char *format, ...)
{
	va_list list;
	const size_t room = sizeof lines->text - lines->size;
	va_start(list, format);
	const int length = vsnprintf(lines->text + lines->size, room, format, list);
	va_end(list);
	if (length > 0 && (size_t)length < room)
		lines->size += (size_t)length;
	lines->text[lines->size] = 0;
}

/* Lists the columns that the format of a file cannot hold. */
static void
add_losses(const struct order *order, const struct poly_trace_info *info, struct lines *notes)
{
	const struct poly_format_info *format =
		order->options.format ? poly_format_find(order->options.format)
				      : poly_format_by_name(order->path, true);
	if (!format)
		return;
	const poly_columns lost = poly_format_loss(info, format, NULL);
	if (poly_columns_empty(lost))
		return;
	add_text(notes, "format '%s' cannot hold these columns:", format->name);
	for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++) {
		if (poly_columns_has(lost, (enum poly_column)c))
			add_text(notes, " %s", poly_column_name((enum poly_column)c));
	}
	add_text(notes, "\n");
}

static void
add_notes(const struct poly_writer *writer, struct lines *notes)
{
	uint64_t count;
	const char *note;
	for (size_t i = 0; (note = poly_writer_note_at(writer, i, &count)); i++)
		add_text(notes, "%s (%llu times)\n", note, (unsigned long long)count);
}

/* Writes a table; needs no lock of the interpreter. */
static enum poly_status
write_table(const struct order *order, struct lines *notes, struct poly_error *error)
{
	poly_columns columns = POLY_NO_COLUMNS;
	for (size_t i = 0; i < order->table->count; i++)
		poly_columns_add(&columns, order->table->columns[i].id);
	const struct poly_format_info info = {.name = "columns",
		.family = "columns",
		.title = "columns of a program",
		.extensions = "",
		.spec = "polytrace-columns(5)",
		.can_read = true,
		.columns = columns};
	const struct poly_format_plugin plugin = {.size = sizeof plugin,
		.info = &info,
		.state_size = sizeof(struct position),
		.open = table_open,
		.read = table_read};
	const struct poly_format_plugin *const formats[] = {&plugin, NULL};
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	struct poly_writer *writer = NULL;
	options.format = info.name;
	options.formats = formats;
	options.one_thread = true;
	enum poly_status status = poly_reader_open_memory(
		&order->table, sizeof order->table, &options, &reader, error);
	if (status == POLY_OK)
		status = poly_writer_open(
			order->path, poly_reader_info(reader), &order->options, &writer, error);
	if (status == POLY_OK)
		status = copy_rows(reader, writer, error);
	if (status == POLY_OK) {
		add_losses(order, poly_reader_info(reader), notes);
		add_notes(writer, notes);
	}
	poly_writer_close(writer);
	poly_reader_close(reader);
	return status;
}

/*
 * Gets a contiguous buffer of a number of bytes, or of any for SIZE_MAX. None: no buffer.
 * False: an exception.
 */
static bool
get_buffer(PyObject *object, Py_buffer *buffer, size_t size, const char *name)
{
	if (object == Py_None)
		return true;
	if (PyObject_GetBuffer(object, buffer, PyBUF_CONTIG_RO))
		return false;
	if (size == SIZE_MAX || (size_t)buffer->len == size)
		return true;
	PyErr_Format(PyExc_ValueError, "%s: a buffer has %zd bytes (expected %zu)", name,
		buffer->len, size);
	return false;
}

/* Maps the texts of an enumeration to its values. */
static bool
find_numbers(struct source *column, const char *name)
{
	const enum poly_form form = poly_column_form(column->id);
	if (form == POLY_FORM_NAME)
		return true;
	column->numbers = calloc(column->texts.count + 1, sizeof *column->numbers);
	if (!column->numbers) {
		PyErr_NoMemory();
		return false;
	}
	for (size_t i = 0; i < column->texts.count; i++) {
		const char *text = column->texts.items[i];
		column->numbers[i] = form == POLY_FORM_RECORD
					     ? (int)i
					     : poly_enum_find(form, text, strlen(text));
		if (column->numbers[i] < 0) {
			PyErr_Format(PyExc_ValueError,
				"columns: '%s' has no value '%s'; see polytrace-columns(5)",
				name, text);
			return false;
		}
	}
	return true;
}

/* Checks codes, and measures their texts. */
static bool
check_codes(struct source *column, size_t rows, const char *name)
{
	const int32_t *codes = column->values.buf;
	column->sizes = calloc(column->texts.count + 1, sizeof *column->sizes);
	if (!column->sizes) {
		PyErr_NoMemory();
		return false;
	}
	for (size_t i = 0; i < column->texts.count; i++)
		column->sizes[i] = strlen(column->texts.items[i]);
	for (size_t i = 0; i < rows; i++) {
		if (codes[i] >= 0 && (size_t)codes[i] >= column->texts.count) {
			PyErr_Format(PyExc_ValueError,
				"columns: '%s': row %zu has the code %d of %zu texts", name, i,
				(int)codes[i], column->texts.count);
			return false;
		}
	}
	return find_numbers(column, name);
}

/* Checks the offsets of strings. */
static bool
check_offsets(const struct source *column, size_t rows, const char *name)
{
	const int64_t *offsets = column->offsets.buf;
	bool valid = offsets && offsets[0] >= 0 && offsets[rows] <= column->values.len;
	for (size_t i = 0; valid && i < rows; i++)
		valid = offsets[i] <= offsets[i + 1];
	if (!valid)
		PyErr_Format(PyExc_ValueError, "%s: invalid offsets", name);
	return valid;
}

/* Sets the column of a name, and its layout. */
static bool
set_column(struct source *column, const char *name)
{
	static const unsigned char sizes[] = {
#define COLUMN(name, type, form, doc) sizeof(type),
#include <polytrace/columns.def>
#undef COLUMN
	};
	column->id = poly_column_find(name, strlen(name));
	if (column->id == POLY_COLUMN_COUNT) {
		PyErr_Format(PyExc_ValueError, "columns: no such column '%s'", name);
		return false;
	}
	const enum poly_form form = poly_column_form(column->id);
	column->layout = form <= POLY_FORM_NAME	  ? CODES
			 : form < POLY_FORM_BYTES ? NUMBERS
						  : STRINGS;
	column->size = column->layout == CODES ? sizeof(int32_t) : sizes[column->id];
	return true;
}

/* Converts the tuple (name, values, present, offsets, texts) of a column. */
static bool
source_init(struct source *column, PyObject *tuple, size_t rows)
{
	const char *name;
	PyObject *values, *present, *offsets, *texts;
	if (!PyArg_ParseTuple(
		    tuple, "sOOOO:column", &name, &values, &present, &offsets, &texts) ||
		!set_column(column, name))
		return false;
	const bool is_string = column->layout == STRINGS;
	if (!get_buffer(present, &column->present, rows, name) ||
		!get_buffer(offsets, &column->offsets, (rows + 1) * sizeof(int64_t), name) ||
		!get_buffer(values, &column->values, is_string ? SIZE_MAX : rows * column->size,
			name) ||
		!strings_init(&column->texts, texts))
		return false;
	if (!column->values.obj) {
		PyErr_Format(PyExc_ValueError, "%s: no values", name);
		return false;
	}
	if (is_string)
		return check_offsets(column, rows, name);
	return column->layout == NUMBERS || check_codes(column, rows, name);
}

static void
table_fini(struct table *table)
{
	for (size_t i = 0; table->columns && i < table->count; i++) {
		struct source *column = &table->columns[i];
		PyBuffer_Release(&column->values);
		PyBuffer_Release(&column->present);
		PyBuffer_Release(&column->offsets);
		strings_fini(&column->texts);
		free(column->sizes);
		free(column->numbers);
	}
	free(table->columns);
}

/* Converts a tuple of columns. */
static bool
table_init(struct table *table, PyObject *columns)
{
	const Py_ssize_t count = PyTuple_Size(columns);
	table->columns = calloc((size_t)count + 1, sizeof *table->columns);
	if (!table->columns) {
		PyErr_NoMemory();
		return false;
	}
	for (Py_ssize_t i = 0; i < count; i++) {
		struct source *column = &table->columns[table->count++];
		if (!source_init(column, PyTuple_GetItem(columns, i), table->rows))
			return false;
		if (column->id == POLY_COLUMN_record) {
			table->info.records = column->texts.items;
			table->info.record_count = (unsigned)column->texts.count;
		}
	}
	return true;
}

/* Writes a table, and returns its notes. */
static PyObject *
run_order(struct order *order, PyObject *file)
{
	struct poly_error error;
	enum poly_status status;
	struct lines notes = {.size = 0};
	PyThreadState *lock = PyEval_SaveThread();
	status = write_table(order, &notes, &error);
	PyEval_RestoreThread(lock);
	return status < 0 ? raise_error(file, &error) : optional_text(notes.text);
}

/*
 * write(file, path, rows, columns, (format, options, labels, overwrite),
 *       (isa, address_bits, addresses, clock, producer)): the notes, one line each
 */
PyObject *
native_write(PyObject *module, PyObject *arguments)
{
	PyObject *file, *columns, *options, *labels, *result = NULL;
	struct strings words[2] = {{0}};
	unsigned long long rows;
	int overwrite, addresses;
	struct table table = {0};
	struct order order = {.options = POLY_WRITE_OPTIONS_INIT, .table = &table};
	struct poly_trace_info *info = &table.info;
	(void)module;
	if (!PyArg_ParseTuple(arguments, "OyKO!(zOOp)(zIizz):write", &file, &order.path, &rows,
		    &PyTuple_Type, &columns, &order.options.format, &options, &labels,
		    &overwrite, &info->isa, &info->address_bits, &addresses, &info->clock,
		    &info->producer))
		return NULL;
	info->addresses = (enum poly_address_space)addresses;
	table.rows = (size_t)rows;
	if (strings_init(&words[0], options) && strings_init(&words[1], labels) &&
		table_init(&table, columns)) {
		order.options.options = words[0].items;
		order.options.labels = words[1].items;
		order.options.overwrite = overwrite;
		result = run_order(&order, file);
	}
	table_fini(&table);
	strings_fini(&words[0]);
	strings_fini(&words[1]);
	return result;
}
