/* SPDX-License-Identifier: MIT */
/* The output files of a recording: one, or one for each thread. */
#ifndef CLI_THREAD_OUTPUTS_H
#define CLI_THREAD_OUTPUTS_H

#include "cli/files/output_policy.h"
#include "cli/files/split_output.h"

/* Which rows a file has. */
enum thread_files {
	THREADS_AUTO,	/* merged; if the format holds no threads, a file for each besides OUT,
			   which has the first one */
	THREADS_MERGED, /* all in OUT */
	THREADS_SPLIT,	/* a file for each thread, with its number in the name */
};

struct thread_outputs {
	const char *path; /* OUT */
	const struct poly_trace_info *info;
	const struct poly_write_options *options;
	struct output_policy policy;
	enum thread_files files;    /* not THREADS_AUTO */
	bool names_all;		    /* the file of the first thread has its number, too */
	struct split_output *items; /* by thread number - 1; merged: one */
	size_t count;
};

/* Opens OUT, unless it is not among the files; false: an error, which was printed. */
bool thread_outputs_open(struct thread_outputs *outputs, enum thread_files files);

/* Writes a batch of one thread; false: an error, which was printed. */
bool thread_outputs_write(struct thread_outputs *outputs, const struct poly_batch *batch);

/* Finishes all files; false: an error, which was printed. */
bool thread_outputs_finish(struct thread_outputs *outputs);

/* Closes and frees all; unfinished files are removed. */
void thread_outputs_free(struct thread_outputs *outputs);

#endif
