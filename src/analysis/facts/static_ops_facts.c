/* SPDX-License-Identifier: MIT */
/* Properties of operations from encodings and columns. */
#include "analysis/facts/static_ops_facts.h"

#include "isa/powerpc.h"

#include <string.h>

/* bcl 20,31,$+4 only reads the PC in position-independent code; it is not a call. */
#define BCL_NEXT 0x429f0005u

static uint8_t
powerpc_flow(uint32_t opcode)
{
	const struct powerpc_branch branch = powerpc_branch(opcode, 0);
	unsigned flow = 0;
	if (!branch.is_branch)
		return 0;
	flow |= OP_JUMPS;
	flow |= branch.always ? 0u : OP_CONDITIONAL;
	flow |= branch.has_target ? 0u : OP_INDIRECT;
	if (branch.link)
		flow |= opcode == BCL_NEXT ? 0u : OP_CALLS;
	else if (opcode >> 26 == 19 && (opcode >> 1 & 0x3ff) == 16)
		flow |= OP_RETURNS;
	return (uint8_t)flow;
}

enum op_class
static_op_powerpc_class(unsigned unit)
{
	static const uint8_t classes[POWERPC_UNIT_COUNT] = {
		[POWERPC_INTEGER] = OP_INTEGER,
		[POWERPC_FLOAT] = OP_FLOAT,
		[POWERPC_VECTOR] = OP_VECTOR,
		[POWERPC_LOAD] = OP_LOAD,
		[POWERPC_STORE] = OP_STORE,
		[POWERPC_BRANCH] = OP_BRANCH,
		[POWERPC_CACHE_UNIT] = OP_CACHE,
		[POWERPC_SYSTEM] = OP_SYSTEM,
	};
	return unit < POWERPC_UNIT_COUNT ? (enum op_class)classes[unit] : OP_UNKNOWN;
}

void
static_op_from_powerpc(struct static_op *op, uint32_t opcode)
{
	const struct powerpc_instruction *instruction = powerpc_find(opcode);
	struct powerpc_registers reads, writes;
	op->size = 4;
	op->mnemonic = instruction->mnemonic;
	if (!instruction->mnemonic)
		return;
	op->class = (uint8_t)static_op_powerpc_class(instruction->unit);
	op->flow = powerpc_flow(opcode);
	/* The displacement to an absolute target depends on the address. */
	const struct powerpc_branch branch = powerpc_branch(opcode, 0);
	op->has_reach = branch.has_target && !(opcode & 2);
	op->reach = op->has_reach ? (int32_t)branch.target : 0;
	op->has_registers = powerpc_registers(opcode, &reads, &writes);
	if (!op->has_registers)
		return;
	memcpy(&op->reads, &reads, sizeof op->reads);
	memcpy(&op->writes, &writes, sizeof op->writes);
}

/* Adds the register of a column to a set. */
static bool
add_register(struct static_op_registers *set, const struct poly_batch *batch,
	enum poly_column column, size_t row)
{
	if (!poly_present(batch, column, row))
		return false;
	const uint64_t number = poly_batch_integer(batch, column, row);
	if (number < 128)
		set->bits[number / 64] |= (uint64_t)1 << number % 64;
	return number < 128;
}

static void
add_registers(struct static_op *op, const struct poly_batch *batch, size_t row)
{
	op->has_registers = batch->src1 || batch->src2 || batch->dest;
	add_register(&op->reads, batch, POLY_COLUMN_src1, row);
	add_register(&op->reads, batch, POLY_COLUMN_src2, row);
	add_register(&op->writes, batch, POLY_COLUMN_dest, row);
	if (!op->has_registers || !poly_present(batch, POLY_COLUMN_flags, row))
		return;
	const uint64_t flags = (uint64_t)1 << OP_FLAGS_REGISTER;
	if (batch->flags[row] == POLY_FLAGS_READ || batch->flags[row] == POLY_FLAGS_BOTH)
		op->reads.bits[0] |= flags;
	if (batch->flags[row] == POLY_FLAGS_WRITE || batch->flags[row] == POLY_FLAGS_BOTH)
		op->writes.bits[0] |= flags;
}

/* Control flow of a branch micro-operation. */
static uint8_t
micro_flow(const struct static_op *op, const struct poly_batch *batch, size_t row)
{
	unsigned flow = op->flow & (OP_CALLS | OP_RETURNS);
	if (poly_present(batch, POLY_COLUMN_flags, row) && batch->flags[row] == POLY_FLAGS_READ)
		flow |= OP_CONDITIONAL;
	if (strcmp(op->micro_op, "JMP_REG") == 0)
		flow |= OP_INDIRECT;
	return (uint8_t)(flow | OP_JUMPS);
}

void
static_op_from_columns(struct static_op *op, const struct poly_batch *batch, size_t row)
{
	const bool branches = poly_present(batch, POLY_COLUMN_branch, row);
	add_registers(op, batch, row);
	if (op->micro_op) {
		/* The mnemonic is that of the macro-operation. */
		op->flow = branches ? micro_flow(op, batch, row) : 0;
		op->class = branches				  ? OP_BRANCH
			    : strncmp(op->micro_op, "FP", 2) == 0 ? OP_FLOAT
								  : OP_INTEGER;
	} else if (branches && !(op->flow & OP_JUMPS)) {
		op->flow |= OP_JUMPS;
		op->class = OP_BRANCH;
	}
	if (!poly_present(batch, POLY_COLUMN_access, row) ||
		(!op->micro_op && op->class != OP_UNKNOWN))
		return;
	if (batch->access[row] == POLY_ACCESS_READ || batch->access[row] == POLY_ACCESS_IO_READ)
		op->class = OP_LOAD;
	else if (batch->access[row] == POLY_ACCESS_WRITE ||
		 batch->access[row] == POLY_ACCESS_IO_WRITE)
		op->class = OP_STORE;
}
