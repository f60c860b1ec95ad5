/* SPDX-License-Identifier: MIT */
/* Phases as the files of SimPoint 3. */
#include "polytrace/phases.h"

#include "analysis/analysis_instance.h"
#include "analysis/stats/phases.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"

#include <errno.h>
#include <inttypes.h>

/* Bytes that are gathered before they are handed over. */
#define FULL ((size_t)64 << 10)

/* Decimals of a weight. */
#define WEIGHT_ONE 100000000u

/* Text on its way to a sink. */
struct writing_text {
	struct buf text;
	const struct poly_sink *sink;
	int sys_errno; /* the first failure */
};

/* Hands over what has gathered, where it is worth it or all is done. */
static void
hand_over(struct writing_text *to, size_t least)
{
	if (to->text.size < least || !to->text.size || to->text.failed || to->sys_errno)
		return;
	to->sys_errno = to->sink->write(to->sink->user, to->text.data, to->text.size);
	buf_clear(&to->text);
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
write_vectors(const struct phases *phases, struct writing_text *to)
{
	size_t at = 0;
	for (uint32_t i = 0; i < phases->interval_count && !to->text.failed; i++) {
		buf_string(&to->text, "T");
		for (; at < phases->intervals[i].end; at++)
			buf_printf(&to->text, ":%" PRIu32 ":%" PRIu64 " ",
				phases->counts[at].block + 1, phases->counts[at].count);
		buf_string(&to->text, "\n");
		hand_over(to, FULL);
	}
}

/* A line a phase. */
static void
write_phases(const struct phases *phases, const struct phases_answer *answer,
	enum poly_phases_file file, struct writing_text *to)
{
	for (uint32_t i = 0; i < answer->clusters.k; i++) {
		const uint64_t n = phases->interval_count;
		const uint64_t weight = ((uint64_t)answer->members[i] * WEIGHT_ONE + n / 2) / n;
		if (file == POLY_PHASES_SIMPOINTS)
			buf_printf(&to->text, "%" PRIu32 " %" PRIu32 "\n",
				answer->representative[i], i);
		else
			buf_printf(&to->text, "%u.%08u %" PRIu32 "\n",
				(unsigned)(weight / WEIGHT_ONE),
				(unsigned)(weight % WEIGHT_ONE), i);
	}
}

/* What keeps a file from being written. */
static enum poly_status
check(const struct phases *phases, enum poly_phases_file file, struct poly_error *error)
{
	if (!phases)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"the analysis 'phases' was not asked for");
	if (file == POLY_PHASES_VECTORS && !phases->keeps_vectors)
		return err_set(error, POLY_ERR_USAGE, POLY_NO_OFFSET,
			"the vectors were not kept: phases.vectors=1");
	if (file == POLY_PHASES_VECTORS && phases->counts_full)
		return err_set(error, POLY_ERR_MEMORY, POLY_NO_OFFSET,
			"the vectors have more than %zu counts, which is the most that is "
			"kept; choose longer intervals with phases.interval",
			PHASES_COUNTS);
	return POLY_OK;
}

enum poly_status
poly_phases_write(const struct poly_stats *stats, enum poly_phases_file file,
	const struct poly_sink *sink, struct poly_error *error)
{
	const struct phases *phases = find_state(stats);
	struct writing_text to = {.sink = sink};
	enum poly_status status = check(phases, file, error);
	if (status != POLY_OK || !phases)
		return status;
	if (file == POLY_PHASES_VECTORS) {
		write_vectors(phases, &to);
	} else {
		struct phases_answer *answer = mem_new(1, sizeof *answer);
		if (!answer || !phases_answer(phases, answer)) {
			mem_free(answer);
			return err_memory(error);
		}
		write_phases(phases, answer, file, &to);
		phases_answer_fini(answer);
		mem_free(answer);
	}
	hand_over(&to, 0);
	if (to.text.failed)
		status = err_memory(error);
	if (status == POLY_OK && to.sys_errno) {
		errno = to.sys_errno;
		status = err_system(error, POLY_NO_OFFSET, "cannot be written");
	}
	buf_free(&to.text);
	return status;
}
