/* SPDX-License-Identifier: MIT */
/* Writing the stages of a pipeline. */
#include "cli/stage_files.h"

#include "cli/sink_file.h"

bool
stage_files_any(const struct stage_files *files)
{
	return files->konata || files->diagram;
}

/* Writes one of them; false, and told, where it cannot be. */
static bool
write_one(const struct poly_stats *stats, enum poly_stages_form form, const char *path)
{
	struct sink_file to;
	struct poly_error error;
	if (!path)
		return true;
	if (!sink_file_open(&to, path))
		return false;
	return sink_file_close(&to, poly_stages_write(stats, form, &to.sink, &error), &error);
}

bool
stage_files_write(const struct stage_files *files, const struct poly_stats *stats)
{
	return write_one(stats, POLY_STAGES_KONATA, files->konata) &&
	       write_one(stats, POLY_STAGES_SVG, files->diagram);
}
