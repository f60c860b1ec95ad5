/* SPDX-License-Identifier: MIT */
/*
 * Memory that the emulator of a recorded program and the recorder share. The emulator's threads
 * store records in chunks, the recorder reads the chunks; neither locks, so that whatever ends
 * the program leaves complete records.
 *
 * A thread of the program owns a slot, a ring of chunks. It stores words into the chunk at
 * head, and counts them after the last word of a record. When the chunk is full, or when
 * another thread may depend on what it did, it takes a ticket for the chunk and increments
 * head. The recorder reads chunks in the order of tickets and increments tail. All processes
 * of a program use the same memory.
 *
 * Words of a record, the first with its type in the highest bits:
 *
 *	instruction   its site
 *	access	      bits of enum channel_access, address, and the value if it has one
 *	register      bits of enum channel_register, and the value
 *	sync	      enum poly_sync; address and count
 *
 * Addresses and values are two words, the lower half first.
 */
#ifndef RECORD_CHANNEL_H
#define RECORD_CHANNEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define CHANNEL_MAGIC UINT64_C(0x706f6c7974726331)

enum {
	CHANNEL_SLOTS = 512,	   /* threads at a time */
	CHANNEL_CHUNKS = 32,	   /* of a slot; a power of 2 */
	CHANNEL_WORDS = 4096,	   /* of a chunk */
	CHANNEL_ROOM = 512,	   /* words of a chunk that are free before an instruction */
	CHANNEL_SITES = 1 << 24,   /* static instructions */
	CHANNEL_ENCODING = 16,	   /* bytes of the longest encoding, rounded up */
	CHANNEL_FUNCTIONS = 64,	   /* functions that synchronize threads */
	CHANNEL_OBJECTS = 1 << 16, /* objects that they synchronize by; a power of 2 */
};

/* Types of records, in bits 28 to 31 of the first word. */
enum channel_type {
	CHANNEL_INSTRUCTION, /* the other bits are the number of the site */
	CHANNEL_ACCESS,
	CHANNEL_REGISTER,
	CHANNEL_SYNC,
};
#define CHANNEL_TYPE_SHIFT 28
#define CHANNEL_SITE_MASK ((1u << CHANNEL_TYPE_SHIFT) - 1)

/* The first word of an access: its size in bits 0 to 7 (0: not known), its type in bits 8 to
 * 11, enum poly_access. */
enum channel_access {
	CHANNEL_SIZE_MASK = 0xff,
	CHANNEL_ACCESS_SHIFT = 8,
	CHANNEL_ACCESS_MASK = 15,
	CHANNEL_HAS_VALUE = 1 << 12,
};

/* The first word of a register: its number in the order of struct target in bits 0 to 7, its
 * bytes in bits 8 to 15. */
enum channel_register { CHANNEL_NUMBER_MASK = 0xff, CHANNEL_BYTES_SHIFT = 8 };

/* Modes of a site of ARM. */
enum channel_mode { CHANNEL_MODE_UNKNOWN, CHANNEL_MODE_ARM, CHANNEL_MODE_THUMB };

/* A static instruction. */
struct channel_site {
	uint64_t pc;
	uint8_t encoding[CHANNEL_ENCODING]; /* as in memory */
	uint8_t size;			    /* in bytes */
	_Atomic uint8_t mode;		    /* enum channel_mode */
	uint8_t unused[6];
};

enum channel_slot_state {
	CHANNEL_FREE,
	CHANNEL_CLAIMED, /* by a thread that sets it up */
	CHANNEL_LIVE,
	CHANNEL_ENDED, /* its thread has ended; free when it is read */
};

/* A thread. Head and tail count chunks, and are in lines of their own. */
struct channel_slot {
	_Alignas(64) _Atomic uint32_t state; /* enum channel_slot_state */
	int32_t process;
	uint32_t thread; /* number of the thread, from 1 */
	_Alignas(64) _Atomic uint32_t head;
	_Alignas(64) _Atomic uint32_t tail;
	_Alignas(64) _Atomic uint32_t used[CHANNEL_CHUNKS]; /* words */
	uint64_t ticket[CHANNEL_CHUNKS];
};

/* A function of the program. */
struct channel_function {
	uint64_t address;
	uint8_t sync;	/* enum poly_sync */
	bool is_tried;	/* it returns 0 if it did the work */
	bool at_return; /* the record follows the work */
};

/* An object that threads synchronize by: how often it was signaled. */
struct channel_object {
	_Atomic uint64_t address; /* 0: none */
	_Atomic uint64_t count;
};

/* Phases of the program. */
enum channel_phase {
	CHANNEL_STARTING, /* nothing is known */
	CHANNEL_LOADED,	  /* the first instruction waits; addresses are known */
	CHANNEL_RUNNING,  /* set by the recorder */
};

/* What is recorded besides instructions; bits. */
enum channel_content {
	CHANNEL_ACCESSES = 1,
	CHANNEL_REGISTERS = 2, /* and values of accesses */
};

struct channel {
	uint64_t magic, size;	  /* size: sizeof(struct channel) */
	int32_t recorder;	  /* process */
	uint32_t content;	  /* bits of enum channel_content */
	_Atomic uint32_t phase;	  /* enum channel_phase */
	_Atomic uint32_t closed;  /* nothing more is recorded */
	uint64_t start_code;	  /* address of the program's code, from CHANNEL_LOADED on */
	_Atomic uint32_t threads; /* that have begun */
	_Atomic uint32_t live;	  /* slots that are in use */
	_Atomic uint32_t waiting; /* threads that wait for a free slot */
	_Atomic uint32_t lost_threads; /* that found no free slot */
	_Atomic uint32_t forks;	       /* processes besides the first */
	_Atomic uint32_t executions;   /* of other programs */
	_Atomic uint32_t lost_sites;   /* more than CHANNEL_SITES */
	_Atomic uint32_t missing; /* bits of enum channel_content that the emulator lacks */
	uint32_t function_count;
	struct channel_function functions[CHANNEL_FUNCTIONS];
	struct channel_object objects[CHANNEL_OBJECTS]; /* by hash */
	_Alignas(64) _Atomic uint64_t tickets;
	_Atomic uint32_t sites;
	struct channel_slot slots[CHANNEL_SLOTS];
	_Alignas(64) uint32_t words[CHANNEL_SLOTS][CHANNEL_CHUNKS][CHANNEL_WORDS];
	struct channel_site site[CHANNEL_SITES];
};

#endif
