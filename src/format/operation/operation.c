/* SPDX-License-Identifier: MIT */
#include "format/operation/operation.h"

#include "base/bits.h"
#include "base/err.h"
#include "base/mem.h"
#include "isa/flow.h"

#include <string.h>

/* Cached encodings, a power of 2. */
#define CACHE_SIZE 4096
#define CACHE_BITS 12

/* Registers of micro-operations from here on are temporaries (cis501). */
#define GENERAL 16

/* Bytes of an encoding of PowerPC, whose traces need no column opcode_size. */
#define WORD_SIZE 4

struct operation_cached {
	uint64_t opcode;
	uint8_t size; /* 0: empty */
	bool is_thumb;
	struct operation operation;
};

const char *
operations_isa(const struct poly_trace_info *source)
{
	return source->address_bits <= isa_address_bits(source->isa)
		       ? isa_described(source->isa)
		       : NULL;
}

unsigned
operation_register(const char *isa, const char *const *names)
{
	for (; isa && *names; names++) {
		struct isa_registers set = {{0}};
		if (!isa_registers_named(isa, *names, &set))
			continue;
		for (unsigned i = 0; i < ISA_REGISTERS_MAX; i++) {
			if (bit_test(set.bits, i))
				return i;
		}
	}
	return ISA_NO_REGISTER;
}

enum poly_status
operations_open(struct operations *operations, const struct poly_trace_info *source,
	struct poly_error *error)
{
	static const char *const flags[] = {"flags", "cpsr", "nzcv", NULL};
	const char *isa = operations_isa(source);
	operations->flags = operation_register(isa, flags);
	if (!isa || !POLY_HAS(source->columns, opcode))
		return POLY_OK;
	const char *thumb = strcmp(isa, "arm") == 0 ? isa_described("thumb") : NULL;
	enum poly_status status = isa_open(isa, &operations->decoder, error);
	if (status == POLY_OK && thumb)
		status = isa_open(thumb, &operations->thumb, error);
	if (status != POLY_OK)
		return status;
	operations->cache = mem_new(CACHE_SIZE, sizeof *operations->cache);
	return operations->cache ? POLY_OK : err_memory(error);
}

void
operations_close(struct operations *operations)
{
	isa_close(operations->decoder);
	isa_close(operations->thumb);
	mem_free(operations->cache);
}

/* Returns the name of a row in a column of names, or "". */
static const char *
name_of(const struct poly_batch *batch, enum poly_column column, size_t row)
{
	const char *name = poly_present(batch, column, row)
				   ? poly_trace_name(batch->info,
					     (uint32_t)poly_batch_integer(batch, column, row))
				   : NULL;
	return name ? name : "";
}

/* Returns the bytes of the encoding of a row. */
static size_t
size_of(const struct poly_batch *batch, size_t row)
{
	return poly_present(batch, POLY_COLUMN_opcode_size, row) ? batch->opcode_size[row]
								 : WORD_SIZE;
}

/* Returns whether the encoding of a row is one of Thumb: alone it has encodings of 2 bytes. */
static bool
is_thumb(const struct operations *operations, const struct poly_batch *batch, size_t row)
{
	return operations->thumb &&
	       (poly_present(batch, POLY_COLUMN_instruction_set, row)
			       ? *name_of(batch, POLY_COLUMN_instruction_set, row) == 'T'
			       : size_of(batch, row) == 2);
}

static void
describe(struct isa_decoder *decoder, const uint8_t *bytes, size_t n,
	struct operation *operation)
{
	struct isa_instruction instruction;
	*operation = (struct operation){.is_known = false};
	if (!isa_describe(decoder, bytes, n, &instruction) || instruction.length != n)
		return;
	operation->is_known = instruction.has_registers;
	operation->flow = instruction.flow;
	operation->target_kind = instruction.target_kind;
	operation->target = instruction.target;
	operation->reads = instruction.reads;
	operation->writes = instruction.writes;
}

