/* SPDX-License-Identifier: MIT */
/* Files that appear when they are complete. */
#include "cli/output_buffer.h"

#include "polytrace/templates.h"

#include "cli/diagnostics.h"

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
output_buffer_open(struct output_buffer *save)
{
	*save = (struct output_buffer){0};
	save->stream = open_memstream(&save->text, &save->size);
	if (!save->stream)
		diag_no_memory();
}

struct poly_sink
output_buffer_sink(struct output_buffer *save)
{
	return (struct poly_sink){write_stream, save->stream};
}

bool
output_buffer_save(struct output_buffer *save, const char *path, bool whole)
{
	struct poly_error error;
	if (fclose(save->stream) != 0)
		diag_no_memory();
	const bool saved = whole && poly_template_text_save(
					    path, save->text, save->size, &error) == POLY_OK;
	if (whole && !saved)
		diag_error(path, &error);
	free(save->text);
	return saved;
}
