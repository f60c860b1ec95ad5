/* SPDX-License-Identifier: MIT */
/* Conditions of ARM instructions. Pure functions; any thread. */
#ifndef ISA_ARM_CONDITION_H
#define ISA_ARM_CONDITION_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Returns whether the condition of an instruction passes, from the value of CPSR before it: its
 * flags, and for Thumb also the state of an IT block. opcode and size are those of the columns,
 * size 2 or 4.
 *
 * spec: Arm Architecture Reference Manual ARMv7-A, A8.3 (conditional execution), A2.5.2
 * (ITSTATE), A8.8.18 (B).
 */
bool arm_condition_passes(uint64_t opcode, unsigned size, bool is_thumb, uint32_t cpsr);

#endif
