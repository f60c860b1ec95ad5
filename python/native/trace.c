/* SPDX-License-Identifier: MIT */
/*
 * Traces as streams of Arrow arrays, their batches, and columns with the buffer protocol. A
 * column holds its batch, and a batch its array: later reads do not change buffers.
 */
#include "native.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct trace {
	PyObject_HEAD struct ArrowArrayStream stream; /* released: closed or exported */
	struct reading *reading;		      /* owned by the stream; for its failure */
	PyObject *file, *info, *names, *types;
	bool is_busy; /* a thread reads without the lock of the interpreter */
};

struct batch {
	PyObject_HEAD struct ArrowArray array;
	PyObject *names, *types; /* of the columns: a tuple, and bytes of their Arrow types */
};

struct column {
	PyObject_HEAD PyObject *batch;	/* holds the array */
	const struct ArrowArray *array; /* NULL: a buffer without values of its own */
	PyObject *dictionary;		/* its strings, once they are requested; or NULL */
	const void *data;
	Py_ssize_t count, item_size; /* of the buffer */
	char type;		     /* of Arrow */
	char format[2];		     /* of the buffer */
};

/* Adds an item to a dictionary, and drops the reference to it; false: an exception. */
static bool
add_item(PyObject *dictionary, const char *key, PyObject *value)
{
	const int failed = !value || PyDict_SetItemString(dictionary, key, value);
	Py_XDECREF(value);
	return !failed;
}

static PyObject *
facts_of(const struct poly_fact *facts, size_t count)
{
	PyObject *dictionary = PyDict_New();
	for (size_t i = 0; dictionary && i < count; i++) {
		if (!add_item(dictionary, facts[i].key, optional_text(facts[i].value)))
			Py_CLEAR(dictionary);
	}
	return dictionary;
}

static PyObject *
records_of(const struct poly_trace_info *info)
{
	PyObject *list = PyList_New((Py_ssize_t)info->record_count);
	for (unsigned i = 0; list && i < info->record_count; i++) {
		PyObject *name = optional_text(info->records[i]);
		if (!name || PyList_SetItem(list, (Py_ssize_t)i, name))
			Py_CLEAR(list);
	}
	return list;
}

/* Returns the metadata of a trace. */
static PyObject *
info_of(const struct poly_trace_info *info)
{
	static const char *const spaces[] = {NULL, "virtual", "physical"};
	static const char *const orders[] = {NULL, "big", "little"};
	PyObject *result = PyDict_New();
	const bool done =
		result && add_item(result, "format", optional_text(info->format)) &&
		add_item(result, "isa", optional_text(info->isa)) &&
		add_item(result, "address_bits", PyLong_FromLong((long)info->address_bits)) &&
		add_item(result, "addresses", optional_text(spaces[info->addresses])) &&
		add_item(result, "byte_order", optional_text(orders[info->byte_order])) &&
		add_item(result, "clock", optional_text(info->clock)) &&
		add_item(result, "producer", optional_text(info->producer)) &&
		add_item(result, "first_pc",
			info->has_first_pc ? PyLong_FromUnsignedLongLong(info->first_pc)
					   : optional_text(NULL)) &&
		add_item(result, "columns", column_names(info->columns)) &&
		add_item(result, "records", records_of(info)) &&
		add_item(result, "facts", facts_of(info->facts, info->fact_count)) &&
		add_item(result, "labels", facts_of(info->labels, info->label_count));
	if (!done)
		Py_CLEAR(result);
	return result;
}

/* Opens a trace as a stream; needs no lock of the interpreter. */
static enum poly_status
open_stream(struct trace *trace, const struct request *request, size_t rows,
	struct poly_error *error)
{
	enum poly_column list[POLY_COLUMN_NONE];
	struct poly_arrow_options options = POLY_ARROW_OPTIONS_INIT;
	poly_columns columns = POLY_NO_COLUMNS;
	struct reading *reading;
	enum poly_status status = reading_open(request, &reading, error);
	if (status != POLY_OK)
		return status;
	status = reading_columns(reading, request, list, &options.column_count, error);
	for (size_t i = 0; status == POLY_OK && i < options.column_count; i++)
		poly_columns_add(&columns, list[i]);
	if (status == POLY_OK)
		status = reading_plan(reading, columns, false, error);
	options.columns = list;
	options.rows = rows;
	options.close = reading_close;
	options.user = reading;
	if (status == POLY_OK)
		status = poly_source_arrow(&reading->source, &options, &trace->stream, error);
	if (status != POLY_OK)
		reading_close(reading);
	else
		trace->reading = reading;
	return status;
}

