/* SPDX-License-Identifier: MIT */
/* Decoders of a trace's modes. */
#include "analysis/facts/row_isa.h"

#include "polytrace/batch.h"

#include <string.h>

/* Size of an opcode without a column opcode_size: of PowerPC alone, as the column is complete
 * in traces of other sets. */
#define OPCODE_SIZE 4

static void
close_decoders(struct row_isa *isa)
{
	for (unsigned mode = 0; mode < ROW_ISA_MODES; mode++) {
		isa_close(isa->decoders[mode]);
		isa->decoders[mode] = NULL;
	}
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
	if (*size <= 8) {
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

void
row_isa_fini(struct row_isa *isa)
{
	close_decoders(isa);
	memset(isa, 0, sizeof *isa);
}
