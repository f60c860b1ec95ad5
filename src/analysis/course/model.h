/* SPDX-License-Identifier: MIT */
/*
 * A homework: options, a state, and functions that process micro-ops and print. They append
 * lines to the output, which is flushed to the sink in blocks.
 */
#ifndef ANALYSIS_COURSE_MODEL_H
#define ANALYSIS_COURSE_MODEL_H

#include "polytrace/course.h"

#include "course/course.h"
#include "model/option.h"

/* Size of the output buffer in bytes. */
#define MODEL_OUTPUT_ROOM ((size_t)64 << 10)

/* The output buffer and its sink. */
struct model_output {
	struct buf lines;
	struct poly_sink sink;
	const char *trace; /* its name */
};

/* Flushes the lines to the sink. POLY_ERR_IO; POLY_ERR_MEMORY: a line could not be stored. */
enum poly_status model_flush(struct model_output *output, struct poly_error *error);

/* Flushes a full buffer; to be called after each line. */
static inline enum poly_status
model_flush_if_full(struct model_output *output, struct poly_error *error)
{
	if (output->lines.size < MODEL_OUTPUT_ROOM && !output->lines.failed)
		return POLY_OK;
	return model_flush(output, error);
}

struct model {
	struct poly_homework_info info;
	size_t state_size; /* the caller allocates and zeroes the state */
	/* Initializes the zeroed state by values of the options; NULL: nothing to initialize.
	 */
	enum poly_status (*init)(
		void *state, const struct option_values *values, struct poly_error *error);
	/* Prints the heading; NULL: none. */
	void (*begin)(void *state, struct model_output *output);
	/* Processes a micro-op; NULL: add_rows does. */
	enum poly_status (*add_uop)(void *state, const struct course_uop *uop,
		struct model_output *output, struct poly_error *error);
	/* Processes the rows of a batch, of homeworks whose records are not micro-ops. */
	enum poly_status (*add_rows)(void *state, const struct poly_batch *batch,
		struct model_output *output, struct poly_error *error);
	/* Prints the results; NULL: none. */
	enum poly_status (*end)(
		void *state, struct model_output *output, struct poly_error *error);
	/* Frees the members of the state, also after init failed. NULL: nothing to free. */
	void (*fini)(void *state);
};

/* The homeworks, by course. */
extern const struct model model_penn_hw1, model_penn_hw2a, model_penn_hw3, model_penn_hw4,
	model_penn_hw5, model_penn_v2;
extern const struct model model_wustl_hw1, model_wustl_hw2a, model_wustl_hw3, model_wustl_hw4,
	model_wustl_hw5, model_wustl_hw6;
extern const struct model model_sfsu_1b, model_sfsu_2;

/* Options that several homeworks have. */
#define MODEL_DEBUG                                              \
	{                                                        \
		"debug", POLY_OPTION_BOOL, 0, 1, 0, 1, NULL,     \
			"print every step, or only the results", \
			"outputs of the courses' programs"       \
	}
#define MODEL_TRACE                                                                  \
	{                                                                            \
		"trace", POLY_OPTION_TEXT, 0, 0, 0, 0, NULL,                         \
			"name in the line 'Trace name', instead of the file's name", \
			"outputs of the courses' programs"                           \
	}

#endif
