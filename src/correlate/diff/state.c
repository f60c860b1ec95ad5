/* SPDX-License-Identifier: MIT */
/* Compares the register states of FULL records. spec: TT6 trace format; Apple amber traces 4.7
 */
#include "correlate/diff/diff.h"

#include "polytrace/powerpc.h"

#include <string.h>

/* Numbered registers, and special ones. */
static const char kinds[] = "rfv";
static const char *const special_registers[] = {
	"pc", "msr", "cr", "xer", "lr", "ctr", "mq", "vrsave", "fpscr", "vscr", "vrvalid"};

enum {
	NUMBERED = 3 * 32,
	REGISTERS = NUMBERED + sizeof special_registers / sizeof *special_registers
};

/* Formats the name of a register by a number below REGISTERS. */
static void
name_register(unsigned number, char name[16])
{
	if (number >= NUMBERED) {
		strcpy(name, special_registers[number - NUMBERED]);
		return;
	}
	const unsigned tens = number % 32 / 10;
	*name++ = kinds[number / 32];
	if (tens)
		*name++ = (char)('0' + tens);
	*name++ = (char)('0' + number % 32 % 10);
	*name = 0;
}

/* Decodes the state stored in a step; false if it has none. */
static bool
decode_state(struct poly_diff *diff, unsigned side, uint64_t number,
	struct poly_powerpc_state *state)
{
	const struct step *step = stream_step(diff->current.stream, side, number);
	static const uint64_t present = 1;
	struct poly_slice payload = {step->state, step->state_length};
	struct poly_batch row = {.rows = 1,
		.info = diff->builders[side].source.info,
		.arena = step->bytes.data,
		.arena_size = step->bytes.size,
		.payload = &payload};
	row.present[POLY_COLUMN_payload] = &present;
	return step->state_length && poly_powerpc_state_decode(&row, 0, state, NULL) == POLY_OK;
}

bool
state_register(struct poly_diff *diff, const uint64_t steps[2], unsigned number,
	struct state_values *values)
{
	struct poly_powerpc_state states[2];
	if (number >= REGISTERS || !decode_state(diff, 0, steps[0], &states[0]) ||
		!decode_state(diff, 1, steps[1], &states[1]))
		return false;
	name_register(number, values->name);
	for (unsigned side = 0; side < 2; side++)
		poly_powerpc_register(&states[side], values->name, values->digits[side]);
	return true;
}

bool
state_report(struct poly_diff *diff, const struct difference *template)
{
	struct state_values values;
	bool reported = false;
	diff->current.stream = template->stream;
	for (unsigned i = 0; state_register(diff, template->steps, i, &values); i++) {
		uint32_t name = rules_register(&diff->rules, values.name);
		if (name == INTERN_FAILED) {
			diff_stop(diff, POLY_ERR_MEMORY);
			return true;
		}
		if (strcmp(values.digits[0], values.digits[1]) == 0)
			continue;
		reported = true;
		if (rules_ignore_register(&diff->rules, name))
			continue;
		struct difference difference = *template;
		difference.cause = POLY_DIFF_VALUE;
		difference.state = true;
		difference.field = i;
		diff_report(diff, &difference);
	}
	return reported;
}
