/* SPDX-License-Identifier: MIT */
/*
 * The tables for decoding TT6 and TT6E, and the decoder of one record.
 *
 * spec: TT6 trace format (record types, escape records); Apple amber traces 4.1, 4.2, 4.4.
 */
#include "format/tt6/tt6.h"

/* Returns the shape of a class: cache operations have an address only in TT6E (Apple amber
 * traces 4.2). */
static enum tt6_shape
class_shape(unsigned class, bool extended, bool zero_is_opcode)
{
	switch (class) {
	case POWERPC_MEMORY: return TT6_MEMORY;
	case POWERPC_CACHE: return extended ? TT6_MEMORY : TT6_COMPUTE;
	case POWERPC_FLOW: return TT6_FLOW;
	case POWERPC_EXTENDED: return TT6_EXTENDED;
	case POWERPC_ESCAPE: return zero_is_opcode ? TT6_COMPUTE : TT6_ESCAPE;
	default: return TT6_COMPUTE;
	}
}

/* Returns whether the low bits, which the tables ignore, select the instruction. */
static bool
is_ds_form(uint32_t opcode)
{
	return opcode >> 26 == 58 || opcode >> 26 == 62;
}

/* Returns the fact of an encoding that has a data address. */
static uint32_t
memory_fact(uint32_t opcode)
{
	const struct powerpc_instruction *found = powerpc_find(opcode);
	if (is_ds_form(opcode) || found->flags & (POWERPC_MULTIPLE | POWERPC_STRING))
		return TT6_HAS_ADDRESS | TT6_HAS_OPEN;
	if (found->access < 0)
		return TT6_HAS_ADDRESS;
	return TT6_HAS_ADDRESS | TT6_HAS_ACCESS | (found->size ? TT6_HAS_SIZE : 0) |
	       (powerpc_ignored_bits(found) ? TT6_IS_ALIGNED : 0) |
	       (uint32_t)found->access << TT6_FACT_ACCESS |
	       (uint32_t)found->size << TT6_FACT_SIZE;
}

static uint32_t
fact_of(uint32_t opcode, enum tt6_shape shape)
{
	switch (shape) {
	case TT6_COMPUTE: return TT6_HAS_PC | TT6_IS_COMPUTE << TT6_FACT_RECORD;
	case TT6_FLOW: return TT6_HAS_PC | TT6_HAS_NEXT | TT6_IS_FLOW << TT6_FACT_RECORD;
	case TT6_MEMORY:
		return TT6_HAS_PC | TT6_IS_MEMORY << TT6_FACT_RECORD | memory_fact(opcode);
	case TT6_EXTENDED:
		return TT6_HAS_PC | TT6_HAS_THIRD | TT6_IS_EXTENDED << TT6_FACT_RECORD |
		       memory_fact(opcode);
	case TT6_ESCAPE: break;
	}
	return 0;
}

void
tt6_tables_fill(struct tt6_tables *tables, bool extended, bool zero_is_opcode)
{
	for (uint32_t primary = 0; primary < 64; primary++) {
		for (uint32_t minor = 0; minor <= powerpc_classes.mask[primary]; minor++) {
			uint32_t opcode = primary << 26 | minor << 1;
			unsigned index = tt6_index(opcode);
			enum tt6_shape shape = class_shape(
				powerpc_classes.classes[index], extended, zero_is_opcode);
			tables->shape[index] = (uint8_t)shape;
			tables->fact[index] = fact_of(opcode, shape);
		}
	}
}

/* record = opcode , 0 to 2 words | escape word , as many words as its count */
bool
tt6_decode(const struct tt6_tables *tables, bool little, const uint8_t *p, size_t n,
	struct tt6_record *record)
{
	static const uint8_t words[] = {1, 2, 2, 3, 1};
	*record = (struct tt6_record){.length = 4};
	if (n < 4)
		return false;
	record->opcode = tt6_load(p, little);
	record->shape = (enum tt6_shape)tables->shape[tt6_index(record->opcode)];
	record->length = 4 * (size_t)words[record->shape];
	if (record->shape == TT6_ESCAPE)
		record->length += 4 * (size_t)tt6_count(record->opcode);
	if (n < record->length)
		return false;
	if (record->length > 4)
		record->second = tt6_load(p + 4, little);
	if (record->length > 8)
		record->third = tt6_load(p + 8, little);
	return true;
}

int
tt6_sync(unsigned code)
{
	switch (code) {
	case TT6_CODE_SIGNAL: return POLY_SYNC_SIGNAL;
	case TT6_CODE_BROADCAST: return POLY_SYNC_BROADCAST;
	case TT6_CODE_WAIT: return POLY_SYNC_WAIT;
	case TT6_CODE_TRYWAIT: return POLY_SYNC_TRYWAIT;
	default: return -1;
	}
}

unsigned
tt6_sync_code(enum poly_sync sync)
{
	static const uint8_t codes[] = {
		TT6_CODE_SIGNAL, TT6_CODE_BROADCAST, TT6_CODE_WAIT, TT6_CODE_TRYWAIT};
	return codes[sync];
}
