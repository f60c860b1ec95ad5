/* SPDX-License-Identifier: MIT */
/* Files that appear when they are complete. */
#include "cli/save.h"

#include "polytrace/templates.h"

#include "cli/say.h"

#include <stdlib.h>

/* A poly_write_fn whose user is a stream. */
static int
write_stream(void *stream, const void *data, size_t size)
{
	if (fwrite(data, 1, size, stream) != size)
		say_no_memory();
	return 0;
}

void
save_begin(struct save *save)
{
	*save = (struct save){0};
	save->stream = open_memstream(&save->text, &save->size);
	if (!save->stream)
		say_no_memory();
}

struct poly_sink
save_sink(struct save *save)
{
	return (struct poly_sink){write_stream, save->stream};
}

bool
save_end(struct save *save, const char *path, bool whole)
{
	struct poly_error error;
	if (fclose(save->stream) != 0)
		say_no_memory();
	const bool saved = whole && poly_template_text_save(
					    path, save->text, save->size, &error) == POLY_OK;
	if (whole && !saved)
		say_error(path, &error);
	free(save->text);
	return saved;
}
