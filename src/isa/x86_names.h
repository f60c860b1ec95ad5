/* SPDX-License-Identifier: MIT */
/* Classes of x86 instructions by name, for traces without encodings. Pure functions; any
 * thread. */
#ifndef ISA_X86_NAMES_H
#define ISA_X86_NAMES_H

#include "isa/isa.h"

/*
 * Returns ISA_FLOAT for the name of an x87 or scalar SSE, AVX or FMA instruction in upper case,
 * ISA_VECTOR for one of MMX or of packed SSE and AVX, ISA_UNKNOWN for any other. A name that
 * SSE and a string instruction share, such as MOVSD, is that of SSE.
 */
enum isa_class x86_class_of_name(const char *full_name);

#endif
