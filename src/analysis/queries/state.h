/* SPDX-License-Identifier: MIT */
/* Reconstructed registers and memory. */
#ifndef ANALYSIS_STATE_H
#define ANALYSIS_STATE_H

#include "polytrace/powerpc.h"
#include "polytrace/state.h"

#include "base/buf.h"
#include "base/map.h"

/* Maximum size of a register in bytes. */
#define STATE_REGISTER_MAX 256

struct state_register {
	uint64_t context;
	uint32_t name;	 /* of the trace's names */
	uint32_t digits; /* hexadecimal digits of wide; 0: value is valid */
	uint32_t size;	 /* bytes of value; 0: not known */
	uint32_t room;	 /* bytes allocated in wide */
	bool is_known;	 /* false after a write of unknown digits */
	uint64_t value, record;
	uint8_t *wide; /* bytes of a value wider than 64 bits */
};

struct state_block {
	uint64_t address;
	uint8_t bytes[16];
	uint16_t known; /* one bit per byte */
	uint64_t record;
};

struct poly_state {
	struct poly_state_options options;
	const struct poly_trace_info *info;
	bool is_big;
	struct map register_numbers; /* by context number and name */
	struct map context_numbers;
	struct state_register *registers;
	uint32_t register_count, register_capacity;
	struct map block_numbers; /* by address / 16 */
	struct state_block *blocks;
	uint32_t block_count, block_capacity;
	bool full, failed;
	/* All registers, from a FULL record. */
	bool has_powerpc;
	struct poly_powerpc_state powerpc;
	uint64_t powerpc_record;
	uint64_t record, instruction, pc, time; /* of the last record or instruction; 0: none */
	bool has_time;
};

#endif
