/* SPDX-License-Identifier: MIT */
/* State of the query "state": reconstructed registers and memory. */
#ifndef ANALYSIS_STATE_H
#define ANALYSIS_STATE_H

#include "polytrace/powerpc.h"

#include "analysis/core/analysis.h"
#include "base/intern.h"
#include "base/map.h"

/* Maximum number of 16-byte blocks of memory. */
#define STATE_BLOCKS_MAX 4194304

/* Maximum size of a register in bytes. */
#define STATE_REGISTER_MAX 256

struct state_register {
	uint64_t context;		 /* key */
	const char *context_name, *name; /* in names; context_name NULL: no context */
	uint32_t digits;       /* hexadecimal digits of wide; 0: value is valid */
	uint32_t size;	       /* bytes of value; 0: not known */
	uint32_t room;	       /* bytes allocated in wide */
	bool is_known;	       /* false after a write of unknown digits */
	uint64_t value, record;
	uint64_t unknown; /* bits of value */
	uint8_t *wide; /* bytes of a value wider than 64 bits */
};

struct state_block {
	uint64_t address;
	uint8_t bytes[16];
	uint16_t known; /* one bit per byte */
	uint64_t record;
};

struct state {
	uint64_t at;		     /* number of the last record to include */
	unsigned order;		     /* enum poly_byte_order, as the options set it */
	bool is_big;		     /* memory is big-endian */
	unsigned address_bits;	     /* of the trace; 0: unknown */
	struct intern names;	     /* of registers and contexts */
	struct map register_numbers; /* by context number and the trace's number of the name */
	struct map context_numbers;
	struct state_register *registers;
	uint32_t register_count, register_capacity;
	struct map block_numbers; /* by address / 16 */
	struct state_block *blocks;
	uint32_t block_count, block_capacity;
	bool is_full; /* more blocks than the maximum were accessed */
	/* All registers, from a FULL record. */
	bool has_powerpc;
	struct poly_powerpc_state powerpc;
	uint64_t powerpc_record;
	uint64_t record, instruction, pc, time; /* of the last record or instruction; 0: none */
	bool has_time;
};

/* Reports a state. */
void query_state_report(
	const void *state, const struct static_ops *ops, struct poly_report *report);

#endif
