/* SPDX-License-Identifier: MIT */
/* Compares the register states of FULL records. spec: TT6 trace format; Apple amber traces 4.7
 */
#include "correlate/diff/diff.h"
#include "correlate/diff/register_state.h"

#include "polytrace/powerpc.h"

#include <string.h>

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
	if (number >= STATE_REGISTERS || !decode_state(diff, 0, steps[0], &states[0]) ||
		!decode_state(diff, 1, steps[1], &states[1]))
		return false;
	register_state_name(number, values->name);
	for (unsigned side = 0; side < 2; side++)
		poly_powerpc_register(&states[side], values->name, values->digits[side]);
	return true;
}

/* True if two registers have one value, whatever their widths. */
static bool
same_digits(const char *a, const char *b)
{
	return strcmp(a + strspn(a, "0"), b + strspn(b, "0")) == 0;
}

bool
state_report(struct poly_diff *diff, const struct difference *template)
{
	struct state_values values;
	bool reported = false;
	diff->current.stream = template->stream;
	for (unsigned i = 0; state_register(diff, template->steps, i, &values); i++) {
		if (same_digits(values.digits[0], values.digits[1]))
			continue;
		reported = true;
		if (diff->rules.state_ignored[i])
			continue;
		struct difference difference = *template;
		difference.cause = POLY_DIFF_VALUE;
		difference.state = true;
		difference.field = i;
		diff_report(diff, &difference);
	}
	return reported;
}
