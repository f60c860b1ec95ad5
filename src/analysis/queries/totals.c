/* SPDX-License-Identifier: MIT */
/* Key figures of a trace, which a summary has more of. */
#include "analysis/queries/summary.h"

static const struct poly_option no_options[] = {{0}};

const struct analysis analysis_totals = {
	.info = {.name = "totals",
		.title = "Totals",
		.summary = "numbers of records, instructions, accesses and accessed bytes",
		.wants = POLY_COLUMNS_INIT(TOTALS_COLUMNS),
		.kind = POLY_ANALYSIS_QUERY,
		.options = no_options},
	.is_cheap = true,
	.state_size = sizeof(struct summary),
	.init = summary_init,
	.begin = summary_begin,
	.update = totals_update,
	.merge = summary_merge,
	.transfer = summary_transfer,
	.report = totals_report,
	.fini = summary_fini,
};
