/* SPDX-License-Identifier: MIT */
/*
 * The possible successors of a FULL record's instruction, from the registers before it.
 *
 * spec: Apple amber traces 4.9 (checks of flow) and 3 (16: sc); PowerPC architecture, branch
 * instructions.
 */
#include "format/full/full.h"

#include "isa/powerpc.h"

#include <stdio.h>

#define PRIMARY_SC 17u
#define PRIMARY_B 18u
#define MINOR_BCLR 16u

/* Bits of a branch's BO operand. */
#define BO_NO_CONDITION 0x10u
#define BO_CONDITION 0x08u
#define BO_NO_COUNT 0x04u
#define BO_COUNT_ZERO 0x02u

static uint64_t
narrow_address(const struct full_step *step, uint64_t address)
{
	return step->wide ? address : (uint32_t)address;
}

struct full_step
full_step_between(
	const struct powerpc_dialect *dialect, const uint8_t *previous, const uint8_t *now)
{
	const struct powerpc_layout *layout = dialect->layout;
	return (struct full_step){
		.opcode = powerpc_word(dialect, dialect->post ? now : previous),
		.wide = powerpc_is_wide(dialect, previous),
		.pc = powerpc_state_register(dialect, previous + layout->pc),
		.lr = powerpc_state_register(dialect, previous + layout->lr),
		.ctr = powerpc_state_register(dialect, previous + layout->ctr),
	};
}

/* The table has targets modulo 2^32; wide ones are relative to pc, or sign-extended. */
static uint64_t
encoded_target(const struct full_step *step, const struct powerpc_branch *branch)
{
	bool absolute = step->opcode & 2;
	uint64_t base = absolute ? 0 : step->pc;
	uint64_t distance = (uint64_t)sign_extend(branch->target - (uint32_t)base, 32);
	return narrow_address(step, base + distance);
}

/* Returns whether a branch's BO and BI operands let it be taken. */
static bool
condition_holds(const struct full_step *step, uint32_t cr, bool counts)
{
	uint32_t bo = step->opcode >> 21 & 31, bi = step->opcode >> 16 & 31;
	uint64_t left = narrow_address(step, step->ctr - 1);
	bool count_ok =
		!counts || (bo & BO_NO_COUNT) || ((left == 0) == ((bo & BO_COUNT_ZERO) != 0));
	bool condition_ok =
		(bo & BO_NO_CONDITION) || (cr >> (31 - bi) & 1) == ((bo & BO_CONDITION) != 0);
	return count_ok && condition_ok;
}

struct full_branch
full_branch(const struct full_step *step, uint32_t cr)
{
	struct powerpc_branch known = powerpc_branch(step->opcode, (uint32_t)step->pc);
	struct full_branch branch = {.is_branch = known.is_branch};
	if (!known.is_branch)
		return branch;
	bool is_bclr = (step->opcode >> 1 & 0x3ff) == MINOR_BCLR;
	bool by_ctr = !known.has_target && !is_bclr;
	branch.conditional = !known.always;
	branch.taken = known.always || condition_holds(step, cr, !by_ctr);
	branch.fallthrough = narrow_address(step, step->pc + 4);
	branch.target =
		known.has_target
			? encoded_target(step, &known)
			: narrow_address(step, (is_bclr ? step->lr : step->ctr) & ~(uint64_t)3);
	return branch;
}

/* Lists the addresses that may follow a step; returns 0 if any may. */
static unsigned
successors(const struct full_step *step, uint64_t list[2])
{
	list[0] = narrow_address(step, step->pc + 4);
	list[1] = narrow_address(step, step->pc + 8);
	if (powerpc_class(step->opcode) != POWERPC_FLOW)
		return 1;
	if (step->opcode >> 26 == PRIMARY_SC)
		return 2;
	struct full_branch branch = full_branch(step, 0);
	if (!branch.is_branch)
		return 0;
	list[1] = branch.target;
	if (step->opcode >> 26 != PRIMARY_B)
		return 2;
	list[0] = branch.target;
	return 1;
}

bool
full_follows(const struct full_step *step, uint64_t next)
{
	uint64_t list[2];
	unsigned count = successors(step, list);
	return count == 0 || next == list[0] || (count == 2 && next == list[1]);
}

void
full_expected(const struct full_step *step, char *text, size_t size)
{
	uint64_t list[2];
	unsigned count = successors(step, list);
	if (count == 2)
		snprintf(text, size, "%08llx or %08llx", (unsigned long long)list[0],
			(unsigned long long)list[1]);
	else
		snprintf(text, size, "%08llx", (unsigned long long)list[0]);
}
