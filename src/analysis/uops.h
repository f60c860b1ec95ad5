/* SPDX-License-Identifier: MIT */
/* Rows as the micro-ops that the models of the CIS 501 course take. */
#ifndef ANALYSIS_UOPS_H
#define ANALYSIS_UOPS_H

#include "polytrace/trace.h"

#include "course/course.h"

/* Columns without which a row is no micro-op, and those that it may have. */
#define UOP_NEEDS                                                                           \
	(POLY_HAS(kind) | POLY_HAS(pc) | POLY_HAS(uop_index) | POLY_HAS(src1) |             \
		POLY_HAS(src2) | POLY_HAS(dest) | POLY_HAS(flags) | POLY_HAS(fallthrough) | \
		POLY_HAS(target))
#define UOP_WANTS \
	(POLY_HAS(branch) | POLY_HAS(access) | POLY_HAS(address) | POLY_HAS(immediate))
#define UOP_NAMES (POLY_HAS(mnemonic) | POLY_HAS(uop_name))

/*
 * The micro-op of a row, without its number; false where the row is no instruction. A number
 * that the column does not hold (a register above 255) is as absent. Names that were not
 * decoded are "".
 */
bool uop_of_row(const struct poly_batch *batch, size_t row, struct course_uop *uop);

#endif
