/* SPDX-License-Identifier: MIT */
/*
 * The tables by which TT6 and TT6E are decoded, and the plain decoder of one record.
 *
 * spec: seed 000 (record classes, escape records); reference amber 4.1, 4.2, 4.4.
 */
#include "format/tt6.h"

/* The shape of a class: cache operations carry an address in TT6E only (amber 4.2). */
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

/* Primary opcodes whose low bits, not told apart by the tables, choose the instruction. */
static bool
is_ds_form(uint32_t opcode)
{
	return opcode >> 26 == 58 || opcode >> 26 == 62;
}

static void
fill_facts(struct tt6_tables *tables, unsigned place, uint32_t opcode)
{
	const struct powerpc_instruction *instruction = powerpc_find(opcode);
	unsigned flags = TT6_HAS_ADDRESS;
	if (is_ds_form(opcode) || instruction->flags & (POWERPC_MULTIPLE | POWERPC_STRING))
		flags |= TT6_ASK;
	else if (instruction->access >= 0) {
		tables->access[place] = (uint8_t)instruction->access;
		tables->size[place] = instruction->size;
		flags |= TT6_HAS_ACCESS | (instruction->size ? TT6_HAS_SIZE : 0);
	}
	tables->flags[place] |= (uint8_t)flags;
}

static void
fill_place(struct tt6_tables *tables, uint32_t opcode, enum tt6_shape shape)
{
	static const uint8_t records[] = {
		TT6_IS_COMPUTE, TT6_IS_MEMORY, TT6_IS_FLOW, TT6_IS_EXTENDED, TT6_IS_ESCAPE};
	unsigned place = tt6_place(opcode);
	tables->shape[place] = (uint8_t)shape;
	tables->record[place] = records[shape];
	tables->flags[place] = TT6_HAS_PC;
	if (shape == TT6_FLOW)
		tables->flags[place] |= TT6_HAS_NEXT;
	if (shape == TT6_EXTENDED)
		tables->flags[place] |= TT6_HAS_THIRD;
	if (shape == TT6_MEMORY || shape == TT6_EXTENDED)
		fill_facts(tables, place, opcode);
}

void
tt6_tables_fill(struct tt6_tables *tables, bool extended, bool zero_is_opcode)
{
	for (uint32_t primary = 0; primary < 64; primary++) {
		for (uint32_t minor = 0; minor <= powerpc_classes.mask[primary]; minor++) {
			uint32_t opcode = primary << 26 | minor << 1;
			unsigned class = powerpc_classes.classes[tt6_place(opcode)];
			fill_place(
				tables, opcode, class_shape(class, extended, zero_is_opcode));
		}
	}
	tables->shape[TT6_NO_ENCODING] = TT6_ESCAPE;
	tables->flags[TT6_NO_ENCODING] = 0;
	tables->record[TT6_NO_ENCODING] = TT6_IS_ESCAPE;
}

/* record = opcode , 0 to 2 words | escape word , as many words as it counts */
bool
tt6_decode(const struct tt6_tables *tables, bool little, const uint8_t *p, size_t n,
	struct tt6_record *record)
{
	static const uint8_t words[] = {1, 2, 2, 3, 1};
	*record = (struct tt6_record){.length = 4};
	if (n < 4)
		return false;
	record->opcode = tt6_load(p, little);
	record->shape = (enum tt6_shape)tables->shape[tt6_place(record->opcode)];
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