/* Stores names and types of the columns, and the metadata. */
static bool
describe_trace(struct trace *trace)
{
	struct ArrowSchema schema;
	if (trace->stream.get_schema(&trace->stream, &schema)) {
		PyErr_NoMemory();
		return false;
	}
	char types[POLY_COLUMN_NONE];
	const Py_ssize_t count = (Py_ssize_t)schema.n_children;
	trace->names = PyTuple_New(count);
	bool done = trace->names != NULL;
	for (Py_ssize_t i = 0; done && i < count; i++) {
		PyObject *name = optional_text(schema.children[i]->name);
		types[i] = *schema.children[i]->format;
		done = name && PyTuple_SetItem(trace->names, i, name) == 0;
	}
	schema.release(&schema);
	if (done)
		trace->types = PyBytes_FromStringAndSize(types, count);
	if (done)
		trace->info = info_of(trace->reading->source.info);
	return trace->types && trace->info;
}

static PyObject *
trace_new(PyTypeObject *type, PyObject *arguments, PyObject *words)
{
	PyObject *tuple;
	unsigned long long rows;
	struct request request;
	struct poly_error error = {.status = POLY_OK};
	(void)words;
	if (!PyArg_ParseTuple(arguments, "O!K:Trace", &PyTuple_Type, &tuple, &rows) ||
		!request_init(&request, tuple))
		return NULL;
	struct trace *trace = new_object(type);
	enum poly_status status = POLY_OK;
	if (trace) {
		trace->file = request.file;
		Py_INCREF(trace->file);
		PyThreadState *lock = PyEval_SaveThread();
		status = open_stream(trace, &request, (size_t)rows, &error);
		PyEval_RestoreThread(lock);
	}
	if (status != POLY_OK)
		raise_error(request.file, &error);
	request_fini(&request);
	if (trace && (status != POLY_OK || !describe_trace(trace)))
		Py_CLEAR(trace);
	return (PyObject *)trace;
}

/* Raises an exception unless a trace can be read. */
static bool
is_readable(const struct trace *trace)
{
	if (trace->is_busy)
		PyErr_SetString(PyExc_RuntimeError, "another thread reads the trace");
	else if (!trace->stream.release)
		PyErr_SetString(PyExc_ValueError, "the trace is closed or exported");
	return !trace->is_busy && trace->stream.release;
}

/* next(type): the next batch, of a type of the package, or None. */
static PyObject *
trace_next(PyObject *self, PyObject *type)
{
	struct trace *trace = (struct trace *)self;
	struct ArrowArray array = {0};
	if (!extends(type, "Batch") || !is_readable(trace))
		return NULL;
	int failure;
	trace->is_busy = true;
	PyThreadState *lock = PyEval_SaveThread();
	failure = trace->stream.get_next(&trace->stream, &array);
	PyEval_RestoreThread(lock);
	trace->is_busy = false;
	/* A signal ended the rows. */
	if (PyErr_Occurred()) {
		if (array.release)
			array.release(&array);
		return NULL;
	}
	if (failure && trace->reading->failure.status < 0)
		return raise_error(trace->file, &trace->reading->failure);
	if (failure == ENOMEM)
		return PyErr_NoMemory();
	if (failure)
		return PyErr_Format(PyExc_ValueError, "%S: %s", trace->file,
			trace->stream.get_last_error(&trace->stream));
	if (!array.release)
		Py_RETURN_NONE;
	struct batch *batch = new_object((PyTypeObject *)type);
	if (!batch) {
		array.release(&array);
		return NULL;
	}
	batch->array = array;
	Py_INCREF(trace->names);
	Py_INCREF(trace->types);
	batch->names = trace->names;
	batch->types = trace->types;
	return (PyObject *)batch;
}

static void
free_capsule(PyObject *capsule)
{
	struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
	if (stream && stream->release)
		stream->release(stream);
	free(stream);
}

