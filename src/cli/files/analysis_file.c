/* SPDX-License-Identifier: MIT */
/* Writes outputs of analyses to files. */
#include "cli/files/analysis_file.h"

#include "polytrace/byte_output.h"

#include "cli/files/output_policy.h"
#include "cli/print/diagnostics.h"

bool
analysis_file_write(const struct poly_stats *stats, const char *analysis, const char *output,
	const char *path, bool partial)
{
	struct poly_error error;
	struct poly_byte_output *file;
	if (!path)
		return true;
	if (partial && !output_accepts_partial(path))
		return false;
	enum poly_status status = poly_byte_output_open(path, true, &file, &error);
	if (status == POLY_OK) {
		const struct poly_sink sink = {poly_byte_output_write, file};
		status = poly_stats_write(stats, analysis, output, &sink, &error);
	}
	if (status == POLY_OK)
		status = poly_byte_output_finish(file, &error);
	if (status != POLY_OK)
		diag_error(path, &error);
	poly_byte_output_close(file);
	return status == POLY_OK;
}
