/* SPDX-License-Identifier: MIT */
/* Writes call stacks in the folded format, one per line. */
#include "analysis/queries/calls.h"

#include "base/buf.h"
#include "base/err.h"

#include <string.h>

/* Appends a name, with separators replaced. */
static void
append_function(const struct poly_calls *calls, uint32_t function, struct buf *line)
{
	const struct calls_function *entry = &calls->functions[function];
	if (!entry->symbol) {
		buf_printf(line, "0x%llx", (unsigned long long)entry->entry);
		return;
	}
	for (const char *p = entry->symbol->name; *p; p++)
		buf_byte(line, strchr("; \t\r\n", *p) ? '_' : (uint8_t)*p);
}

static void
append_stack(const struct poly_calls *calls, uint32_t number, struct buf *line)
{
	uint32_t path[POLY_CALLS_DEPTH], n = 0;
	for (; number != CALLS_NONE && n < POLY_CALLS_DEPTH;
		number = calls->nodes[number].parent)
		path[n++] = calls->nodes[number].function;
	while (n-- > 0) {
		append_function(calls, path[n], line);
		buf_byte(line, n ? ';' : ' ');
	}
}

enum poly_status
poly_calls_fold(
	const struct poly_calls *calls, const struct poly_sink *sink, struct poly_error *error)
{
	struct buf line = {0};
	enum poly_status status = POLY_OK;
	for (uint32_t i = 0; i < calls->node_count && status == POLY_OK; i++) {
		if (!calls->nodes[i].self)
			continue;
		buf_clear(&line);
		append_stack(calls, i, &line);
		buf_printf(&line, "%llu\n", (unsigned long long)calls->nodes[i].self);
		if (line.failed) {
			status = err_memory(error);
			continue;
		}
		const int failure = sink->write(sink->user, line.data, line.size);
		if (failure) {
			status = err_set(error, POLY_ERR_IO, POLY_NO_OFFSET,
				"cannot write the stacks: %s", strerror(failure));
			if (error)
				error->sys_errno = failure;
		}
	}
	buf_free(&line);
	return status;
}
