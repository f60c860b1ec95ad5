/* SPDX-License-Identifier: MIT */
/* Decoders of a trace's modes. */
#include "analysis/facts/row_isa.h"

#include "base/mem.h"
#include "polytrace/batch.h"
#include "polytrace/disasm.h"

#include <string.h>

/* Size of an opcode without a column opcode_size: of PowerPC alone, as the column is complete
 * in traces of other sets. */
#define OPCODE_SIZE 4

/* Bytes of the column opcode. */
#define OPCODE_MAX 8

struct row_isa_cached {
	uint64_t opcode;
	uint8_t size; /* 0: empty */
	uint8_t mode; /* enum row_isa_mode */
	bool is_known;
	struct isa_instruction instruction;
};

/* Closes the decoders and forgets their descriptions. */
static void
close_decoders(struct row_isa *isa)
{
	if (isa->cache)
		memset(isa->cache, 0, ROW_ISA_CACHE * sizeof *isa->cache);
	for (unsigned mode = 0; mode < ROW_ISA_MODES; mode++) {
		isa_close(isa->decoders[mode]);
		isa->decoders[mode] = NULL;
	}
}

/* Returns the number of a set, plus 1; 0: NULL. */
static uint8_t
number_of(const char *set)
{
	const char *name;
	for (uint8_t i = 0; set && (name = poly_isa_at(i)) != NULL; i++) {
		if (strcmp(name, set) == 0)
			return (uint8_t)(i + 1);
	}
	return 0;
}

void
row_isa_begin(struct row_isa *isa, const struct poly_trace_info *info)
{
	const char *name = isa_described(info->isa);
	const bool has_modes = name && strcmp(name, "arm") == 0;
	if (name != isa->names[ROW_ISA_OF_TRACE])
		close_decoders(isa);
	isa->names[ROW_ISA_OF_TRACE] = name;
	isa->names[ROW_ISA_THUMB] = has_modes ? isa_described("thumb") : NULL;
	for (unsigned mode = 0; mode < ROW_ISA_MODES; mode++)
		isa->numbers[mode] = number_of(isa->names[mode]);
}

enum row_isa_mode
row_isa_mode_of(const struct row_isa *isa, const struct poly_batch *batch, size_t row)
{
	if (!isa->names[ROW_ISA_THUMB] ||
		!poly_present(batch, POLY_COLUMN_instruction_set, row))
		return ROW_ISA_OF_TRACE;
	const char *letter = poly_trace_name(batch->info, batch->instruction_set[row]);
	return letter && letter[0] == 'T' ? ROW_ISA_THUMB : ROW_ISA_OF_TRACE;
}

struct isa_decoder *
row_isa_decoder(struct row_isa *isa, enum row_isa_mode mode, bool *failed)
{
	if (isa->names[mode] && !isa->decoders[mode])
		*failed |= isa_open(isa->names[mode], &isa->decoders[mode], NULL) ==
			   POLY_ERR_MEMORY;
	return isa->decoders[mode];
}

poly_columns
row_isa_columns(const struct poly_trace_info *info)
{
	poly_columns columns = POLY_COLUMNS_INIT(opcode, opcode_size, instruction_set);
	if (!isa_described(info->isa))
		return POLY_NO_COLUMNS;
	if (isa_length_max(info->isa) > sizeof(uint64_t))
		poly_columns_add(&columns, POLY_COLUMN_payload);
	return columns;
}

const uint8_t *
row_isa_encoding(const struct poly_batch *batch, size_t row, uint8_t room[8], size_t *size)
{
	*size = poly_present(batch, POLY_COLUMN_opcode_size, row) ? batch->opcode_size[row]
								  : OPCODE_SIZE;
	if (*size <= OPCODE_MAX) {
		if (!*size || !poly_present(batch, POLY_COLUMN_opcode, row))
			return NULL;
		uint64_t opcode = batch->opcode[row];
		for (size_t i = *size; i-- > 0; opcode >>= 8)
			room[i] = (uint8_t)opcode;
		return room;
	}
	if (!poly_present(batch, POLY_COLUMN_payload, row))
		return NULL;
	size_t n;
	const uint8_t *bytes =
		(const uint8_t *)poly_batch_bytes(batch, POLY_COLUMN_payload, row, &n);
	return n == *size ? bytes : NULL;
}

/* Describes an encoding; false: not an instruction of exactly its size. */
static bool
describe(struct isa_decoder *decoder, const uint8_t *bytes, size_t size,
	struct isa_instruction *instruction)
{
	return isa_describe(decoder, bytes, size, instruction) && instruction->length == size;
}

const struct isa_instruction *
row_isa_describe_opcode(struct row_isa *isa, enum row_isa_mode mode, uint64_t opcode,
	unsigned size, bool *failed)
{
	uint8_t bytes[OPCODE_MAX];
	/* 2^64 divided by the golden ratio: Fibonacci hashing */
	const uint64_t place = (opcode + mode) * 0x9e3779b97f4a7c15u >> 32;
	struct isa_decoder *decoder = row_isa_decoder(isa, mode, failed);
	if (!decoder || !size || size > OPCODE_MAX)
		return NULL;
	if (!isa->cache)
		isa->cache = mem_new(ROW_ISA_CACHE, sizeof *isa->cache);
	*failed |= !isa->cache;
	if (!isa->cache)
		return NULL;
	struct row_isa_cached *cached = &isa->cache[place % ROW_ISA_CACHE];
	if (cached->opcode != opcode || cached->size != size || cached->mode != mode) {
		cached->opcode = opcode;
		cached->size = (uint8_t)size;
		cached->mode = (uint8_t)mode;
		for (unsigned i = size; i-- > 0; opcode >>= 8)
			bytes[i] = (uint8_t)opcode;
		cached->is_known = describe(decoder, bytes, size, &cached->instruction);
	}
	return cached->is_known ? &cached->instruction : NULL;
}

const struct isa_instruction *
row_isa_describe(struct row_isa *isa, const struct poly_batch *batch, size_t row,
	struct isa_instruction *room, bool *failed)
{
	uint8_t bytes[OPCODE_MAX];
	size_t size;
	const enum row_isa_mode mode = row_isa_mode_of(isa, batch, row);
	const uint8_t *encoding = row_isa_encoding(batch, row, bytes, &size);
	if (!encoding)
		return NULL;
	if (size <= OPCODE_MAX)
		return row_isa_describe_opcode(
			isa, mode, batch->opcode[row], (unsigned)size, failed);
	struct isa_decoder *decoder = row_isa_decoder(isa, mode, failed);
	return decoder && describe(decoder, encoding, size, room) ? room : NULL;
}

void
row_isa_fini(struct row_isa *isa)
{
	close_decoders(isa);
	mem_free(isa->cache);
	memset(isa, 0, sizeof *isa);
}
