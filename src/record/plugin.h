/* SPDX-License-Identifier: MIT */
/* What the files of the plugin share: the threads of the program, and how they store records.
 */
#ifndef RECORD_PLUGIN_H
#define RECORD_PLUGIN_H

#include "record/channel.h"
#include "record/qemu_api.h"
#include "record/target.h"

/* Calls of synchronizing functions that a thread has not returned from. */
#define PENDING_MAX 16

/* A call whose record follows its work. */
struct pending_call {
	uint64_t return_address, object;
	const struct channel_function *function;
};

/* A processor of the emulator, which is a thread of the program. */
struct producer {
	_Alignas(64) uint32_t *words; /* of the current chunk */
	_Atomic uint32_t *shared;     /* their number, as the recorder reads it */
	uint32_t used;		      /* their number; PLUGIN_FULL: a chunk is needed */
	uint32_t pending_count;
	struct channel_slot *slot; /* NULL: none yet, or nothing is recorded */
	struct qemu_cpu *cpu;
	struct qemu_bytes *bytes; /* of a register */
	bool has_registers;	  /* registers have been read */
	uint64_t registers[TARGET_REGISTERS_MAX];
	struct pending_call pending[PENDING_MAX];
};

struct plugin {
	struct channel *channel;
	const struct target *target;
	qemu_read_register *read_register; /* NULL: none */
};
extern struct plugin plugin;

/* Words of a chunk from which on the next instruction begins another one. */
#define PLUGIN_FULL (CHANNEL_WORDS - CHANNEL_ROOM)

/* Provides a chunk with room for an instruction. */
void plugin_make_room(struct producer *producer);

/* Finds the emulator's processor of a producer; false: its registers cannot be read. */
bool plugin_find_processor(struct producer *producer, unsigned vcpu);

/* Reads a register by its number; returns its bytes, 0: the emulator has none of this number.
 */
unsigned plugin_get_register(struct producer *producer, unsigned number, uint64_t *value);

/* Reads size bytes of the program's memory, as a number of this order. */
uint64_t plugin_read_memory(uint64_t address, unsigned size, bool big_endian);

/* Makes the words up to used visible to the recorder. */
static inline void
plugin_publish(struct producer *producer, uint32_t used)
{
	producer->used = used;
	atomic_store_explicit(producer->shared, used, memory_order_release);
}

/* Stores a number at a word; returns the next one. */
static inline uint32_t
plugin_put_number(struct producer *producer, uint32_t at, uint64_t value)
{
	producer->words[at] = (uint32_t)value;
	producer->words[at + 1] = (uint32_t)(value >> 32);
	return at + 2;
}

/* Stores the record of an access: its type and size as in the channel; value NULL: none. */
static inline void
plugin_put_access(
	struct producer *producer, uint32_t bits, uint64_t address, const uint64_t *value)
{
	if (producer->used + 5 > CHANNEL_WORDS)
		plugin_make_room(producer);
	uint32_t at = producer->used;
	producer->words[at] = (uint32_t)CHANNEL_ACCESS << CHANNEL_TYPE_SHIFT | bits |
			      (value ? (uint32_t)CHANNEL_HAS_VALUE : 0);
	at = plugin_put_number(producer, at + 1, address);
	if (value)
		at = plugin_put_number(producer, at, *value);
	plugin_publish(producer, at);
}

#endif
