/* SPDX-License-Identifier: MIT */
/* Register numbers of CIS 501 traces. */
#ifndef POLYTRACE_CIS501_H
#define POLYTRACE_CIS501_H

#include "polytrace/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Returns the name of a register number in the columns src1, src2 and dest of a CIS 501 trace:
 * "rax" to "r15" for 0 to 15, "t0" and "t1" for the temporaries 44 and 45, "flags" for 49,
 * which the course's programs use for the condition codes (published traces of Penn CIS 501).
 * Static; NULL for a number without a name.
 */
POLY_API const char *poly_cis501_register_name(uint64_t number);

#ifdef __cplusplus
}
#endif

#endif
