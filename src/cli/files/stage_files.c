/* SPDX-License-Identifier: MIT */
/* Writes the stages of a pipeline. */
#include "cli/files/stage_files.h"

#include "cli/print/output_buffer.h"
#include "cli/print/diagnostics.h"

bool
stage_files_any(const struct stage_files *files)
{
	return files->konata || files->diagram;
}

/* Writes one of the files; false: an error, which was printed. */
static bool
write_one(const struct poly_stats *stats, enum poly_stages_form form, const char *path)
{
	struct poly_error error;
	struct output_buffer save;
	if (!path)
		return true;
	output_buffer_open(&save);
	const struct poly_sink sink = output_buffer_sink(&save);
	const bool whole = poly_stages_write(stats, form, &sink, &error) == POLY_OK;
	if (!whole)
		diag_error(path, &error);
	return output_buffer_save(&save, path, whole);
}

bool
stage_files_write(const struct stage_files *files, const struct poly_stats *stats)
{
	return write_one(stats, POLY_STAGES_KONATA, files->konata) &&
	       write_one(stats, POLY_STAGES_SVG, files->diagram);
}
