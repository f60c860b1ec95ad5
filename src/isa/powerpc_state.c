/* SPDX-License-Identifier: MIT */
/*
 * The five layouts of a PowerPC register state, and its decoding.
 *
 * spec: TT6 trace format (FULL trace format); Apple amber traces 4.7 (structures, fill rules).
 */
#include "isa/powerpc_state.h"

#include "base/err.h"
#include "model/batch.h"

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

const struct powerpc_layout powerpc_layouts[POWERPC_LAYOUTS] = {
	{.record = 1004, NARROW(4), .floats = 164, .vectors = 428},
	{.record = 1008, NARROW(4), .floats = 168, .vectors = 432},
	{.record = 1148, WIDE(4, 0), .floats = 308, .vectors = 572},
	{.record = 1152, WIDE(4, 0), .floats = 312, .vectors = 576},
	{.record = 1160, WIDE(8, 4), .floats = 320, .vectors = 584},
};

const struct powerpc_layout *
powerpc_layout_find(uint64_t record_size)
{
	for (size_t i = 0; i < POWERPC_LAYOUTS; i++) {
		if (powerpc_layouts[i].record == record_size)
			return &powerpc_layouts[i];
	}
	return NULL;
}

/* Loads a vector register: four words, so each word's bytes are reversed. */
static void
load_vector(const struct powerpc_dialect *dialect, const uint8_t *p, uint8_t vector[16])
{
	for (size_t i = 0; i < 4; i++)
		store_be32(vector + 4 * i, powerpc_word(dialect, p + 4 * i));
}

static void
decode_state(const struct powerpc_dialect *dialect, const uint8_t *record,
	struct poly_powerpc_state *state)
{
	const struct powerpc_layout *layout = dialect->layout;
	const uint8_t *floats = record + layout->floats, *vectors = record + layout->vectors;
	state->wide = !layout->mq;
	state->pc = powerpc_state_register(dialect, record + layout->pc);
	state->msr = powerpc_state_register(dialect, record + layout->msr);
	for (unsigned i = 0; i < 32; i++) {
		state->gpr[i] = powerpc_gpr(dialect, record, i);
		state->fpr[i] = powerpc_long(dialect, floats + (size_t)8 * i);
		load_vector(dialect, vectors + (size_t)16 * i, state->vr[i]);
	}
	state->cr = powerpc_word(dialect, record + layout->cr);
	state->xer = powerpc_state_register(dialect, record + layout->xer);
	state->lr = powerpc_state_register(dialect, record + layout->lr);
	state->ctr = powerpc_state_register(dialect, record + layout->ctr);
	state->mq = layout->mq ? powerpc_word(dialect, record + layout->mq) : 0;
	state->vrsave = powerpc_word(dialect, record + layout->vrsave);
	state->fpscr = powerpc_word(dialect, floats + POWERPC_FPSCR_OFFSET);
	state->vscr = powerpc_word(dialect, vectors + POWERPC_VSCR_OFFSET + 12);
	state->vrvalid = powerpc_word(dialect, vectors + POWERPC_VRVALID);
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
	struct powerpc_dialect dialect = {.layout = powerpc_layout_find((uint64_t)size + 4),
		.little = order && strcmp(order, "le") == 0};
	if (!dialect.layout)
		return err_set(error, POLY_ERR_FORMAT, origin,
			"the payload has %zu bytes, expected 1000, 1004, 1144, 1148 or 1156",
			size);
	uint8_t record[POWERPC_RECORD_MAX] = {0};
	memcpy(record + 4, payload, size);
	decode_state(&dialect, record, state);
	return POLY_OK;
}
