/* SPDX-License-Identifier: MIT */
/* Writing the files of phases. */
#include "cli/phase_files.h"

#include "cli/say.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *const phases_alone[] = {"phases", NULL};

bool
phase_files_any(const struct phase_files *files)
{
	return files->vectors || files->simpoints || files->weights;
}

const char **
phase_files_ask(const struct phase_files *files, struct poly_stats_options *asked)
{
	size_t count = 0;
	if (phase_files_any(files) && !asked->analyses && !asked->all)
		asked->analyses = phases_alone;
	if (!files->vectors)
		return NULL;
	while (asked->options && asked->options[count])
		count++;
	const char **words = say_allocate(count + 2, sizeof *words);
	for (size_t i = 0; i < count; i++)
		words[i] = asked->options[i];
	words[count] = "phases.vectors=1";
	asked->options = words;
	return words;
}

/* A poly_write_fn whose user is a FILE. */
static int
write_file(void *file, const void *data, size_t size)
{
	errno = 0;
	return fwrite(data, 1, size, file) == size ? 0 : errno ? errno : EIO;
}

/* Writes one of them; a file that is not whole is taken away. */
static bool
write_one(const struct poly_stats *stats, enum poly_phases_file which, const char *path)
{
	struct poly_error error;
	if (!path)
		return true;
	FILE *file = fopen(path, "wb");
	if (!file) {
		say(path, "cannot be made: %s", strerror(errno));
		return false;
	}
	const struct poly_sink sink = {write_file, file};
	const bool written = poly_phases_write(stats, which, &sink, &error) == POLY_OK;
	const bool closed = fclose(file) == 0;
	if (!written)
		say_error(path, &error);
	else if (!closed)
		say(path, "cannot be written: %s", strerror(errno));
	if (!written || !closed)
		remove(path);
	return written && closed;
}

bool
phase_files_write(const struct phase_files *files, const struct poly_stats *stats)
{
	return write_one(stats, POLY_PHASES_VECTORS, files->vectors) &&
	       write_one(stats, POLY_PHASES_SIMPOINTS, files->simpoints) &&
	       write_one(stats, POLY_PHASES_WEIGHTS, files->weights);
}
