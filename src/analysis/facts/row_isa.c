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

const char *
row_isa_name(const struct poly_trace_info *info)
{
	return info->address_bits <= isa_address_bits(info->isa) ? isa_described(info->isa)
								 : NULL;
}

void
row_isa_begin(struct row_isa *isa, const struct poly_trace_info *info)
{
	const char *name = row_isa_name(info);
	const bool has_modes = name && strcmp(name, "arm") == 0;
	if (name != isa->names[ROW_ISA_OF_TRACE])
		close_decoders(isa);
	isa->address_bits = isa_address_bits(name);
	isa->names[ROW_ISA_OF_TRACE] = name;
	isa->names[ROW_ISA_THUMB] = has_modes ? isa_described("thumb") : NULL;
	for (unsigned mode = 0; mode < ROW_ISA_MODES; mode++)
		isa->numbers[mode] = number_of(isa->names[mode]);
}

enum row_isa_mode
row_isa_mode_of(const struct row_isa *isa, const struct poly_batch *batch, size_t row)
{
	if (isa->address_bits < 64 && poly_present(batch, POLY_COLUMN_pc, row) &&
		batch->pc[row] >> isa->address_bits)
		return ROW_ISA_NONE;
	if (!isa->names[ROW_ISA_THUMB])
		return ROW_ISA_OF_TRACE;
	/* Only Thumb has encodings of 2 bytes. */
	if (!poly_present(batch, POLY_COLUMN_instruction_set, row))
		return poly_present(batch, POLY_COLUMN_opcode_size, row) &&
				       batch->opcode_size[row] == 2
			       ? ROW_ISA_THUMB
			       : ROW_ISA_OF_TRACE;
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
	if (!row_isa_name(info))
		return POLY_NO_COLUMNS;
	if (isa_length_max(info->isa) > sizeof(uint64_t))
		poly_columns_add(&columns, POLY_COLUMN_payload);
	return columns;
}

/* Returns the bytes of a row's encoding. */
static size_t
size_of(const struct poly_batch *batch, size_t row)
{
	return poly_present(batch, POLY_COLUMN_opcode_size, row) ? batch->opcode_size[row]
								 : OPCODE_SIZE;
}

const uint8_t *
row_isa_encoding(const struct poly_batch *batch, size_t row, uint8_t room[8], size_t *size)
{
	*size = size_of(batch, row);
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

/* Describes an opcode that the cache does not have. */
static const struct isa_instruction *
add_description(
	struct row_isa *isa, const struct row_isa_cached *key, uint64_t place, bool *failed)
{
	struct isa_decoder *decoder =
		row_isa_decoder(isa, (enum row_isa_mode)key->mode, failed);
	if (!decoder || !key->size || key->size > OPCODE_MAX)
		return NULL;
	if (!isa->cache)
		isa->cache = mem_new(ROW_ISA_CACHE, sizeof *isa->cache);
	*failed |= !isa->cache;
	if (!isa->cache)
		return NULL;
	struct row_isa_cached *cached = &isa->cache[place];
	*cached = *key;
	cached->is_known =
		isa_describe_opcode(decoder, key->opcode, key->size, &cached->instruction) &&
		cached->instruction.length == key->size;
	return cached->is_known ? &cached->instruction : NULL;
}

const struct isa_instruction *
row_isa_describe_opcode(struct row_isa *isa, enum row_isa_mode mode, uint64_t opcode,
	unsigned size, bool *failed)
{
	/* 2^64 divided by the golden ratio: Fibonacci hashing */
	const uint64_t place = ((opcode + mode) * 0x9e3779b97f4a7c15u >> 32) % ROW_ISA_CACHE;
	const struct row_isa_cached *cached = isa->cache ? &isa->cache[place] : NULL;
	if (!cached || cached->opcode != opcode || cached->size != size || cached->mode != mode)
		return add_description(isa,
			&(struct row_isa_cached){
				.opcode = opcode, .size = (uint8_t)size, .mode = (uint8_t)mode},
			place, failed);
	return cached->is_known ? &cached->instruction : NULL;
}

const struct isa_instruction *
row_isa_describe(struct row_isa *isa, const struct poly_batch *batch, size_t row,
	struct isa_instruction *room, bool *failed)
{
	size_t size = size_of(batch, row);
	const enum row_isa_mode mode = row_isa_mode_of(isa, batch, row);
	if (size <= OPCODE_MAX)
		return poly_present(batch, POLY_COLUMN_opcode, row)
			       ? row_isa_describe_opcode(
					 isa, mode, batch->opcode[row], (unsigned)size, failed)
			       : NULL;
	const uint8_t *encoding = row_isa_encoding(batch, row, NULL, &size);
	struct isa_decoder *decoder = encoding ? row_isa_decoder(isa, mode, failed) : NULL;
	return decoder && isa_describe(decoder, encoding, size, room) && room->length == size
		       ? room
		       : NULL;
}

void
row_isa_fini(struct row_isa *isa)
{
	close_decoders(isa);
	mem_free(isa->cache);
	memset(isa, 0, sizeof *isa);
}
