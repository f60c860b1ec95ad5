/* SPDX-License-Identifier: MIT */
/* Values of which some digits are not known, in the lines of text that have them. */
#ifndef CORRELATE_DIFF_UNKNOWN_H
#define CORRELATE_DIFF_UNKNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A value of up to 16 hexadecimal digits. */
struct partial_value {
	uint64_t value; /* unknown digits are 0 */
	uint64_t known; /* the bits that are known */
	uint32_t digits;
};

/*
 * The last word of a line that is made of hexadecimal digits and at least one x, X, -, ? or #
 * that stands for one; _ and : may stand between them. False where there is none.
 */
bool unknown_find(const uint8_t *line, size_t n, struct partial_value *value);

#endif