/* Sets the operation of a row's encoding; false: it has none. */
static bool
decode(struct operations *operations, const struct poly_batch *batch, size_t row,
	struct operation *operation)
{
	uint8_t bytes[8];
	size_t n = size_of(batch, row);
	if (!operations->decoder || !n)
		return false;
	const bool thumb = is_thumb(operations, batch, row);
	struct isa_decoder *decoder = thumb ? operations->thumb : operations->decoder;
	if (n > sizeof bytes) {
		if (!poly_present(batch, POLY_COLUMN_payload, row))
			return false;
		const uint8_t *encoding = poly_batch_bytes(batch, POLY_COLUMN_payload, row, &n);
		describe(decoder, encoding, n, operation);
		return true;
	}
	if (!poly_present(batch, POLY_COLUMN_opcode, row))
		return false;
	const uint64_t opcode = batch->opcode[row],
		       hash = (opcode ^ (uint64_t)n << 61) * 0x9e3779b97f4a7c15u;
	struct operation_cached *cached = &operations->cache[hash >> (64 - CACHE_BITS)];
	if (cached->size != n || cached->opcode != opcode || cached->is_thumb != thumb) {
		for (size_t i = 0; i < n; i++)
			bytes[i] = (uint8_t)(opcode >> 8 * (n - 1 - i));
		*cached = (struct operation_cached){
			.opcode = opcode, .size = (uint8_t)n, .is_thumb = thumb};
		describe(decoder, bytes, n, &cached->operation);
	}
	*operation = cached->operation;
	return true;
}

/* Adds a register of a column to a set. */
static void
add_column(struct isa_registers *set, const struct poly_batch *batch, enum poly_column column,
	size_t row)
{
	const uint64_t number = poly_present(batch, column, row)
					? poly_batch_integer(batch, column, row)
					: GENERAL;
	if (number < GENERAL)
		bit_set(set->bits, (size_t)number);
}

/* Adds the control flow of a branch without an encoding. */
static void
add_flow(const struct poly_batch *batch, size_t row, struct operation *operation)
{
	const bool is_uop = poly_present(batch, POLY_COLUMN_uop_index, row),
		   reads_flags = poly_present(batch, POLY_COLUMN_flags, row) &&
				 batch->flags[row] == POLY_FLAGS_READ;
	const char *mnemonic = name_of(batch, POLY_COLUMN_mnemonic, row);
	const struct poly_trace_info *info = batch->info;
	unsigned flow = 0;
	if (poly_present(batch, POLY_COLUMN_record, row) &&
		batch->record[row] < info->record_count)
		flow = flow_of_record(info->records[batch->record[row]]);
	if (!flow && (!is_uop || reads_flags))
		flow = ISA_CONDITIONAL;
	if (is_uop && strncmp(mnemonic, "CALL", 4) == 0)
		flow |= ISA_CALLS;
	if (is_uop && strncmp(mnemonic, "RET", 3) == 0)
		flow |= ISA_RETURNS;
	if (strcmp(name_of(batch, POLY_COLUMN_uop_name, row), "JMP_REG") == 0)
		flow |= ISA_INDIRECT;
	operation->flow |= (uint8_t)(flow | ISA_JUMPS);
}

void
operation_add(struct operations *operations, const struct poly_batch *batch, size_t row,
	struct operation *operation)
{
	const unsigned flags = poly_present(batch, POLY_COLUMN_flags, row) ? batch->flags[row]
									   : POLY_FLAGS_NONE;
	if (decode(operations, batch, row, operation))
		return;
	add_column(&operation->reads, batch, POLY_COLUMN_src1, row);
	add_column(&operation->reads, batch, POLY_COLUMN_src2, row);
	add_column(&operation->writes, batch, POLY_COLUMN_dest, row);
	operation->is_known |= poly_present(batch, POLY_COLUMN_uop_index, row);
	if (flags & POLY_FLAGS_READ && operations->flags != ISA_NO_REGISTER)
		bit_set(operation->reads.bits, operations->flags);
	if (flags & POLY_FLAGS_WRITE && operations->flags != ISA_NO_REGISTER)
		bit_set(operation->writes.bits, operations->flags);
	if (poly_present(batch, POLY_COLUMN_branch, row))
		add_flow(batch, row, operation);
}

bool
operation_end(const struct operations *operations, const struct poly_batch *batch, size_t row,
	uint64_t *end)
{
	if (poly_present(batch, POLY_COLUMN_fallthrough, row)) {
		*end = batch->fallthrough[row];
		return true;
	}
	*end = batch->pc[row] + size_of(batch, row);
	return poly_present(batch, POLY_COLUMN_opcode_size, row) || operations->decoder;
}
