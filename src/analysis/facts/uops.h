/* SPDX-License-Identifier: MIT */
/* Converts rows to the micro-operations of the CIS 501 course models. */
#ifndef ANALYSIS_UOPS_H
#define ANALYSIS_UOPS_H

#include "polytrace/trace.h"

#include "course/course.h"

/* Required and optional columns of a micro-operation. */
#define UOP_NEEDS                                                                           \
	(POLY_HAS(kind) | POLY_HAS(pc) | POLY_HAS(uop_index) | POLY_HAS(src1) |             \
		POLY_HAS(src2) | POLY_HAS(dest) | POLY_HAS(flags) | POLY_HAS(fallthrough) | \
		POLY_HAS(target))
#define UOP_WANTS \
	(POLY_HAS(branch) | POLY_HAS(access) | POLY_HAS(address) | POLY_HAS(immediate))
#define UOP_NAMES (POLY_HAS(mnemonic) | POLY_HAS(uop_name))

/*
 * Sets *uop to the micro-operation of a row, without its number; false: not an instruction. A
 * number that the column cannot hold (a register above 255) is absent. Names that were not
 * decoded are "".
 */
bool uop_of_row(const struct poly_batch *batch, size_t row, struct course_uop *uop);

#endif
