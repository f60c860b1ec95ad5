/* SPDX-License-Identifier: MIT */
/* Writes the files of phases. */
#include "cli/files/phase_files.h"

#include "cli/print/output_buffer.h"
#include "cli/print/diagnostics.h"

#include <string.h>

static const char *const phases_alone[] = {"phases", NULL};

bool
phase_files_any(const struct phase_files *files)
{
	return files->vectors || files->simpoints || files->weights;
}

/* Returns whether the analysis of phases runs; if not, writing a file reports it. */
static bool
finds_phases(const struct poly_stats_options *request)
{
	const char *const *names = request->analyses;
	while (names && *names && strcmp(*names, "phases") != 0)
		names++;
	return names ? *names != NULL : request->all;
}

const char **
phase_files_ask(const struct phase_files *files, struct poly_stats_options *request)
{
	size_t count = 0;
	if (phase_files_any(files) && !request->analyses && !request->all)
		request->analyses = phases_alone;
	if (!files->vectors || !finds_phases(request))
		return NULL;
	while (request->options && request->options[count])
		count++;
	const char **words = diag_allocate(count + 2, sizeof *words);
	for (size_t i = 0; i < count; i++)
		words[i] = request->options[i];
	words[count] = "phases.vectors=1";
	request->options = words;
	return words;
}

/* Writes one of the files, if it is requested. */
static bool
write_one(const struct poly_stats *stats, enum poly_phases_file which, const char *path)
{
	struct poly_error error;
	struct output_buffer save;
	if (!path)
		return true;
	output_buffer_open(&save);
	const struct poly_sink sink = output_buffer_sink(&save);
	const bool whole = poly_phases_write(stats, which, &sink, &error) == POLY_OK;
	if (!whole)
		diag_error(path, &error);
	return output_buffer_save(&save, path, whole);
}

bool
phase_files_write(const struct phase_files *files, const struct poly_stats *stats)
{
	return write_one(stats, POLY_PHASES_VECTORS, files->vectors) &&
	       write_one(stats, POLY_PHASES_SIMPOINTS, files->simpoints) &&
	       write_one(stats, POLY_PHASES_WEIGHTS, files->weights);
}
