/* SPDX-License-Identifier: MIT */
/* Findings and errors at an entry, with the name of its file. */
#include "base/err.h"
#include "format/drmemtrace/drmemtrace.h"

#include <stdarg.h>
#include <stdio.h>

/* Formats a message with the name of the file. */
static void
format_message(
	const struct drm_stream *stream, char text[300], const char *message, va_list list)
{
	size_t used = 0;
	if (stream->name)
		used = (size_t)snprintf(text, 300, "%.120s: ", stream->name);
	vsnprintf(text + used, 300 - used, message, list);
}

void
drm_find(const struct drm_cursor *cursor, enum drm_rule rule, const char *message, ...)
{
	char text[300];
	va_list list;
	va_start(list, message);
	format_message(cursor->stream, text, message, list);
	va_end(list);
	findings_add(cursor->reading->findings, rule,
		cursor->reading->record + cursor->batch->view.rows + 1, cursor->offset, "%s",
		text);
}

enum poly_status
drm_fail(const struct drm_cursor *cursor, enum drm_rule rule, struct poly_error *error,
	const char *message, ...)
{
	char text[300];
	va_list list;
	va_start(list, message);
	format_message(cursor->stream, text, message, list);
	va_end(list);
	if (!cursor->batch->view.rows)
		findings_add(cursor->reading->findings, rule, cursor->reading->record + 1,
			cursor->offset, "%s", text);
	return err_set(error, POLY_ERR_FORMAT, cursor->offset, "%s: %s",
		cursor->reading->findings->rules[rule].code, text);
}
