/* SPDX-License-Identifier: MIT */
/* Analyses of a trace, and the differences of two. */
#include "native.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What is analysed, and the report as JSON. */
struct analysis {
	struct poly_stats_options options;
	const char *symbols;	  /* path of a file, or NULL */
	bool is_fault_of_symbols; /* the failure is of that file */
	char *json;
	size_t size, capacity;
};

/* Appends bytes of the report: a poly_write_fn. */
static int
append_json(void *user, const void *data, size_t size)
{
	struct analysis *analysis = user;
	if (size > analysis->capacity - analysis->size) {
		const size_t capacity = 2 * (analysis->size + size) + 4096;
		char *json = realloc(analysis->json, capacity);
		if (!json)
			return ENOMEM;
		analysis->json = json;
		analysis->capacity = capacity;
	}
	memcpy(analysis->json + analysis->size, data, size);
	analysis->size += size;
	return 0;
}

static enum poly_status
render(const struct poly_stats *stats, struct analysis *analysis, struct poly_error *error)
{
	struct poly_report *report = poly_report_new();
	const struct poly_sink sink = {append_json, analysis};
	if (!report)
		return set_error(error, POLY_ERR_MEMORY, "out of memory");
	poly_stats_report(stats, NULL, report);
	enum poly_status status =
		poly_report_render(report, POLY_RENDER_JSON_LINE, &sink, error);
	if (status == POLY_ERR_IO)
		status = set_error(error, POLY_ERR_MEMORY, "out of memory");
	poly_report_free(report);
	return status;
}

/* Adds all rows of an open trace. */
static enum poly_status
add_rows(struct poly_stats *stats, struct reading *reading, struct poly_error *error)
{
	const struct poly_batch *batch;
	enum poly_status status = poly_stats_begin(stats, reading->source.info, error);
	if (status == POLY_OK)
		status = reading_plan(reading, poly_stats_columns(stats),
			poly_stats_accepts_weights(stats), error);
	while (status == POLY_OK &&
		(status = reading->source.next(reading, &batch, error)) == POLY_OK)
		status = poly_stats_update(stats, batch, error);
	if (status >= 0)
		status = poly_stats_finish(stats, error);
	return status;
}

/* Runs an analysis; needs no lock of the interpreter. */
static enum poly_status
analyse(const struct request *request, struct analysis *analysis, struct poly_error *error)
{
	struct poly_symbols *symbols = NULL;
	struct poly_stats *stats = NULL;
	struct reading *reading = NULL;
	enum poly_status status = POLY_OK;
	if (analysis->symbols)
		status = poly_symbols_open(analysis->symbols, &symbols, error);
	analysis->is_fault_of_symbols = status != POLY_OK;
	analysis->options.symbols = symbols;
	if (status == POLY_OK)
		status = poly_stats_new(&analysis->options, &stats, error);
	if (status == POLY_OK)
		status = reading_open(request, &reading, error);
	if (status == POLY_OK)
		status = add_rows(stats, reading, error);
	if (status >= 0)
		status = render(stats, analysis, error);
	poly_stats_free(stats);
	reading_close(reading);
	poly_symbols_free(symbols);
	return status;
}

/* stats(request, analyses, options, all, warmup, symbols): the report as JSON. symbols is
 * bytes. */
PyObject *
native_stats(PyObject *module, PyObject *arguments)
{
	PyObject *tuple, *analyses, *words, *symbols, *result = NULL;
	struct request request;
	struct strings names = {0}, options = {0};
	struct analysis analysis = {.options = POLY_STATS_OPTIONS_INIT};
	struct poly_error error;
	unsigned long long warmup;
	int all;
	(void)module;
	if (!PyArg_ParseTuple(arguments, "O!OOpKO:stats", &PyTuple_Type, &tuple, &analyses,
		    &words, &all, &warmup, &symbols) ||
		!request_init(&request, tuple))
		return NULL;
	if (strings_init(&names, analyses) && strings_init(&options, words)) {
		enum poly_status status;
		analysis.symbols = symbols == Py_None ? NULL : PyBytes_AsString(symbols);
		analysis.options.analyses = names.items;
		analysis.options.options = options.items;
		analysis.options.all = all;
		analysis.options.warmup = warmup;
		analysis.options.threads = request.read.threads;
		PyThreadState *lock = PyEval_SaveThread();
		status = analyse(&request, &analysis, &error);
		PyEval_RestoreThread(lock);
		PyObject *file = analysis.is_fault_of_symbols
					 ? PyUnicode_DecodeFSDefault(analysis.symbols)
					 : request.file;
		if (status < 0 && file)
			raise_error(file, &error);
		else if (file)
			result = PyUnicode_DecodeUTF8(
				analysis.json, (Py_ssize_t)analysis.size, "strict");
		if (analysis.is_fault_of_symbols)
			Py_XDECREF(file);
	}
	free(analysis.json);
	strings_fini(&names);
	strings_fini(&options);
	request_fini(&request);
	return result;
}

struct diff {
	PyObject_HEAD struct poly_diff *diff;
	struct reading *readings[2];
	PyObject *files[2];
	bool is_busy; /* a thread compares without the lock of the interpreter */
};

