/* SPDX-License-Identifier: MIT */
/* Accesses of PowerPC that the emulator does not report. */
#include "record/plugin_powerpc.h"

#include "isa/powerpc.h"

enum { XER = 69, WORD = 4 };

/* Opcodes of stores that may fail, without their operands. */
#define STORE_CONDITIONAL_MASK 0xfc0007ffu
#define STWCX 0x7c00012du
#define STDCX 0x7c0001adu

bool
plugin_powerpc_computes(uint32_t opcode)
{
	const struct powerpc_instruction *found = powerpc_find(opcode);
	const uint32_t fixed = opcode & STORE_CONDITIONAL_MASK;
	if (found->access < 0 || found->flags & POWERPC_OUTSIDE)
		return false;
	return found->flags & (POWERPC_BY_LINE | POWERPC_MULTIPLE | POWERPC_STRING |
				      POWERPC_NO_OFFSET) ||
	       fixed == STWCX || fixed == STDCX;
}

/* Returns a general register, or XER. */
static uint64_t
get(struct producer *producer, unsigned number)
{
	uint64_t value = 0;
	return plugin_get_register(producer, number, &value) ? value : 0;
}

void
plugin_powerpc_before(struct producer *producer, uint32_t opcode)
{
	const struct powerpc_instruction *found = powerpc_find(opcode);
	if (found->cls != POWERPC_EXTENDED)
		return;
	const unsigned number = found->flags & POWERPC_STRING ? XER : opcode >> 11 & 31;
	const struct target *target = plugin.target;
	uint32_t i = 0;
	while (i < target->register_count && target->registers[i].number != number)
		i++;
	producer->words[producer->used] = (uint32_t)CHANNEL_REGISTER << CHANNEL_TYPE_SHIFT | i |
					  (uint32_t)WORD << CHANNEL_BYTES_SHIFT;
	plugin_publish(producer,
		plugin_put_number(producer, producer->used + 1, get(producer, number)));
}

/* Stores the accesses of consecutive words, of n bytes. */
static void
put_words(struct producer *producer, uint32_t opcode, uint64_t address, uint32_t n)
{
	const struct powerpc_instruction *found = powerpc_find(opcode);
	const uint32_t type = (uint32_t)found->access << CHANNEL_ACCESS_SHIFT;
	for (uint32_t done = 0; done < n; done += WORD)
		plugin_put_access(producer, type | (n - done < WORD ? n - done : WORD),
			address + done, NULL);
}

/* The same of a multiple load or store, with the data. */
static void
put_multiple(struct producer *producer, uint32_t opcode, uint64_t address)
{
	const struct powerpc_instruction *found = powerpc_find(opcode);
	const uint32_t type = (uint32_t)found->access << CHANNEL_ACCESS_SHIFT;
	for (unsigned i = opcode >> 21 & 31; i < 32; i++, address += WORD) {
		const uint64_t value =
			found->access == POLY_ACCESS_WRITE
				? (uint32_t)get(producer, i)
				: plugin_read_memory(address, WORD, plugin.target->big_endian);
		plugin_put_access(producer, type | WORD, address, &value);
	}
}

void
plugin_powerpc_after(struct producer *producer, uint32_t opcode, bool values)
{
	const struct powerpc_instruction *found = powerpc_find(opcode);
	const unsigned ra = opcode >> 16 & 31, rb = opcode >> 11 & 31;
	struct poly_powerpc_state state = {.wide = false};
	uint64_t address;
	state.gpr[ra] = get(producer, ra);
	state.gpr[rb] = get(producer, rb);
	if (!powerpc_address(opcode, &state, plugin.target->address_bits == 64, &address))
		return;
	if (found->flags & POWERPC_MULTIPLE && values)
		put_multiple(producer, opcode, address);
	else if (found->flags & (POWERPC_MULTIPLE | POWERPC_STRING))
		put_words(producer, opcode, address,
			powerpc_size(opcode, (uint32_t)get(producer, XER), 0));
	else
		plugin_put_access(producer,
			(uint32_t)found->access << CHANNEL_ACCESS_SHIFT | found->size, address,
			NULL);
}
