/* SPDX-License-Identifier: MIT */
/* A file that the library writes through a sink. */
#include "cli/sink_file.h"

#include "cli/say.h"

#include <errno.h>
#include <string.h>

/* A poly_write_fn whose user is a FILE. */
static int
write_file(void *file, const void *data, size_t size)
{
	errno = 0;
	return fwrite(data, 1, size, file) == size ? 0 : errno ? errno : EIO;
}

bool
sink_file_open(struct sink_file *to, const char *path)
{
	to->path = path;
	to->file = fopen(path, "wb");
	if (!to->file) {
		say(path, "cannot be made: %s", strerror(errno));
		return false;
	}
	to->sink = (struct poly_sink){write_file, to->file};
	return true;
}

bool
sink_file_close(struct sink_file *to, enum poly_status status, const struct poly_error *error)
{
	const bool closed = fclose(to->file) == 0;
	if (status != POLY_OK)
		say_error(to->path, error);
	else if (!closed)
		say(to->path, "cannot be written: %s", strerror(errno));
	if (status == POLY_OK && closed)
		return true;
	remove(to->path);
	return false;
}
