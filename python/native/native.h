/* SPDX-License-Identifier: MIT */
/*
 * The extension module polytrace._native, on the limited API of Python 3.11. The package wraps
 * what it defines; nothing of it is public.
 *
 * One file would have over 1,500 lines; they are by subject: module.c has the module and
 * exceptions, reading.c opens traces, trace.c iterates their batches and columns, analysis.c
 * runs analyses and comparisons, writing.c writes columns.
 */
#ifndef NATIVE_H
#define NATIVE_H

#define PY_SSIZE_T_CLEAN
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030b0000
#endif
#include <Python.h>

#include <polytrace/polytrace.h>

/* Raises polytrace.Error for a file, or MemoryError; returns NULL. */
PyObject *raise_error(PyObject *file, const struct poly_error *error);

/* Returns a new object of a type of the package, zeroed. */
void *new_object(PyTypeObject *type);

/* Returns whether an object is a type that extends a type of the module; false: an exception is
 * raised. */
bool extends(PyObject *type, const char *name);

/* Frees an object, whose members are released. */
void free_object(PyObject *object);

/* Returns a string, whose bytes need not be UTF-8; None instead of NULL. */
PyObject *optional_text(const char *text);

/* Returns the names of a set of columns. */
PyObject *column_names(poly_columns columns);

/* The strings of a list or tuple, NULL at the end; valid as long as the object. */
struct strings {
	const char **items; /* NULL: the object was None */
	size_t count;
};

/* Borrows the strings of a list, a tuple or None; false: an exception. */
bool strings_init(struct strings *strings, PyObject *list);

/* Frees the list. */
void strings_fini(struct strings *strings);

/* Moves a status and a message to an error; returns the status. */
enum poly_status set_error(struct poly_error *error, enum poly_status status,
	const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The file and the records to be read. */
struct request {
	PyObject *file;		  /* for messages */
	const char *path;	  /* in the encoding of the file system */
	struct strings columns;	  /* requested columns; NULL: those of the trace */
	struct strings options;	  /* of the format */
	const char *where;	  /* a filter, or NULL */
	unsigned long long first; /* row of the first record, from 1 */
	unsigned long long count; /* of records */
	struct poly_read_options read;
};

/* Converts the tuple that the package builds; false: an exception. */
bool request_init(struct request *request, PyObject *tuple);

/* Frees the lists. */
void request_fini(struct request *request);

/* An open trace: a reader and its selection. It refers to no Python objects. */
struct reading {
	struct poly_reader *reader;
	struct poly_selection *selection; /* NULL: every record */
	struct poly_source source;	  /* the selected rows */
	struct poly_error failure;	  /* of the source, if its status is not POLY_OK */
	char registers[POLY_REGISTERS_MAX][40];
	const char *register_names[POLY_REGISTERS_MAX];
	unsigned register_count;
	bool is_exported;  /* any thread reads, which may not take the interpreter's lock */
	long long checked; /* when signals were handled, in tenths of a second */
	bool is_partial;   /* not all records are read: a weighted row would be wrong */
};

/* Opens a trace; on failure *reading is NULL. */
enum poly_status reading_open(
	const struct request *request, struct reading **reading, struct poly_error *error);

/*
 * Resolves the requested columns of a trace into a list of up to POLY_COLUMN_NONE; without
 * requested columns, those of the trace but raw, origin, site and verbatim.
 */
enum poly_status reading_columns(struct reading *reading, const struct request *request,
	enum poly_column *list, size_t *count, struct poly_error *error);

/* Sets the columns that are read, and whether rows may be weighted. */
enum poly_status reading_plan(
	struct reading *reading, poly_columns columns, bool weights, struct poly_error *error);

/* Closes a trace. Accepts NULL. */
void reading_close(void *reading);

/* Functions of the module, and its types. */
PyObject *native_stats(PyObject *module, PyObject *arguments);
PyObject *native_write(PyObject *module, PyObject *arguments);
extern PyType_Spec trace_spec, batch_spec, column_spec, diff_spec;

#endif
