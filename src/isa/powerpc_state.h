/* SPDX-License-Identifier: MIT */
/*
 * The five layouts of a PowerPC register state, as FULL records and their payloads hold it:
 * byte order, and registers by offset. Pure functions; any thread.
 *
 * spec: TT6 trace format (FULL trace format); Apple amber traces 4.7.
 */
#ifndef ISA_POWERPC_STATE_H
#define ISA_POWERPC_STATE_H

#include "polytrace/powerpc.h"

#include "base/bits.h"

#define POWERPC_LAYOUTS 5
#define POWERPC_RECORD_MAX 1160 /* bytes of the largest record */

/* Byte offsets of a layout's registers from the opcode word. */
struct powerpc_layout {
	uint16_t record;	  /* bytes of a record */
	bool wide;		  /* thread state of 64 bits */
	uint16_t pc, msr, gpr;	  /* srr0, srr1, r0; 4 bytes each, 8 if wide */
	uint16_t cr, xer;	  /* xer, lr and ctr as srr0; cr has 4 bytes */
	uint16_t lr, ctr, mq;	  /* mq has 4 bytes; offset 0: absent */
	uint16_t vrsave;	  /* the last 4 bytes of the thread state proper */
	uint16_t floats, vectors; /* the other two states */
};

/* By ascending record size: A to E. */
extern const struct powerpc_layout powerpc_layouts[POWERPC_LAYOUTS];

/* Offsets in the float state and in the vector state. */
#define POWERPC_FPSCR_PAD 256
#define POWERPC_FPSCR_OFFSET 260
#define POWERPC_VSCR_OFFSET 512
#define POWERPC_PAD5 528
#define POWERPC_VRVALID 544
#define POWERPC_PAD6 548
#define POWERPC_PAD5_SIZE 16
#define POWERPC_PAD6_SIZE 28

/* Interpretation of a trace's records. */
struct powerpc_dialect {
	const struct powerpc_layout *layout;
	bool little; /* bytes of every word, and of every 64-bit register, are reversed */
	bool post;   /* a record has the state after its instruction */
};

/* Loads a word of 4 bytes in the dialect's order. */
static inline uint32_t
powerpc_word(const struct powerpc_dialect *dialect, const uint8_t *p)
{
	return dialect->little ? load_le32(p) : load_be32(p);
}

/* Loads a number of 8 bytes in the dialect's order. */
static inline uint64_t
powerpc_long(const struct powerpc_dialect *dialect, const uint8_t *p)
{
	return dialect->little ? load_le64(p) : load_be64(p);
}

/* Loads a register of the thread state of srr0's width. */
static inline uint64_t
powerpc_state_register(const struct powerpc_dialect *dialect, const uint8_t *p)
{
	return dialect->layout->wide ? powerpc_long(dialect, p) : powerpc_word(dialect, p);
}

/* Returns general purpose register n of a record. */
static inline uint64_t
powerpc_gpr(const struct powerpc_dialect *dialect, const uint8_t *record, unsigned n)
{
	unsigned size = dialect->layout->wide ? 8 : 4;
	return powerpc_state_register(dialect, record + dialect->layout->gpr + n * size);
}

/* Returns whether the state is in 64-bit mode: bit 0 (SF) of its MSR. */
static inline bool
powerpc_is_wide(const struct powerpc_dialect *dialect, const uint8_t *record)
{
	return dialect->layout->wide &&
	       powerpc_long(dialect, record + dialect->layout->msr) >> 63 != 0;
}

/* Registers of a state, by number: general, floating-point and vector registers, then special
 * ones. */
enum powerpc_state_number {
	STATE_GPR = 0,
	STATE_FPR = 32,
	STATE_VR = 64,
	STATE_PC = 96,
	STATE_MSR,
	STATE_CR,
	STATE_XER,
	STATE_LR,
	STATE_CTR,
	STATE_MQ,
	STATE_VRSAVE,
	STATE_FPSCR,
	STATE_VSCR,
	STATE_VRVALID,
	STATE_REGISTERS
};

/* The value of a register. */
struct powerpc_value {
	unsigned size;	     /* in bytes: 4, 8 or 16 */
	uint64_t number;     /* of up to 8 bytes */
	const uint8_t *wide; /* of 16 bytes, the most significant first; within the state */
};

/* Formats the name of a register by its number. */
void powerpc_state_name(unsigned number, char name[16]);

/* Returns the number of a register by its name, srr0 and srr1 included; STATE_REGISTERS: none.
 */
unsigned powerpc_state_find(const char *name);

/* Returns the value of a register of a state. */
struct powerpc_value powerpc_state_value(
	const struct poly_powerpc_state *state, unsigned number);

/* Returns whether a state has the value of a vector register, and not the filling of one that
 * the program does not use. */
static inline bool
powerpc_vector_is_live(const struct poly_powerpc_state *state, unsigned number)
{
	return state->vrvalid >> (31 - number) & 1;
}

/* Returns the layout of records of a size, or NULL. */
const struct powerpc_layout *powerpc_layout_find(uint64_t record_size);

#endif
