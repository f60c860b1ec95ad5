/* SPDX-License-Identifier: MIT */
/* Writes outputs of analyses to files. */
#include "cli/files/analysis_file.h"

#include "cli/print/output_buffer.h"
#include "cli/print/diagnostics.h"

bool
analysis_file_write(const struct poly_stats *stats, const char *analysis, const char *output,
	const char *path)
{
	struct poly_error error;
	struct output_buffer buffer;
	if (!path)
		return true;
	output_buffer_open(&buffer);
	const struct poly_sink sink = output_buffer_sink(&buffer);
	const bool whole = poly_stats_write(stats, analysis, output, &sink, &error) == POLY_OK;
	if (!whole)
		diag_error(path, &error);
	return output_buffer_save(&buffer, path, whole);
}
