/* SPDX-License-Identifier: MIT */
/*
 * What a homework is: options, a state, and functions that take micro-ops and print. They fill
 * lines of the output, which goes on to the sink in pieces.
 */
#ifndef ANALYSIS_COURSE_MODEL_H
#define ANALYSIS_COURSE_MODEL_H

#include "polytrace/course.h"

#include "course/course.h"
#include "model/option.h"

/* Bytes of lines that are kept back before they go to the sink. */
#define MODEL_OUTPUT_ROOM ((size_t)64 << 10)

/* What has been printed and where it goes. */
struct model_output {
	struct buf lines;
	struct poly_sink sink;
	const char *trace; /* its name */
};

/* Hands the lines on. POLY_ERR_IO; POLY_ERR_MEMORY: one had no room. */
enum poly_status model_flush(struct model_output *output, struct poly_error *error);

/* The same where there is much; to be called behind each line. */
static inline enum poly_status
model_settle(struct model_output *output, struct poly_error *error)
{
	if (output->lines.size < MODEL_OUTPUT_ROOM && !output->lines.failed)
		return POLY_OK;
	return model_flush(output, error);
}

struct model {
	struct poly_homework_info info;
	size_t state_size; /* the caller allocates and zeroes the state */
	/* Prepares the zeroed state by values of the options; NULL: zeroed is ready. */
	enum poly_status (*init)(
		void *state, const struct option_values *values, struct poly_error *error);
	/* Prints what stands above the first record; NULL: nothing does. */
	void (*begin)(void *state, struct model_output *output);
	/* Takes a micro-op, whose lines go on behind it; NULL: take_rows does. */
	enum poly_status (*take)(void *state, const struct course_uop *uop,
		struct model_output *output, struct poly_error *error);
	/* Takes the rows of a batch, of homeworks whose records are no micro-ops. */
	enum poly_status (*take_rows)(void *state, const struct poly_batch *batch,
		struct model_output *output, struct poly_error *error);
	/* Prints what stands behind the last record; NULL: nothing does. */
	enum poly_status (*end)(
		void *state, struct model_output *output, struct poly_error *error);
	/* Gives the state's memory back, also after init failed. NULL: nothing to do. */
	void (*fini)(void *state);
};

/* The homeworks, by course. */
extern const struct model model_penn_hw1, model_penn_hw2a, model_penn_hw3, model_penn_hw4,
	model_penn_hw5, model_penn_v2;
extern const struct model model_wustl_hw1, model_wustl_hw2a, model_wustl_hw3, model_wustl_hw4,
	model_wustl_hw5, model_wustl_hw6;
extern const struct model model_sfsu_1b, model_sfsu_2;

/* Options that several homeworks have. */
#define MODEL_DEBUG                                                            \
	{                                                                      \
		"debug", POLY_OPTION_BOOL, 0, 1, 0, 1, NULL,                   \
			"whether every step is printed, or the results alone", \
			"reference cis501 7.1"                                 \
	}
#define MODEL_TRACE                                                                   \
	{                                                                             \
		"trace", POLY_OPTION_TEXT, 0, 0, 0, 0, NULL,                          \
			"what the line 'Trace name' says instead of the file's name", \
			"reference cis501 7.1"                                        \
	}

#endif
