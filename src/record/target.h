/* SPDX-License-Identifier: MIT */
/*
 * Processors whose programs can be recorded, and their registers with the numbers of QEMU's GDB
 * stub, in one order for the plugin and the recorder. The program counter is not among them,
 * nor are the flags of x86, which the emulator computes when they are needed.
 *
 * spec: QEMU 7.2, gdbstub.c of each target (the numbers are those of GDB's own descriptions);
 * verified by comparison with logs of the same runs.
 */
#ifndef RECORD_TARGET_H
#define RECORD_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum registers of a target. */
#define TARGET_REGISTERS_MAX 96

struct target_register {
	char name[8];	/* as the instruction set names it */
	uint8_t number; /* of the GDB stub */
};

/* Maximum system calls of a target that create threads or processes. */
#define TARGET_CREATIONS 3

struct target {
	const char *name;		      /* as QEMU names it */
	const char *isa;		      /* as poly_isa_at lists it */
	uint16_t execve;		      /* number of the system call */
	uint16_t creations[TARGET_CREATIONS]; /* fork, vfork, clone; 0: none */
	uint8_t address_bits;
	bool big_endian;
	bool has_own_order;    /* encodings are bytes, not words of the target's order */
	uint8_t argument;      /* number of the register of a function's first argument */
	uint8_t link;	       /* of its return address */
	uint8_t result;	       /* of its result */
	bool has_stack_call;   /* the return address is on the stack, to which link points */
	uint8_t masked;	       /* number of a register of which only mask is recorded */
	uint32_t mask;	       /* 0: no such register */
	size_t register_count; /* of ARM the last one is CPSR */
	const struct target_register *registers;
};

/* Returns the i-th target from 0; NULL after the last one. */
const struct target *target_at(size_t i);

/* Returns a target by its name; NULL: no such target. */
const struct target *target_find(const char *name);

#endif
