/* SPDX-License-Identifier: MIT */
/*
 * Homeworks of courses as analyses: simulators of the courses, with the output of the courses'
 * own programs, line by line. The lines go to the sink of the run; the report has those at the
 * end of the trace, the results.
 */
#ifndef ANALYSIS_PRINTOUT_H
#define ANALYSIS_PRINTOUT_H

#include "analysis/core/analysis.h"

#include "course/course.h"

/* Functions of a homework. Those that return a boolean return false if memory ran out; lines
 * are appended to out, whose lack of memory is found later. */
struct homework_model {
	size_t state_size; /* the caller allocates and zeroes the state */
	/* Initializes the zeroed state; NULL: nothing to initialize. */
	enum poly_status (*init)(
		void *state, const struct analysis_setup *setup, struct poly_error *error);
	/* Prints the heading, with the name of the trace; NULL: none. */
	void (*begin)(const void *state, const char *trace, struct buf *out);
	/* Processes a micro-operation; NULL: add_row does. */
	bool (*add_uop)(void *state, const struct course_uop *uop, struct buf *out);
	/* Processes a row, of homeworks whose records are not micro-operations. */
	bool (*add_row)(
		void *state, const struct poly_batch *batch, size_t row, struct buf *out);
	/* Prints the results; NULL: none. */
	bool (*end)(void *state, struct buf *out);
	/* Frees the members of the state, also after init failed. NULL: nothing to free. */
	void (*fini)(void *state);
};

/* State of the analysis. */
struct printout {
	const struct homework_model *model;
	const char *name;      /* of the analysis: "COURSE_NAME" */
	void *state;	       /* of the model */
	uint64_t uops;	       /* so far */
	const char *trace;     /* its name in the output */
	struct buf lines;      /* not written yet; after finish: the results */
	struct poly_sink sink; /* write may be NULL */
	int sys_errno;	       /* of the first write that failed */
	bool is_begun, is_finished;
};

/* The functions of struct analysis; init gets the homework's model and description, too. */
enum poly_status printout_init(struct printout *printout, const struct homework_model *model,
	const struct poly_analysis_info *info, const struct analysis_setup *setup,
	struct poly_error *error);
enum poly_status printout_check(
	void *state, const struct poly_trace_info *info, struct poly_error *error);
void printout_begin(void *state, const struct poly_trace_info *info);
bool printout_update(void *state, const struct analysis_rows *rows);
enum poly_status printout_status(const void *state, struct poly_error *error);
enum poly_status printout_finish(void *state, struct poly_error *error);
void printout_report(
	const void *state, const struct static_ops *ops, struct poly_report *report);
void printout_fini(void *state);

/* Adds a table of lines, each of which ends in a line feed. */
void printout_report_lines(
	struct poly_report *report, const char *key, const struct buf *lines);

/* Defines the analysis of a homework with a model, word_options, and members of its info. */
#define HOMEWORK(word, model, ...)                                                          \
	extern const struct analysis analysis_##word;                                       \
	static enum poly_status word##_init(                                                \
		void *state, const struct analysis_setup *setup, struct poly_error *error)  \
	{                                                                                   \
		return printout_init(state, &(model), &analysis_##word.info, setup, error); \
	}                                                                                   \
	const struct analysis analysis_##word = {.info = {.name = #word,                    \
							 .kind = POLY_ANALYSIS_HOMEWORK,    \
							 .options = word##_options,         \
							 __VA_ARGS__},                      \
		.ordered = ORDERED_MACHINE,                                                 \
		.state_size = sizeof(struct printout),                                      \
		.check = printout_check,                                                    \
		.init = word##_init,                                                        \
		.begin = printout_begin,                                                    \
		.update = printout_update,                                                  \
		.status = printout_status,                                                  \
		.finish = printout_finish,                                                  \
		.report = printout_report,                                                  \
		.fini = printout_fini};

/* Options that several homeworks have. */
#define HOMEWORK_DEBUG(word)                                                           \
	{                                                                              \
		word ".debug", POLY_OPTION_BOOL,                                       \
			.initial = 1, .help = "print every step, or only the results", \
			.source = "outputs of the courses' programs"                   \
	}
#define HOMEWORK_TRACE(word)                                                                 \
	{                                                                                    \
		word ".trace", POLY_OPTION_TEXT,                                             \
			.help = "name in the line 'Trace name', instead of the file's name", \
			.source = "outputs of the courses' programs"                         \
	}

#endif
