/* SPDX-License-Identifier: MIT */
/*
 * Writes call stacks in the folded format, one per line: "main;work;step 120". In names ';' and
 * blanks become '_'.
 */
#include "analysis/queries/calls.h"

#include <string.h>

/* Appends a name, with separators replaced. */
static void
append_function(const struct call_graph *calls, uint32_t function, struct buf *line)
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
append_stack(const struct call_graph *calls, uint32_t number, struct buf *line)
{
	uint32_t path[CALLS_DEPTH], n = 0;
	for (; number != CALLS_NONE && n < CALLS_DEPTH; number = calls->nodes[number].parent)
		path[n++] = calls->nodes[number].function;
	while (n-- > 0) {
		append_function(calls, path[n], line);
		buf_byte(line, n ? ';' : ' ');
	}
}

enum poly_status
calls_fold(const void *state, size_t output, const struct static_ops *ops,
	struct output_text *text, struct poly_error *error)
{
	const struct call_graph *calls = state;
	(void)output;
	(void)ops;
	(void)error;
	for (uint32_t i = 0; i < calls->node_count && output_text_flush(text); i++) {
		if (!calls->nodes[i].self)
			continue;
		append_stack(calls, i, &text->buffer);
		buf_printf(&text->buffer, "%llu\n", (unsigned long long)calls->nodes[i].self);
	}
	return POLY_OK;
}
