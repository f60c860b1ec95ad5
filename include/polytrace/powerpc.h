/* SPDX-License-Identifier: MIT */
/*
 * PowerPC data in amber traces: the register state of a FULL record and the stream of a dst
 * instruction.
 */
#ifndef POLYTRACE_POWERPC_H
#define POLYTRACE_POWERPC_H

#include "polytrace/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The user state of a PowerPC processor in a FULL record (TT6 trace format, FULL trace format;
 * Apple amber traces 4.7). */
struct poly_powerpc_state {
	bool wide; /* 64-bit state: pc, msr, gpr, xer, lr and ctr have 64 bits, else 32 */
	uint64_t pc, msr;      /* srr0 and srr1 */
	uint64_t gpr[32];      /* general purpose registers; upper half 0 unless wide */
	uint64_t fpr[32];      /* floating-point registers, raw bits */
	uint8_t vr[32][16];    /* vector registers, byte 0 most significant */
	uint32_t cr;	       /* condition register, field 0 in the upper four bits */
	uint64_t xer, lr, ctr; /* special purpose registers */
	uint32_t mq;	       /* 601's MQ; 0 in records with 64-bit state */
	uint32_t vrsave;       /* which vector registers are in use */
	uint32_t fpscr;	       /* floating-point status and control */
	uint32_t vscr;	       /* vector status and control, word 3 of the saved quadword */
	uint32_t vrvalid;      /* bit 31 - n: VR n is live */
};

/*
 * Decodes the state of row (below batch->rows) of a batch of a FULL trace, or with FULL
 * payloads: before the row's instruction or, if the trace has the fact "amber.state" = "post",
 * after it. POLY_ERR_FORMAT: the row has no payload, or its length fits no layout of Apple
 * amber traces 4.7.
 */
POLY_API enum poly_status poly_powerpc_state_decode(const struct poly_batch *batch, size_t row,
	struct poly_powerpc_state *state, struct poly_error *error);

/*
 * Formats a register of a state by name as hexadecimal digits without 0x: r0 to r31, f0 to f31,
 * v0 to v31, pc msr (or srr0 srr1) cr xer lr ctr mq vrsave fpscr vscr vrvalid; in the full
 * width of the register. Returns the number of digits, at most 32; 0: no such register. text
 * has room for 33 bytes.
 */
POLY_API size_t poly_powerpc_register(
	const struct poly_powerpc_state *state, const char *name, char *text);

/* A data stream of dst, dstt, dstst or dststt (Apple amber traces 4.5). */
struct poly_powerpc_stream {
	unsigned block_size;  /* 16-byte vectors of a block, 1 to 32 */
	unsigned block_count; /* blocks, 1 to 256 */
	int stride;	      /* bytes from block to block, -32768 to 32768, never 0 */
};

/* Decodes a stream from the contents of rB (the column value of a dst row). */
POLY_API struct poly_powerpc_stream poly_powerpc_stream_decode(uint32_t rb);

/*
 * Decodes the stream of row (below batch->rows), an instruction of a PowerPC trace; false: it
 * is not dst, dstt, dstst or dststt, or the row does not have the value of rB.
 */
POLY_API bool poly_powerpc_stream_of(
	const struct poly_batch *batch, size_t row, struct poly_powerpc_stream *stream);

#ifdef __cplusplus
}
#endif

#endif