/* export(): moves the stream to a capsule. */
static PyObject *
trace_export(PyObject *self, PyObject *unused)
{
	struct trace *trace = (struct trace *)self;
	(void)unused;
	if (!is_readable(trace))
		return NULL;
	struct ArrowArrayStream *stream = malloc(sizeof *stream);
	if (!stream)
		return PyErr_NoMemory();
	*stream = (struct ArrowArrayStream){0};
	PyObject *capsule = PyCapsule_New(stream, "arrow_array_stream", free_capsule);
	if (!capsule) {
		free(stream);
		return NULL;
	}
	trace->reading->is_exported = true;
	*stream = trace->stream;
	trace->stream.release = NULL;
	return capsule;
}

static void
release_stream(struct trace *trace)
{
	if (!trace->stream.release)
		return;
	struct ArrowArrayStream stream = trace->stream;
	trace->stream.release = NULL;
	PyThreadState *lock = PyEval_SaveThread();
	stream.release(&stream);
	PyEval_RestoreThread(lock);
}

static PyObject *
trace_close(PyObject *self, PyObject *unused)
{
	struct trace *trace = (struct trace *)self;
	(void)unused;
	if (trace->is_busy) {
		is_readable(trace);
		return NULL;
	}
	release_stream(trace);
	Py_RETURN_NONE;
}

static void
trace_free(PyObject *self)
{
	struct trace *trace = (struct trace *)self;
	release_stream(trace);
	Py_CLEAR(trace->file);
	Py_CLEAR(trace->info);
	Py_CLEAR(trace->names);
	Py_CLEAR(trace->types);
	free_object(self);
}

static PyObject *
get_object(PyObject *self, void *offset)
{
	PyObject *value = *(PyObject **)(void *)((char *)self + (size_t)offset);
	Py_INCREF(value);
	return value;
}

#define MEMBER(type, member) (void *)offsetof(struct type, member)

static PyGetSetDef trace_members[] = {
	{"file", get_object, NULL, NULL, MEMBER(trace, file)},
	{"info", get_object, NULL, NULL, MEMBER(trace, info)},
	{"columns", get_object, NULL, NULL, MEMBER(trace, names)},
	{NULL, NULL, NULL, NULL, NULL},
};
static PyMethodDef trace_methods[] = {
	{"next", trace_next, METH_O, NULL},
	{"export", trace_export, METH_NOARGS, NULL},
	{"close", trace_close, METH_NOARGS, NULL},
	{NULL, NULL, 0, NULL},
};
static PyType_Slot trace_slots[] = {
	{Py_tp_new, (void *)trace_new},
	{Py_tp_dealloc, (void *)trace_free},
	{Py_tp_methods, trace_methods},
	{Py_tp_getset, trace_members},
	{0, NULL},
};
PyType_Spec trace_spec = {"polytrace._native.Trace", sizeof(struct trace), 0,
	Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, trace_slots};

/* The elements of the buffer of a column, by its Arrow type: codes of struct, and sizes. */
static const struct {
	char type, format;
	Py_ssize_t size;
} buffers[] = {{'C', 'B', 1}, {'S', 'H', 2}, {'I', 'I', 4}, {'L', 'Q', 8}, {'l', 'q', 8},
	{'i', 'i', 4}, {'b', 'B', 1}, {'u', 'i', 4}, {'z', 'i', 4}};

/* Returns the number of elements in the buffer of a column. */
static Py_ssize_t
buffer_count(char type, int64_t rows)
{
	switch (type) {
	case 'b': return (Py_ssize_t)((rows + 7) / 8);
	case 'u':
	case 'z': return (Py_ssize_t)rows + 1;
	default: return (Py_ssize_t)rows;
	}
}

