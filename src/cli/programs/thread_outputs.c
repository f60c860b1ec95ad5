/* SPDX-License-Identifier: MIT */
/* The output files of a recording. */
#include "cli/programs/thread_outputs.h"

#include "cli/command.h"
#include "cli/print/diagnostics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Maximum number of simultaneously open files. */
#define FILES_MAX 256

/* Opens the file of a thread. */
static bool
open_file(struct thread_outputs *outputs, size_t index)
{
	struct split_output *item = &outputs->items[index];
	char value[40];
	snprintf(value, sizeof value, "thread_%03zu", index + 1);
	if (outputs->files == THREADS_SPLIT && (index || outputs->names_all)) {
		split_output_name(item, outputs->path, value);
	} else {
		const size_t size = strlen(outputs->path) + 1;
		item->path = memcpy(diag_allocate(size, 1), outputs->path, size);
	}
	return output_is_allowed(&outputs->policy, item->path) &&
	       split_output_open(item, outputs->info, outputs->options);
}

bool
thread_outputs_open(struct thread_outputs *outputs, enum thread_files files)
{
	const struct poly_format_info *format = poly_format_find(outputs->options->format);
	const bool holds = POLY_HAS(format->columns, thread);
	outputs->names_all = files == THREADS_SPLIT;
	outputs->files = files == THREADS_AUTO ? holds ? THREADS_MERGED : THREADS_SPLIT : files;
	outputs->items = diag_allocate(FILES_MAX, sizeof *outputs->items);
	outputs->count = !outputs->names_all;
	return outputs->names_all || open_file(outputs, 0);
}

/* Returns the file of a thread; NULL, after a message, on failure. */
static struct split_output *
find_file(struct thread_outputs *outputs, uint64_t thread)
{
	const size_t index = outputs->files == THREADS_MERGED ? 0 : (size_t)thread - 1;
	if (index >= FILES_MAX) {
		diag_print("record",
			"more than %d threads, each with a file of its own; use "
			"'--threads=merged' and a format that holds threads",
			FILES_MAX);
		return NULL;
	}
	if (index >= outputs->count)
		outputs->count = index + 1;
	struct split_output *item = &outputs->items[index];
	return item->path || open_file(outputs, index) ? item : NULL;
}

bool
thread_outputs_write(struct thread_outputs *outputs, const struct poly_batch *batch)
{
	struct poly_error error;
	struct split_output *item = find_file(outputs, batch->thread[0]);
	if (!item)
		return false;
	if (poly_writer_write(item->output.writer, batch, &error) == POLY_OK)
		return true;
	trace_output_failed(&item->output, "record", &error);
	return false;
}

bool
thread_outputs_finish(struct thread_outputs *outputs)
{
	bool done = true;
	for (size_t i = 0; i < outputs->count; i++) {
		if (outputs->items[i].path)
			done &= split_output_finish(&outputs->items[i]);
	}
	return done;
}

void
thread_outputs_free(struct thread_outputs *outputs)
{
	for (size_t i = 0; i < outputs->count; i++)
		split_output_discard(&outputs->items[i]);
	free(outputs->items);
	outputs->items = NULL;
	outputs->count = 0;
}
