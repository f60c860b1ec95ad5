/* SPDX-License-Identifier: MIT */
/* The registers of the states in FULL records, by number. spec: Apple amber traces 4.7 */
#include "correlate/diff/register_state.h"

#include "base/bits.h"
#include "polytrace/powerpc.h"

#include <string.h>

/* Numbered registers, and special ones. */
static const char kinds[] = "rfv";
static const char *const special_registers[] = {
	"pc", "msr", "cr", "xer", "lr", "ctr", "mq", "vrsave", "fpscr", "vscr", "vrvalid"};

enum { NUMBERED = STATE_REGISTERS - sizeof special_registers / sizeof *special_registers };

void
register_state_name(unsigned number, char name[16])
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

bool
register_state_ignore(struct diff_rules *rules)
{
	char name[16];
	for (unsigned i = 0; i < STATE_REGISTERS; i++) {
		register_state_name(i, name);
		const uint32_t number = rules_register(rules, name);
		if (number == INTERN_FAILED)
			return false;
		rules->state_ignored[i] = rules->ignore & IGNORE_REGISTERS ||
					  rules_ignore_register(rules, number);
	}
	return true;
}

/* Mixes a value into a hash. */
static uint64_t
mixed(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

/* Mixes a register into a hash. */
static uint64_t
mix_register(uint64_t hash, const struct poly_powerpc_state *state, unsigned number)
{
	const uint64_t specials[] = {state->pc, state->msr, state->cr, state->xer, state->lr,
		state->ctr, state->mq, state->vrsave, state->fpscr, state->vscr,
		state->vrvalid};
	if (number < 32)
		return mixed(hash, state->gpr[number]);
	if (number < 64)
		return mixed(hash, state->fpr[number - 32]);
	if (number < NUMBERED)
		return mixed(mixed(hash, load_le64(state->vr[number - 64])),
			load_le64(state->vr[number - 64] + 8));
	return mixed(hash, specials[number - NUMBERED]);
}

bool
register_state_hash(const struct diff_rules *rules, const struct poly_batch *batch, size_t row,
	uint64_t *hash)
{
	struct poly_powerpc_state state;
	if (poly_powerpc_state_decode(batch, row, &state, NULL) != POLY_OK)
		return false;
	*hash = 0;
	for (unsigned i = 0; i < STATE_REGISTERS; i++) {
		if (!rules->state_ignored[i])
			*hash = mix_register(*hash, &state, i);
	}
	return true;
}