/* column(number, type): a column of a batch, of a type of the package. */
static PyObject *
batch_column(PyObject *self, PyObject *arguments)
{
	struct batch *batch = (struct batch *)self;
	Py_ssize_t number;
	PyObject *type;
	if (!PyArg_ParseTuple(arguments, "nO:column", &number, &type) ||
		!extends(type, "Column"))
		return NULL;
	if (number < 0 || number >= (Py_ssize_t)batch->array.n_children)
		return PyErr_Format(PyExc_IndexError, "no column %zd", number);
	struct column *column = new_object((PyTypeObject *)type);
	if (!column)
		return NULL;
	Py_INCREF(self);
	column->batch = self;
	column->array = batch->array.children[number];
	column->type = PyBytes_AsString(batch->types)[number];
	size_t i = 0;
	while (buffers[i].type != column->type)
		i++;
	column->format[0] = buffers[i].format;
	column->item_size = buffers[i].size;
	column->count = buffer_count(column->type, column->array->length);
	column->data = column->array->buffers[1];
	return (PyObject *)column;
}

static Py_ssize_t
batch_rows(PyObject *self)
{
	return (Py_ssize_t)((struct batch *)self)->array.length;
}

static void
batch_free(PyObject *self)
{
	struct batch *batch = (struct batch *)self;
	if (batch->array.release)
		batch->array.release(&batch->array);
	Py_CLEAR(batch->names);
	Py_CLEAR(batch->types);
	free_object(self);
}

