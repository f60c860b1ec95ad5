/* SPDX-License-Identifier: MIT */
/* Files that are buffered in memory. */
#include "cli/print/output_buffer.h"

#include "polytrace/templates.h"

#include "cli/print/diagnostics.h"

#include <stdlib.h>

/* A poly_write_fn whose user is a stream. */
static int
write_stream(void *stream, const void *data, size_t size)
{
	if (fwrite(data, 1, size, stream) != size)
		diag_no_memory();
	return 0;
}

void
output_buffer_open(struct output_buffer *buffer)
{
	*buffer = (struct output_buffer){0};
	buffer->stream = open_memstream(&buffer->text, &buffer->size);
	if (!buffer->stream)
		diag_no_memory();
}

struct poly_sink
output_buffer_sink(struct output_buffer *buffer)
{
	return (struct poly_sink){write_stream, buffer->stream};
}

bool
output_buffer_save(struct output_buffer *buffer, const char *path, bool complete)
{
	struct poly_error error;
	if (fclose(buffer->stream) != 0)
		diag_no_memory();
	const bool saved = complete && poly_template_text_save(path, buffer->text, buffer->size,
					       &error) == POLY_OK;
	if (complete && !saved)
		diag_error(path, &error);
	free(buffer->text);
	return saved;
}
