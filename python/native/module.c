/* SPDX-License-Identifier: MIT */
/* The module: exceptions, helpers, and lists of what the library has. */
#include "native.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void *
new_object(PyTypeObject *type)
{
	const allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
	return allocate(type, 0);
}

bool
extends(PyObject *type, const char *name)
{
	PyObject *module = PyImport_ImportModule("polytrace._native");
	PyObject *base = module ? PyObject_GetAttrString(module, name) : NULL;
	const bool good = base && PyType_Check(type) &&
			  PyType_IsSubtype((PyTypeObject *)type, (PyTypeObject *)base);
	if (base && !good)
		PyErr_Format(PyExc_TypeError, "found %R, expected a type that extends %s", type,
			name);
	Py_XDECREF(base);
	Py_XDECREF(module);
	return good;
}

void
free_object(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);
	const freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
	release(self);
	Py_DECREF(type);
}

PyObject *
optional_text(const char *text)
{
	if (text)
		return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
	Py_RETURN_NONE;
}

static const char *
status_name(enum poly_status status)
{
	switch ((int)status) {
	case POLY_ERR_USAGE: return "usage";
	case POLY_ERR_IO: return "io";
	case POLY_ERR_FORMAT: return "format";
	case POLY_ERR_LIMIT: return "limit";
	case POLY_ERR_UNSUPPORTED: return "unsupported";
	case POLY_ERR_LOSS: return "loss";
	case POLY_ERR_CANCELLED: return "cancelled";
	case POLY_ERR_TRUNCATED: return "truncated";
	default: return "unknown";
	}
}

/* Returns a number, or None instead of a number that is not known. */
static PyObject *
optional_number(uint64_t number, uint64_t unknown)
{
	if (number != unknown)
		return PyLong_FromUnsignedLongLong(number);
	Py_RETURN_NONE;
}

PyObject *
raise_error(PyObject *file, const struct poly_error *error)
{
	/* A signal was handled, and its exception is set. */
	if (PyErr_Occurred())
		return NULL;
	if (error->status == POLY_ERR_MEMORY)
		return PyErr_NoMemory();
	PyObject *module = PyImport_ImportModule("polytrace._errors");
	if (!module)
		return NULL;
	PyObject *function = PyObject_GetAttrString(module, "make_error");
	Py_DECREF(module);
	if (!function)
		return NULL;
	PyObject *message = PyUnicode_DecodeUTF8(
		error->message, (Py_ssize_t)strlen(error->message), "replace");
	PyObject *exception = message ? PyObject_CallFunction(function, "OsNNNNi", file,
						status_name(error->status), message,
						optional_number(error->record, 0),
						optional_number(error->line, 0),
						optional_number(error->offset, POLY_NO_OFFSET),
						error->sys_errno)
				      : NULL;
	Py_DECREF(function);
	if (exception)
		PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
	Py_XDECREF(exception);
	return NULL;
}

enum poly_status
set_error(struct poly_error *error, enum poly_status status, const char *format, ...)
{
	va_list list;
	*error = (struct poly_error){.status = status, .offset = POLY_NO_OFFSET};
	va_start(list, format);
	vsnprintf(error->message, sizeof error->message, format, list);
	va_end(list);
	return status;
}

PyObject *
column_names(poly_columns columns)
{
	PyObject *list = PyList_New(0);
	for (unsigned c = 0; list && c < POLY_COLUMN_COUNT; c++) {
		if (!poly_columns_has(columns, (enum poly_column)c))
			continue;
		PyObject *name = PyUnicode_FromString(poly_column_name((enum poly_column)c));
		if (!name || PyList_Append(list, name))
			Py_CLEAR(list);
		Py_XDECREF(name);
	}
	return list;
}

/* Returns name, form, description and bytes per element of every column that batches store. */
static PyObject *
native_columns(PyObject *module, PyObject *unused)
{
	static const unsigned char sizes[] = {
#define COLUMN(name, type, form, doc) sizeof(type),
#include <polytrace/columns.def>
#undef COLUMN
	};
	PyObject *list = PyList_New(0);
	(void)module, (void)unused;
	for (unsigned c = 0; list && c < POLY_COLUMN_COUNT; c++) {
		const enum poly_column column = (enum poly_column)c;
		PyObject *item = Py_BuildValue("(sisi)", poly_column_name(column),
			(int)poly_column_form(column), poly_column_doc(column), (int)sizes[c]);
		if (!item || PyList_Append(list, item))
			Py_CLEAR(list);
		Py_XDECREF(item);
	}
	return list;
}

static PyObject *
native_version(PyObject *module, PyObject *unused)
{
	(void)module, (void)unused;
	return PyUnicode_FromString(poly_version());
}

static PyMethodDef functions[] = {
	{"columns", native_columns, METH_NOARGS, NULL},
	{"version", native_version, METH_NOARGS, NULL},
	{"stats", native_stats, METH_VARARGS, NULL},
	{"write", native_write, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};

static int
add_types(PyObject *module)
{
	PyType_Spec *const specs[] = {&trace_spec, &batch_spec, &column_spec, &diff_spec};
	for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
		PyObject *type = PyType_FromSpec(specs[i]);
		const int failed = !type || PyModule_AddType(module, (PyTypeObject *)type) < 0;
		Py_XDECREF(type);
		if (failed)
			return -1;
	}
	return 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)add_types}, {0, NULL}};
static struct PyModuleDef definition = {
	.m_base = PyModuleDef_HEAD_INIT,
	.m_name = "polytrace._native",
	.m_methods = functions,
	.m_slots = slots,
};

/* The interpreter calls it. */
PyMODINIT_FUNC PyInit__native(void);

PyMODINIT_FUNC
PyInit__native(void)
{
	return PyModuleDef_Init(&definition);
}
