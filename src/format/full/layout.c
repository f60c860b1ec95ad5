/* SPDX-License-Identifier: MIT */
/*
 * The runs of numbers and the padding of a FULL record; synchronisation records.
 *
 * spec: TT6 trace format (FULL trace format); Apple amber traces 4.7 (fill rules), 4.9.
 */
#include "format/full/full.h"

#include <string.h>

void
full_runs(const struct powerpc_layout *layout, struct full_run runs[FULL_RUNS])
{
	uint16_t unit = layout->wide ? 8 : 4, floats = layout->floats;
	const struct full_run all[FULL_RUNS] = {
		{layout->pc, 1, unit},
		{layout->msr, 1, unit},
		{layout->gpr, 32, unit},
		{layout->cr, 1, 4},
		{layout->xer, 1, unit},
		{layout->lr, 1, unit},
		{layout->ctr, 1, unit},
		{layout->mq, layout->mq ? 1 : 0, 4},
		{layout->vrsave, 1, 4},
		{floats, 32, 8},
		{(uint16_t)(floats + POWERPC_FPSCR_PAD), 2, 4},
		{layout->vectors, (POWERPC_PAD6 + POWERPC_PAD6_SIZE) / 4, 4},
	};
	memcpy(runs, all, sizeof all);
}

static bool
all_zero(const uint8_t *p, size_t n)
{
	uint8_t any = 0;
	for (size_t i = 0; i < n; i++)
		any |= p[i];
	return any == 0;
}

bool
full_pads_set(const struct powerpc_dialect *dialect, const uint8_t *record, const char **name)
{
	const struct powerpc_layout *layout = dialect->layout;
	if (layout->mq && !all_zero(record + layout->mq, 4))
		*name = "mq";
	else if (!all_zero(record + layout->floats + POWERPC_FPSCR_PAD, 4))
		*name = "fpscr_pad";
	else if (!all_zero(record + layout->vectors + POWERPC_PAD5, POWERPC_PAD5_SIZE))
		*name = "save_pad5";
	else if (!all_zero(record + layout->vectors + POWERPC_PAD6, POWERPC_PAD6_SIZE))
		*name = "save_pad6";
	else
		return false;
	return true;
}

static const uint32_t sync_words[POLY_SYNC_COUNT] = {
	[POLY_SYNC_SIGNAL] = 0x00200002,
	[POLY_SYNC_BROADCAST] = 0x00210002,
	[POLY_SYNC_WAIT] = 0x00300002,
	[POLY_SYNC_TRYWAIT] = 0x00310002,
};

int
full_sync_find(uint32_t word)
{
	for (int i = 0; i < POLY_SYNC_COUNT; i++) {
		if (sync_words[i] == word)
			return i;
	}
	return -1;
}

uint32_t
full_sync_word(unsigned sync)
{
	return sync_words[sync];
}
