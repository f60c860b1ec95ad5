/* SPDX-License-Identifier: MIT */
/* Properties of operations from encodings and columns. */
#include "analysis/facts/static_ops_facts.h"

#include "isa/x86_names.h"

#include <string.h>

enum op_class
static_op_class(enum isa_class cls)
{
	static const uint8_t classes[ISA_CLASS_COUNT] = {
		[ISA_INTEGER] = OP_INTEGER,
		[ISA_MULTIPLY] = OP_INTEGER,
		[ISA_DIVIDE] = OP_INTEGER,
		[ISA_FLOAT] = OP_FLOAT,
		[ISA_VECTOR] = OP_VECTOR,
		[ISA_LOAD] = OP_LOAD,
		[ISA_STORE] = OP_STORE,
		[ISA_ATOMIC] = OP_ATOMIC,
		[ISA_BRANCH] = OP_BRANCH,
		[ISA_CACHE] = OP_CACHE,
		[ISA_FENCE] = OP_SYSTEM,
		[ISA_SYSTEM] = OP_SYSTEM,
	};
	return (enum op_class)classes[cls];
}

void
static_op_from_isa(struct static_op *op, const struct isa_instruction *instruction)
{
	op->size = instruction->length;
	op->class = (uint8_t)static_op_class((enum isa_class)instruction->cls);
	op->flow = instruction->flow;
	/* The displacement to any other target depends on the address. */
	op->has_reach = instruction->target_kind == ISA_TARGET_RELATIVE;
	op->reach = op->has_reach ? instruction->target : 0;
	op->has_registers = instruction->has_registers;
	op->reads = instruction->reads;
	op->writes = instruction->writes;
}

/* Adds the register of a column to a set. */
static bool
add_register(struct isa_registers *set, const struct poly_batch *batch, enum poly_column column,
	size_t row)
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
	unsigned flow = op->flow & (ISA_CALLS | ISA_RETURNS);
	if (poly_present(batch, POLY_COLUMN_flags, row) && batch->flags[row] == POLY_FLAGS_READ)
		flow |= ISA_CONDITIONAL;
	if (strcmp(op->micro_op, "JMP_REG") == 0)
		flow |= ISA_INDIRECT;
	return (uint8_t)(flow | ISA_JUMPS);
}

/* Class of a micro-operation that is not a branch. Names that begin with FP are the course's.
 */
static enum op_class
micro_class(const char *name)
{
	const enum isa_class cls =
		strncmp(name, "FP", 2) == 0 ? ISA_FLOAT : x86_class_of_name(name);
	return cls == ISA_UNKNOWN ? OP_INTEGER : static_op_class((enum isa_class)cls);
}

void
static_op_from_columns(struct static_op *op, const struct poly_batch *batch, size_t row)
{
	const bool branches = poly_present(batch, POLY_COLUMN_branch, row);
	add_registers(op, batch, row);
	if (op->micro_op) {
		/* The mnemonic is that of the macro-operation. */
		op->flow = branches ? micro_flow(op, batch, row) : 0;
		op->class = (uint8_t)(branches ? OP_BRANCH : micro_class(op->micro_op));
	} else if (branches && (op->class == OP_UNKNOWN || !(op->flow & ISA_JUMPS))) {
		op->flow |= ISA_JUMPS;
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
