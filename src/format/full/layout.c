/* SPDX-License-Identifier: MIT */
/*
 * The five layouts of a FULL record, and its registers.
 *
 * spec: TT6 trace format (FULL trace format); Apple amber traces 4.7 (structures, fill
 * rules), 4.9.
 */
#include "format/full/full.h"

#include "isa/powerpc.h"

#include <stdio.h>
#include <string.h>

/* The thread state of 32 bits at offset t: w0 srr0, w1 srr1, w2 r0, w34 cr ... w39 vrsave. */
#define NARROW(t)                                                                     \
	.pc = (t), .msr = (t) + 4, .gpr = (t) + 8, .cr = (t) + 136, .xer = (t) + 140, \
	.lr = (t) + 144, .ctr = (t) + 148, .mq = (t) + 152, .vrsave = (t) + 156

/* The one of 64 bits; gap: padding between cr and xer, 0 if packed. */
#define WIDE(t, gap)                                                                 \
	.wide = true, .pc = (t), .msr = (t) + 8, .gpr = (t) + 16, .cr = (t) + 272,   \
	.xer = (t) + 276 + (gap), .lr = (t) + 284 + (gap), .ctr = (t) + 292 + (gap), \
	.vrsave = (t) + 300 + (gap)

const struct full_layout full_layouts[FULL_LAYOUTS] = {
	{.record = 1004, NARROW(4), .floats = 164, .vectors = 428},
	{.record = 1008, NARROW(4), .floats = 168, .vectors = 432},
	{.record = 1148, WIDE(4, 0), .floats = 308, .vectors = 572},
	{.record = 1152, WIDE(4, 0), .floats = 312, .vectors = 576},
	{.record = 1160, WIDE(8, 4), .floats = 320, .vectors = 584},
};

const struct full_layout *
full_layout_find(uint64_t record_size)
{
	for (size_t i = 0; i < FULL_LAYOUTS; i++) {
		if (full_layouts[i].record == record_size)
			return &full_layouts[i];
	}
	return NULL;
}

void
full_runs(const struct full_layout *layout, struct full_run runs[FULL_RUNS])
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
		{(uint16_t)(floats + FULL_FPSCR_PAD), 2, 4},
		{layout->vectors, (FULL_PAD6 + FULL_PAD6_SIZE) / 4, 4},
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
full_pads_set(const struct full_dialect *dialect, const uint8_t *record, const char **name)
{
	const struct full_layout *layout = dialect->layout;
	if (layout->mq && !all_zero(record + layout->mq, 4))
		*name = "mq";
	else if (!all_zero(record + layout->floats + FULL_FPSCR_PAD, 4))
		*name = "fpscr_pad";
	else if (!all_zero(record + layout->vectors + FULL_PAD5, FULL_PAD5_SIZE))
		*name = "save_pad5";
	else if (!all_zero(record + layout->vectors + FULL_PAD6, FULL_PAD6_SIZE))
		*name = "save_pad6";
	else
		return false;
	return true;
}

/* Loads a vector register: four words, so each word's bytes are reversed. */
static void
load_vector(const struct full_dialect *dialect, const uint8_t *p, uint8_t vector[16])
{
	for (size_t i = 0; i < 4; i++)
		store_be32(vector + 4 * i, full_word(dialect, p + 4 * i));
}

void
full_state(const struct full_dialect *dialect, const uint8_t *record,
	struct poly_powerpc_state *state)
{
	const struct full_layout *layout = dialect->layout;
	const uint8_t *floats = record + layout->floats, *vectors = record + layout->vectors;
	state->wide = !layout->mq;
	state->pc = full_register(dialect, record + layout->pc);
	state->msr = full_register(dialect, record + layout->msr);
	for (unsigned i = 0; i < 32; i++) {
		state->gpr[i] = full_gpr(dialect, record, i);
		state->fpr[i] = full_long(dialect, floats + (size_t)8 * i);
		load_vector(dialect, vectors + (size_t)16 * i, state->vr[i]);
	}
	state->cr = full_word(dialect, record + layout->cr);
	state->xer = full_register(dialect, record + layout->xer);
	state->lr = full_register(dialect, record + layout->lr);
	state->ctr = full_register(dialect, record + layout->ctr);
	state->mq = layout->mq ? full_word(dialect, record + layout->mq) : 0;
	state->vrsave = full_word(dialect, record + layout->vrsave);
	state->fpscr = full_word(dialect, floats + FULL_FPSCR);
	state->vscr = full_word(dialect, vectors + FULL_VSCR + 12);
	state->vrvalid = full_word(dialect, vectors + FULL_VRVALID);
}

enum poly_status
poly_powerpc_state_decode(const struct poly_batch *batch, size_t row,
	struct poly_powerpc_state *state, struct poly_error *error)
{
	uint64_t origin = POLY_NO_OFFSET;
	if (poly_present(batch, POLY_COLUMN_origin, row))
		origin = batch->origin[row];
	if (!poly_present(batch, POLY_COLUMN_payload, row))
		return err_set(error, POLY_ERR_FORMAT, origin,
			"the row has no 'payload', which contains the registers");
	size_t size;
	const uint8_t *payload = poly_batch_bytes(batch, POLY_COLUMN_payload, row, &size);
	const char *order = poly_trace_fact(batch->info, "amber.endian");
	struct full_dialect dialect = {.layout = full_layout_find((uint64_t)size + 4),
		.little = order && strcmp(order, "le") == 0};
	if (!dialect.layout)
		return err_set(error, POLY_ERR_FORMAT, origin,
			"the payload has %zu bytes, expected 1000, 1004, 1144, 1148 or 1156",
			size);
	uint8_t record[FULL_RECORD_MAX] = {0};
	memcpy(record + 4, payload, size);
	full_state(&dialect, record, state);
	return POLY_OK;
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
