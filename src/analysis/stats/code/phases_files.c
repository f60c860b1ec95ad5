/* SPDX-License-Identifier: MIT */
/* Writers of the files of SimPoint 3. */
#include "polytrace/phases.h"

#include "analysis/core/analysis_instance.h"
#include "analysis/stats/code/phases.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"

#include <errno.h>
#include <inttypes.h>

/* Size in bytes at which the buffer is flushed. */
#define BUFFER_BYTES ((size_t)64 << 10)

/* Decimals of a weight. */
#define WEIGHT_ONE 100000000u

/* Buffered text of a sink. */
struct sink_text {
	struct buf text;
	const struct poly_sink *sink;
	int sys_errno; /* the first failure */
};

/* Writes the buffered text if it has at least min bytes. */
static void
flush_text(struct sink_text *out, size_t min)
{
	if (out->text.size < min || !out->text.size || out->text.failed || out->sys_errno)
		return;
	out->sys_errno = out->sink->write(out->sink->user, out->text.data, out->text.size);
	buf_clear(&out->text);
}

bool
poly_phases_counts(const struct poly_batch *batch, size_t row)
{
	return row_is_instruction(batch, row);
}

static const struct phases *
find_state(const struct poly_stats *stats)
{
	for (size_t i = 0; i < stats->count; i++) {
		if (stats->instances[i].analysis == &analysis_phases)
			return stats->instances[i].state;
	}
	return NULL;
}

static void
write_vectors(const struct phases *phases, struct sink_text *out)
{
	size_t at = 0;
	for (uint32_t i = 0; i < phases->interval_count && !out->text.failed; i++) {
		buf_string(&out->text, "T");
		for (; at < phases->intervals[i].end; at++)
			buf_printf(&out->text, ":%" PRIu32 ":%" PRIu64 " ",
				phases->counts[at].block + 1, phases->counts[at].count);
		buf_string(&out->text, "\n");
		flush_text(out, BUFFER_BYTES);
	}
}

/* Writes one line per phase. */
static void
write_phases(const struct phases *phases, const struct phase_result *result,
	enum poly_phases_file file, struct sink_text *out)
{
	for (uint32_t i = 0; i < result->clusters.k; i++) {
		const uint64_t n = phases->interval_count;
		const uint64_t weight = ((uint64_t)result->members[i] * WEIGHT_ONE + n / 2) / n;
		if (file == POLY_PHASES_SIMPOINTS)
			buf_printf(&out->text, "%" PRIu32 " %" PRIu32 "\n",
				result->representative[i], i);
		else
			buf_printf(&out->text, "%u.%08u %" PRIu32 "\n",
				(unsigned)(weight / WEIGHT_ONE),
				(unsigned)(weight % WEIGHT_ONE), i);
	}
}

/* Checks that a file can be written. */
static enum poly_status
check(const struct phases *phases, enum poly_phases_file file, struct poly_error *error)
{
	if (!phases)
		return err_usage(error,
			"no analysis 'phases' in the results; select it in options.analyses");
	if (file == POLY_PHASES_VECTORS && !phases->has_vectors)
		return err_usage(error, "no basic-block vectors in the results; set the option "
					"phases.vectors=1");
	if (file == POLY_PHASES_VECTORS && phases->counts_full)
		return err_set(error, POLY_ERR_MEMORY, POLY_NO_OFFSET,
			"the basic-block vectors have more than %zu counts; choose longer "
			"intervals with phases.interval",
			PHASES_COUNTS_MAX);
	return POLY_OK;
}

enum poly_status
poly_phases_write(const struct poly_stats *stats, enum poly_phases_file file,
	const struct poly_sink *sink, struct poly_error *error)
{
	const struct phases *phases = find_state(stats);
	struct sink_text out = {.sink = sink};
	enum poly_status status = check(phases, file, error);
	if (status != POLY_OK || !phases)
		return status;
	if (file == POLY_PHASES_VECTORS) {
		write_vectors(phases, &out);
	} else {
		struct phase_result *result = mem_new(1, sizeof *result);
		if (!result || !phases_find(phases, result)) {
			mem_free(result);
			return err_memory(error);
		}
		write_phases(phases, result, file, &out);
		phase_result_fini(result);
		mem_free(result);
	}
	flush_text(&out, 0);
	if (out.text.failed)
		status = err_memory(error);
	if (status == POLY_OK && out.sys_errno) {
		errno = out.sys_errno;
		status = err_system(error, POLY_NO_OFFSET, "cannot write");
	}
	buf_free(&out.text);
	return status;
}
