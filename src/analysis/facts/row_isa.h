/* SPDX-License-Identifier: MIT */
/* Descriptions of the instructions of a trace's rows, by the instruction set of the trace or of
 * the row. One thread at a time. */
#ifndef ANALYSIS_ROW_ISA_H
#define ANALYSIS_ROW_ISA_H

#include "isa/isa.h"
#include "polytrace/trace.h"

/* ROW_ISA_NONE: the address does not exist in the set. */
enum row_isa_mode { ROW_ISA_OF_TRACE, ROW_ISA_THUMB, ROW_ISA_NONE, ROW_ISA_MODES };

/* Entries of the cache of recent descriptions. */
#define ROW_ISA_CACHE 2048

struct row_isa_cached;

/* Zeroed: of no trace. */
struct row_isa {
	const char *names[ROW_ISA_MODES]; /* static; NULL: instructions are not described */
	uint8_t numbers[ROW_ISA_MODES];	  /* in poly_isa_at, plus 1; 0: instructions are not
					     described */
	struct isa_decoder *decoders[ROW_ISA_MODES]; /* opened at their first use */
	unsigned address_bits;			     /* of the set */
	struct row_isa_cached *cache; /* ROW_ISA_CACHE entries; NULL: not used yet */
};

/* Returns the instruction set that describes the instructions of a trace; NULL: none does, as
 * the set is not known, or has shorter addresses than the trace. */
const char *row_isa_name(const struct poly_trace_info *info);

/* Begins a trace. */
void row_isa_begin(struct row_isa *isa, const struct poly_trace_info *info);

/* Returns the mode of a row: if the trace is one of ARM by the column
 * instruction_set, else by the size. */
enum row_isa_mode row_isa_mode_of(
	const struct row_isa *isa, const struct poly_batch *batch, size_t row);

/* Returns the decoder of a mode; NULL: instructions are not described, or out of memory, which
 * sets *failed. */
struct isa_decoder *row_isa_decoder(struct row_isa *isa, enum row_isa_mode mode, bool *failed);

/* Returns the columns that a description requires. */
poly_columns row_isa_columns(const struct poly_trace_info *info);

/*
 * Returns the encoding of a row, of its column opcode_size, and stores it in room of 8 bytes
 * unless it is longer: then it is that of the column payload. NULL: the row has none.
 */
const uint8_t *row_isa_encoding(
	const struct poly_batch *batch, size_t row, uint8_t room[8], size_t *size);

/*
 * Returns the description of an opcode of 1 to 8 bytes in a mode, of a cache: valid until the
 * next call. NULL: it is not described, or out of memory, which sets *failed.
 */
const struct isa_instruction *row_isa_describe_opcode(struct row_isa *isa,
	enum row_isa_mode mode, uint64_t opcode, unsigned size, bool *failed);

/* The same for a row. *room: for the description of an encoding of more than 8 bytes. */
const struct isa_instruction *row_isa_describe(struct row_isa *isa,
	const struct poly_batch *batch, size_t row, struct isa_instruction *room, bool *failed);

/* Frees the memory. */
void row_isa_fini(struct row_isa *isa);

#endif
