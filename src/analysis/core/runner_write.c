/* SPDX-License-Identifier: MIT */
/* Writes the outputs of analyses. */
#include "analysis/core/analysis_instance.h"

#include "base/err.h"

#include <errno.h>
#include <string.h>

/* Size in bytes at which the buffer is written. */
#define BUFFER_BYTES ((size_t)64 << 10)

/* Writes the buffered text if it has more than min bytes. */
static bool
flush(struct output_text *text, size_t min)
{
	struct buf *buffer = &text->buffer;
	if (buffer->size > min && !buffer->failed && !text->sys_errno) {
		text->sys_errno =
			text->sink->write(text->sink->user, buffer->data, buffer->size);
		buf_clear(buffer);
	}
	return !buffer->failed && !text->sys_errno;
}

bool
output_text_flush(struct output_text *text)
{
	return flush(text, BUFFER_BYTES);
}

/* Writes an output of an analysis that has it. */
static enum poly_status
write_output(const struct poly_stats *stats, const struct analysis_instance *instance,
	size_t output, const struct poly_sink *sink, struct poly_error *error)
{
	struct output_text text = {.sink = sink};
	enum poly_status status = instance->analysis->write(
		instance->state, output, &stats->ops, &text, error);
	if (status == POLY_OK && !flush(&text, 0)) {
		errno = text.sys_errno;
		status = text.sys_errno ? err_system(error, POLY_NO_OFFSET, "cannot write")
					: err_memory(error);
	}
	buf_free(&text.buffer);
	return status;
}

enum poly_status
poly_stats_write(const struct poly_stats *stats, const char *analysis, const char *output,
	const struct poly_sink *sink, struct poly_error *error)
{
	size_t i = 0, k = 0;
	while (i < stats->count &&
		strcmp(stats->instances[i].analysis->info.name, analysis) != 0)
		i++;
	if (i == stats->count)
		return err_usage(error,
			"no analysis '%.60s' in the results; select it in options.analyses",
			analysis);
	const struct poly_analysis_output *outputs =
		stats->instances[i].analysis->info.outputs;
	while (outputs && outputs[k].name && strcmp(outputs[k].name, output) != 0)
		k++;
	if (!outputs || !outputs[k].name)
		return err_usage(error, "analysis '%.60s' has no output '%.60s'", analysis,
			output);
	return write_output(stats, &stats->instances[i], k, sink, error);
}