/* Opens both traces; needs no lock of the interpreter. Stores which one fails. */
static enum poly_status
open_sides(struct diff *self, const struct request requests[2],
	const struct poly_diff_options *options, int *failing, struct poly_error *error)
{
	struct poly_diff_side sides[2] = {{.skip = 0}};
	enum poly_status status = POLY_OK;
	for (int i = 0; i < 2 && status == POLY_OK; i++) {
		*failing = i;
		status = reading_open(&requests[i], &self->readings[i], error);
		if (status == POLY_OK)
			sides[i].source = self->readings[i]->source;
	}
	if (status != POLY_OK)
		return status;
	*failing = -1;
	status = poly_diff_new(options, sides, &self->diff, error);
	for (unsigned i = 0; i < 2 && status == POLY_OK; i++)
		status = reading_plan(
			self->readings[i], poly_diff_columns(self->diff, i), false, error);
	return status;
}

/* Raises the failure of one of the traces, or of the comparison. */
static PyObject *
raise_side(struct diff *self, int failing, const struct poly_error *error)
{
	for (int i = 0; i < 2 && failing < 0; i++) {
		if (self->readings[i] && self->readings[i]->failure.status < 0)
			failing = i;
	}
	return raise_error(failing < 0 ? Py_None : self->files[failing], error);
}

/* Opens the sides by arguments that are parsed; false: an exception. */
static bool
begin_diff(struct diff *self, PyObject *tuples[2], const struct poly_diff_options *options)
{
	struct request requests[2];
	struct poly_error error;
	enum poly_status status = POLY_OK;
	int failing = -1;
	if (!request_init(&requests[0], tuples[0]))
		return false;
	if (!request_init(&requests[1], tuples[1])) {
		request_fini(&requests[0]);
		return false;
	}
	for (int i = 0; i < 2; i++) {
		self->files[i] = requests[i].file;
		Py_INCREF(self->files[i]);
	}
	PyThreadState *lock = PyEval_SaveThread();
	status = open_sides(self, requests, options, &failing, &error);
	PyEval_RestoreThread(lock);
	request_fini(&requests[0]);
	request_fini(&requests[1]);
	if (status != POLY_OK)
		raise_side(self, failing, &error);
	return status == POLY_OK;
}

/* Diff(a, b, (ignore, also, aliases, tolerate), window, resync, ordered, each_cpu) */
static PyObject *
diff_new(PyTypeObject *type, PyObject *arguments, PyObject *words)
{
	PyObject *tuples[2], *lists[4];
	struct strings strings[4] = {{0}};
	struct poly_diff_options options = POLY_DIFF_OPTIONS_INIT;
	int ordered, each_cpu;
	bool done = true;
	(void)words;
	if (!PyArg_ParseTuple(arguments, "O!O!(OOOO)IIpp:Diff", &PyTuple_Type, &tuples[0],
		    &PyTuple_Type, &tuples[1], &lists[0], &lists[1], &lists[2], &lists[3],
		    &options.window, &options.resync, &ordered, &each_cpu))
		return NULL;
	struct diff *self = new_object(type);
	if (!self)
		return NULL;
	for (int i = 0; done && i < 4; i++)
		done = strings_init(&strings[i], lists[i]);
	options.ignore = strings[0].items;
	options.also = strings[1].items;
	options.aliases = strings[2].items;
	options.tolerate = strings[3].items;
	options.ordered = ordered;
	options.each_cpu = each_cpu;
	options.context = 0;
	if (done)
		done = begin_diff(self, tuples, &options);
	for (int i = 0; i < 4; i++)
		strings_fini(&strings[i]);
	if (!done)
		Py_CLEAR(self);
	return (PyObject *)self;
}

/* Returns the difference as a tuple. */
static PyObject *
difference_tuple(const struct poly_difference *d)
{
	PyObject *cpu = d->has_cpu ? PyLong_FromUnsignedLong(d->cpu) : optional_text(NULL);
	return Py_BuildValue("sN(NN)(KK)(KK)K(KK)NN", poly_diff_cause_name(d->cause),
		optional_text(d->subject), optional_text(d->values[0]),
		optional_text(d->values[1]), (unsigned long long)d->instruction[0],
		(unsigned long long)d->instruction[1], (unsigned long long)d->record[0],
		(unsigned long long)d->record[1], (unsigned long long)d->matching,
		(unsigned long long)d->run[0], (unsigned long long)d->run[1],
		PyBool_FromLong(d->ends), cpu);
}

static PyObject *
diff_next(PyObject *object)
{
	struct diff *self = (struct diff *)object;
	const struct poly_difference *difference = NULL;
	struct poly_error error;
	if (self->is_busy) {
		PyErr_SetString(PyExc_RuntimeError, "another thread compares the traces");
		return NULL;
	}
	enum poly_status status;
	self->is_busy = true;
	PyThreadState *lock = PyEval_SaveThread();
	status = poly_diff_next(self->diff, &difference, &error);
	PyEval_RestoreThread(lock);
	self->is_busy = false;
	if (status < 0 || PyErr_Occurred())
		return raise_side(self, -1, &error);
	return status == POLY_OK ? difference_tuple(difference) : NULL;
}

static void
diff_free(PyObject *object)
{
	struct diff *self = (struct diff *)object;
	poly_diff_free(self->diff);
	for (int i = 0; i < 2; i++) {
		reading_close(self->readings[i]);
		Py_CLEAR(self->files[i]);
	}
	free_object(object);
}

static PyType_Slot diff_slots[] = {
	{Py_tp_new, (void *)diff_new},
	{Py_tp_dealloc, (void *)diff_free},
	{Py_tp_iter, (void *)PyObject_SelfIter},
	{Py_tp_iternext, (void *)diff_next},
	{0, NULL},
};
PyType_Spec diff_spec = {
	"polytrace._native.Diff", sizeof(struct diff), 0, Py_TPFLAGS_DEFAULT, diff_slots};
