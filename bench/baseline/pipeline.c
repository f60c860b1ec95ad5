/* SPDX-License-Identifier: MIT */
#include "pipeline.h"

#include <stdlib.h>

enum { REGISTERS = 50, FLAGS = 49 };

static int
is_ready(const int *board, int reg)
{
	return reg < 0 || board[reg] == 0;
}

static int
can_issue(const int *board, const struct baseline_uop *uop)
{
	return is_ready(board, uop->src1) && is_ready(board, uop->src2) &&
	       is_ready(board, uop->dest) && (uop->flags == '-' || is_ready(board, FLAGS));
}

uint64_t
baseline_inorder(const struct baseline_uop *uops, size_t n, int width, int load_latency)
{
	int board[REGISTERS] = {0};
	uint64_t cycle = 0;
	size_t next = 0;
	while (next < n) {
		for (int i = 0; i < width && next < n && can_issue(board, &uops[next]); i++) {
			const struct baseline_uop *uop = &uops[next++];
			int latency = uop->ldst == 'L' ? load_latency : 1;
			if (uop->dest >= 0)
				board[uop->dest] = latency;
			if (uop->flags == 'W')
				board[FLAGS] = latency;
			if (uop->branch == 'T')
				break;
		}
		for (int i = 0; i < REGISTERS; i++) {
			if (board[i] > 0)
				board[i]--;
		}
		cycle++;
	}
	return cycle;
}

/*
 * An entry of the reorder buffer: the producers of its sources, by number of micro-op from 1.
 */
struct rob_entry {
	uint64_t sources[3];
	uint64_t done; /* 0: not issued yet */
	int latency;
};

static void
rename_uop(struct rob_entry *entry, const struct baseline_uop *uop, uint64_t *makers,
	uint64_t number)
{
	entry->sources[0] = uop->src1 < 0 ? 0 : makers[uop->src1];
	entry->sources[1] = uop->src2 < 0 ? 0 : makers[uop->src2];
	entry->sources[2] = uop->flags == 'R' ? makers[FLAGS] : 0;
	if (uop->dest >= 0)
		makers[uop->dest] = number;
	if (uop->flags == 'W')
		makers[FLAGS] = number;
	entry->done = 0;
}

/* True if a micro-op is done: it has committed, or is in the buffer and done. */
static int
is_done(const struct rob_entry *buffer, int size, uint64_t number, uint64_t oldest,
	uint64_t cycle)
{
	if (number < oldest)
		return 1;
	const struct rob_entry *entry = &buffer[number % (uint64_t)size];
	return entry->done && entry->done <= cycle;
}

uint64_t
baseline_ooo(const struct baseline_uop *uops, size_t n, int width, int size, int load_latency)
{
	struct rob_entry *buffer = calloc((size_t)size, sizeof *buffer);
	uint64_t makers[REGISTERS] = {0}, cycle = 0, oldest = 1, next = 1;
	while (buffer && oldest <= n) {
		for (int i = 0; i < width && oldest < next; i++) {
			if (!is_done(buffer, size, oldest, oldest, cycle))
				break;
			oldest++;
		}
		int issued = 0;
		for (uint64_t k = oldest; k < next && issued < width; k++) {
			struct rob_entry *entry = &buffer[k % (uint64_t)size];
			if (entry->done ||
				!is_done(buffer, size, entry->sources[0], oldest, cycle) ||
				!is_done(buffer, size, entry->sources[1], oldest, cycle) ||
				!is_done(buffer, size, entry->sources[2], oldest, cycle))
				continue;
			entry->done = cycle + (uint64_t)entry->latency;
			issued++;
		}
		for (int i = 0; i < width && next <= n && next - oldest < (uint64_t)size; i++) {
			struct rob_entry *entry = &buffer[next % (uint64_t)size];
			rename_uop(entry, &uops[next - 1], makers, next);
			entry->latency = uops[next - 1].ldst == 'L' ? load_latency : 1;
			next++;
		}
		cycle++;
	}
	free(buffer);
	return cycle;
}
