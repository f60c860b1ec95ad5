/* SPDX-License-Identifier: MIT */
/* Homework 2a: a scoreboard. */
#include "course/scoreboard.h"

#include "course/text.h"

#include "base/err.h"

#include <inttypes.h>
#include <string.h>

enum poly_status
course_scoreboard_init(struct course_scoreboard *scoreboard, unsigned latency, bool is_relaxed,
	struct poly_error *error)
{
	if (!latency || latency > COURSE_LATENCY_MAX)
		return err_usage(error, "load latency: found %u cycles, expected 1 to %d",
			latency, COURSE_LATENCY_MAX);
	memset(scoreboard, 0, sizeof *scoreboard);
	scoreboard->latency = latency;
	scoreboard->is_relaxed = is_relaxed;
	return POLY_OK;
}

void
course_scoreboard_begin(
	const struct course_scoreboard *scoreboard, const char *name, struct buf *out)
{
	course_text_name(out, name);
	buf_printf(out, "Load Latency (cycles) \t\t\t%u\n", scoreboard->latency);
	if (!scoreboard->is_quiet)
		buf_string(out, "cycle\tuop  Src1 (ready?)\tSrc2 (ready?)\tDestReg\tLdSt\t"
				"contents-of-the-scoreboard\n");
}

static bool
is_ready(const struct course_scoreboard *scoreboard, int32_t source)
{
	return !course_is_register(source) || !scoreboard->board[source];
}

static bool
may_write(const struct course_scoreboard *scoreboard, int32_t dest, unsigned latency)
{
	return scoreboard->is_relaxed || !course_is_register(dest) ||
	       scoreboard->board[dest] < latency;
}

static const char *
ready_text(bool ready)
{
	return ready ? "Ready" : "NotReady";
}

/* Simulates a cycle; returns whether the micro-op issued. */
static bool
attempt(struct course_scoreboard *scoreboard, const struct course_uop *uop, struct buf *out)
{
	unsigned latency = uop->ldst == 'L' ? scoreboard->latency : 1;
	bool first = is_ready(scoreboard, uop->src1), second = is_ready(scoreboard, uop->src2);
	bool issues = first && second && may_write(scoreboard, uop->dest, latency);
	if (issues && course_is_register(uop->dest))
		scoreboard->board[uop->dest] = latency;
	if (!scoreboard->is_quiet) {
		buf_printf(out,
			"%5" PRIu64 " %4" PRIu64 "\t%2" PRId32 " (%s)\t%2" PRId32
			" (%s)\t--> %2" PRId32 "\t%c\t",
			scoreboard->cycle, uop->number, uop->src1, ready_text(first), uop->src2,
			ready_text(second), uop->dest, uop->ldst);
		course_text_board(out, scoreboard->board);
		buf_byte(out, '\n');
	}
	for (int i = 0; i < COURSE_REGISTERS; i++)
		scoreboard->board[i] -= scoreboard->board[i] > 0;
	scoreboard->cycle++;
	return issues;
}

void
course_scoreboard_uop(
	struct course_scoreboard *scoreboard, const struct course_uop *uop, struct buf *out)
{
	course_count(&scoreboard->count, uop);
	while (!attempt(scoreboard, uop, out))
		continue;
}

void
course_scoreboard_end(const struct course_scoreboard *scoreboard, struct buf *out)
{
	double cycles = (double)scoreboard->cycle, uops = (double)scoreboard->count.uops;
	course_text_processed(out, scoreboard->count.uops);
	buf_printf(out, "Num Mops (macro-ops): \t\t\t%" PRIu64 "\n", scoreboard->count.mops);
	buf_printf(out, "Total Execution Time (in cycles): \t%" PRIu64 "\n", scoreboard->cycle);
	buf_printf(out, "CPI (per uop): \t\t\t\t%.3f\n", uops > 0 ? cycles / uops : 0.0);
	buf_printf(out, "IPC (per uop): \t\t\t\t%.3f\n", cycles > 0 ? uops / cycles : 0.0);
}
