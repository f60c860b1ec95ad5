/* SPDX-License-Identifier: MIT */
/* Writers of the files of SimPoint 3. */
#include "analysis/stats/code/phases.h"

#include "base/err.h"
#include "base/mem.h"

#include <inttypes.h>

/* Decimals of a weight. */
#define WEIGHT_ONE 100000000u

static void
write_vectors(const struct phases *phases, struct output_text *out)
{
	size_t at = 0;
	for (uint32_t i = 0; i < phases->interval_count && output_text_flush(out); i++) {
		buf_string(&out->buffer, "T");
		for (; at < phases->intervals[i].end; at++)
			buf_printf(&out->buffer, ":%" PRIu32 ":%" PRIu64 " ",
				phases->counts[at].block + 1, phases->counts[at].count);
		buf_string(&out->buffer, "\n");
	}
}

/* Writes one line per phase. */
static void
write_phases(const struct phases *phases, const struct phase_result *result, bool has_weights,
	struct output_text *out)
{
	for (uint32_t i = 0; i < result->clusters.k; i++) {
		const uint64_t n = phases->interval_count;
		const uint64_t weight = ((uint64_t)result->members[i] * WEIGHT_ONE + n / 2) / n;
		if (!has_weights)
			buf_printf(&out->buffer, "%" PRIu32 " %" PRIu32 "\n",
				result->representative[i], i);
		else
			buf_printf(&out->buffer, "%u.%08u %" PRIu32 "\n",
				(unsigned)(weight / WEIGHT_ONE),
				(unsigned)(weight % WEIGHT_ONE), i);
	}
}

/* Checks that vectors can be written. */
static enum poly_status
check_vectors(const struct phases *phases, struct poly_error *error)
{
	if (!phases->has_vectors)
		return err_usage(error, "no basic-block vectors in the results; set the option "
					"phases.vectors=1");
	if (phases->counts_full)
		return err_set(error, POLY_ERR_MEMORY, POLY_NO_OFFSET,
			"the basic-block vectors have more than %zu counts; choose longer "
			"intervals with phases.interval",
			PHASES_COUNTS_MAX);
	return POLY_OK;
}

enum poly_status
phases_write(const void *state, size_t output, const struct static_ops *ops,
	struct output_text *text, struct poly_error *error)
{
	const struct phases *phases = state;
	(void)ops;
	if (output == PHASES_VECTORS) {
		const enum poly_status status = check_vectors(phases, error);
		if (status == POLY_OK)
			write_vectors(phases, text);
		return status;
	}
	struct phase_result *result = mem_new(1, sizeof *result);
	const bool found = result && phases_find(phases, result);
	if (found) {
		write_phases(phases, result, output == PHASES_WEIGHTS, text);
		phase_result_fini(result);
	}
	mem_free(result);
	return found ? POLY_OK : err_memory(error);
}
