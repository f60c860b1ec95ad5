/* SPDX-License-Identifier: MIT */
/* Finds values with unknown digits in lines of text. */
#ifndef EFFECTS_PARTIAL_VALUE_H
#define EFFECTS_PARTIAL_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A value of up to 16 hexadecimal digits. */
struct partial_value {
	uint64_t value; /* unknown digits are 0 */
	uint64_t known; /* mask of the known bits */
	uint32_t digits;
};

/*
 * Finds the last word of a line that consists of hexadecimal digits and at least one x, X, -, ?
 * or # for an unknown digit, possibly separated by _ and :. False: none.
 */
bool partial_value_find(const uint8_t *line, size_t n, struct partial_value *value);

#endif
