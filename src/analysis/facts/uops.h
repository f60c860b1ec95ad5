/* SPDX-License-Identifier: MIT */
/* Converts rows to the micro-operations of the CIS 501 course models. */
#ifndef ANALYSIS_UOPS_H
#define ANALYSIS_UOPS_H

#include "polytrace/trace.h"

#include "course/course.h"

/* Required and optional columns of a micro-operation. */
#define UOP_NEEDS kind, pc, uop_index, src1, src2, dest, flags, fallthrough, target
#define UOP_WANTS branch, access, address, immediate
#define UOP_NAMES mnemonic, uop_name

/*
 * Sets *uop to the micro-operation of a row, without its number; false: not an instruction. A
 * number that the column cannot hold (a register above 255) is absent. Names that were not
 * decoded are "".
 */
bool uop_of_row(const struct poly_batch *batch, size_t row, struct course_uop *uop);

#endif