static PyGetSetDef batch_members[] = {
	{"columns", get_object, NULL, NULL, MEMBER(batch, names)},
	{NULL, NULL, NULL, NULL, NULL},
};
static PyMethodDef batch_methods[] = {
	{"column", batch_column, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};
static PyType_Slot batch_slots[] = {
	{Py_tp_dealloc, (void *)batch_free},
	{Py_tp_methods, batch_methods},
	{Py_tp_getset, batch_members},
	{Py_mp_length, (void *)batch_rows},
	{0, NULL},
};
PyType_Spec batch_spec = {"polytrace._native.Batch", sizeof(struct batch), 0,
	Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	batch_slots};

static int
column_buffer(PyObject *self, Py_buffer *view, int flags)
{
	struct column *column = (struct column *)self;
	if (flags & PyBUF_WRITABLE) {
		view->obj = NULL;
		PyErr_SetString(PyExc_BufferError, "columns are read only");
		return -1;
	}
	*view = (Py_buffer){.buf = (void *)(uintptr_t)column->data,
		.obj = self,
		.len = column->count * column->item_size,
		.itemsize = column->item_size,
		.readonly = 1,
		.ndim = 1,
		.format = flags & PyBUF_FORMAT ? column->format : NULL,
		.shape = flags & PyBUF_ND ? &column->count : NULL,
		.strides =
			(flags & PyBUF_STRIDES) == PyBUF_STRIDES ? &column->item_size : NULL};
	Py_INCREF(self);
	return 0;
}

/* Returns bytes of a column's array as a memoryview. */
static PyObject *
view_bytes(struct column *column, const void *data, Py_ssize_t size)
{
	struct column *view = new_object(Py_TYPE((PyObject *)column));
	if (!view)
		return NULL;
	Py_INCREF(column->batch);
	view->batch = column->batch;
	view->data = data;
	view->count = size;
	view->item_size = 1;
	view->format[0] = view->type = 'B';
	PyObject *result = PyMemoryView_FromObject((PyObject *)view);
	Py_DECREF(view);
	return result;
}

static PyObject *
column_validity(PyObject *self, void *unused)
{
	struct column *column = (struct column *)self;
	(void)unused;
	if (!column->array || !column->array->buffers[0])
		Py_RETURN_NONE;
	return view_bytes(column, column->array->buffers[0],
		(Py_ssize_t)((column->array->length + 7) / 8));
}

static PyObject *
column_bytes(PyObject *self, void *unused)
{
	struct column *column = (struct column *)self;
	(void)unused;
	if (!column->array || column->array->n_buffers < 3)
		Py_RETURN_NONE;
	return view_bytes(column, column->array->buffers[2],
		((const int32_t *)column->data)[column->array->length]);
}

/* Returns the string in a row of an array of strings or bytes. */
static PyObject *
string_at(const struct ArrowArray *array, Py_ssize_t row, bool is_text)
{
	const int32_t *offsets = array->buffers[1];
	const char *bytes = (const char *)array->buffers[2] + offsets[row];
	const Py_ssize_t size = offsets[row + 1] - offsets[row];
	return is_text ? PyUnicode_DecodeUTF8(bytes, size, "replace")
		       : PyBytes_FromStringAndSize(bytes, size);
}

static PyObject *
column_dictionary(PyObject *self, void *unused)
{
	struct column *column = (struct column *)self;
	const struct ArrowArray *strings = column->array ? column->array->dictionary : NULL;
	(void)unused;
	if (!strings)
		Py_RETURN_NONE;
	if (!column->dictionary) {
		PyObject *tuple = PyTuple_New((Py_ssize_t)strings->length);
		for (Py_ssize_t i = 0; tuple && i < (Py_ssize_t)strings->length; i++) {
			PyObject *text = string_at(strings, i, true);
			if (!text || PyTuple_SetItem(tuple, i, text))
				Py_CLEAR(tuple);
		}
		column->dictionary = tuple;
	}
	Py_XINCREF(column->dictionary);
	return column->dictionary;
}

static PyObject *
column_nulls(PyObject *self, void *unused)
{
	const struct column *column = (struct column *)self;
	(void)unused;
	return PyLong_FromLongLong(column->array ? column->array->null_count : 0);
}

static PyObject *
column_type(PyObject *self, void *unused)
{
	(void)unused;
	return PyUnicode_FromStringAndSize(&((struct column *)self)->type, 1);
}

static Py_ssize_t
column_rows(PyObject *self)
{
	const struct column *column = (struct column *)self;
	return column->array ? (Py_ssize_t)column->array->length : column->count;
}

/* Returns the integer of a row. */
static PyObject *
integer_at(const struct column *column, Py_ssize_t row)
{
	switch (column->format[0]) {
	case 'B': return PyLong_FromLong(((const uint8_t *)column->data)[row]);
	case 'H': return PyLong_FromLong(((const uint16_t *)column->data)[row]);
	case 'I': return PyLong_FromUnsignedLong(((const uint32_t *)column->data)[row]);
	case 'i': return PyLong_FromLong(((const int32_t *)column->data)[row]);
	case 'q': return PyLong_FromLongLong(((const int64_t *)column->data)[row]);
	default: return PyLong_FromUnsignedLongLong(((const uint64_t *)column->data)[row]);
	}
}

static PyObject *
column_item(PyObject *self, Py_ssize_t row)
{
	struct column *column = (struct column *)self;
	const uint8_t *bits = column->data;
	if (row < 0 || row >= column_rows(self)) {
		PyErr_SetString(PyExc_IndexError, "row out of range");
		return NULL;
	}
	const uint8_t *validity = column->array ? column->array->buffers[0] : NULL;
	if (validity && !(validity[row / 8] >> row % 8 & 1))
		Py_RETURN_NONE;
	if (column->type == 'b')
		return PyBool_FromLong(bits[row / 8] >> row % 8 & 1);
	if (column->type == 'u' || column->type == 'z')
		return string_at(column->array, row, column->type == 'u');
	PyObject *number = integer_at(column, row);
	if (!number || !column->array || !column->array->dictionary)
		return number;
	PyObject *dictionary = column_dictionary(self, NULL);
	PyObject *item =
		dictionary ? PyTuple_GetItem(dictionary, (Py_ssize_t)PyLong_AsLong(number))
			   : NULL;
	Py_XINCREF(item);
	Py_XDECREF(dictionary);
	Py_DECREF(number);
	return item;
}

static void
column_free(PyObject *self)
{
	struct column *column = (struct column *)self;
	Py_CLEAR(column->dictionary);
	Py_CLEAR(column->batch);
	free_object(self);
}

static PyGetSetDef column_members[] = {
	{"validity", column_validity, NULL, NULL, NULL},
	{"bytes", column_bytes, NULL, NULL, NULL},
	{"dictionary", column_dictionary, NULL, NULL, NULL},
	{"nulls", column_nulls, NULL, NULL, NULL},
	{"type", column_type, NULL, NULL, NULL},
	{NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot column_slots[] = {
	{Py_tp_dealloc, (void *)column_free},
	{Py_tp_getset, column_members},
	{Py_bf_getbuffer, (void *)column_buffer},
	{Py_sq_length, (void *)column_rows},
	{Py_sq_item, (void *)column_item},
	{0, NULL},
};
PyType_Spec column_spec = {"polytrace._native.Column", sizeof(struct column), 0,
	Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	column_slots};
