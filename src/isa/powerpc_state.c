/* SPDX-License-Identifier: MIT */
/*
 * The five layouts of a PowerPC register state, and its decoding.
 *
 * spec: TT6 trace format (FULL trace format); Apple amber traces 4.7 (structures, fill rules).
 */
#include "isa/powerpc_state.h"

#include "base/err.h"
#include "base/num.h"
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

static const char files[] = "rfv";
static const char *const special_names[STATE_REGISTERS - STATE_PC] = {
	"pc", "msr", "cr", "xer", "lr", "ctr", "mq", "vrsave", "fpscr", "vscr", "vrvalid"};

void
powerpc_state_name(unsigned number, char name[16])
{
	if (number >= STATE_PC) {
		strcpy(name, special_names[number - STATE_PC]);
		return;
	}
	const unsigned tens = number % 32 / 10;
	*name++ = files[number / 32];
	if (tens)
		*name++ = (char)('0' + tens);
	*name++ = (char)('0' + number % 32 % 10);
	*name = 0;
}

/* The number of "r31", below 32 and without leading zeros; 32 if it is not one. */
static unsigned
numbered(const char *name)
{
	uint64_t number;
	const char *digits = name + 1;
	size_t n = strlen(digits);
	if (n < 1 || n > 2 || (n == 2 && digits[0] == '0') || !num_parse(digits, n, &number))
		return 32;
	return number < 32 ? (unsigned)number : 32;
}

unsigned
powerpc_state_find(const char *name)
{
	const char *file = *name ? strchr(files, *name) : NULL;
	const unsigned number = file ? numbered(name) : 32;
	if (number < 32)
		return 32 * (unsigned)(file - files) + number;
	if (strcmp(name, "srr0") == 0)
		return STATE_PC;
	if (strcmp(name, "srr1") == 0)
		return STATE_MSR;
	for (unsigned i = STATE_PC; i < STATE_REGISTERS; i++) {
		if (strcmp(name, special_names[i - STATE_PC]) == 0)
			return i;
	}
	return STATE_REGISTERS;
}

struct powerpc_value
powerpc_state_value(const struct poly_powerpc_state *state, unsigned number)
{
	const unsigned word = state->wide ? 8 : 4;
	switch (number) {
	case STATE_PC: return (struct powerpc_value){.size = word, .number = state->pc};
	case STATE_MSR: return (struct powerpc_value){.size = word, .number = state->msr};
	case STATE_CR: return (struct powerpc_value){.size = 4, .number = state->cr};
	case STATE_XER: return (struct powerpc_value){.size = word, .number = state->xer};
	case STATE_LR: return (struct powerpc_value){.size = word, .number = state->lr};
	case STATE_CTR: return (struct powerpc_value){.size = word, .number = state->ctr};
	case STATE_MQ: return (struct powerpc_value){.size = 4, .number = state->mq};
	case STATE_VRSAVE: return (struct powerpc_value){.size = 4, .number = state->vrsave};
	case STATE_FPSCR: return (struct powerpc_value){.size = 4, .number = state->fpscr};
	case STATE_VSCR: return (struct powerpc_value){.size = 4, .number = state->vscr};
	case STATE_VRVALID: return (struct powerpc_value){.size = 4, .number = state->vrvalid};
	default: break;
	}
	if (number < STATE_FPR)
		return (struct powerpc_value){.size = word, .number = state->gpr[number]};
	if (number < STATE_VR)
		return (struct powerpc_value){
			.size = 8, .number = state->fpr[number - STATE_FPR]};
	return (struct powerpc_value){.size = 16, .wide = state->vr[number - STATE_VR]};
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

size_t
poly_powerpc_register(const struct poly_powerpc_state *state, const char *name, char *text)
{
	const unsigned number = powerpc_state_find(name);
	text[0] = '\0';
	if (number == STATE_REGISTERS)
		return 0;
	const struct powerpc_value value = powerpc_state_value(state, number);
	if (value.wide) {
		num_hex(text, load_be64(value.wide), 16);
		num_hex(text + 16, load_be64(value.wide + 8), 16);
	} else {
		num_hex(text, value.number, 2 * value.size);
	}
	text[2 * value.size] = '\0';
	return 2 * (size_t)value.size;
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
