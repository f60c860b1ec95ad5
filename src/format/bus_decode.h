/* SPDX-License-Identifier: MIT */
/*
 * Six-byte bus records taken apart into columns, one function a column, many rows at a time.
 * There are two versions of every function: plain C, which is the reference, and 16 rows at a
 * time with the byte shuffles of SSSE3, about four times as fast. Pure.
 */
#ifndef FORMAT_BUS_DECODE_H
#define FORMAT_BUS_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bus_decoder {
	/* Byte enables and control of n records at p. */
	void (*split)(const uint8_t *p, size_t n, uint8_t *enables, uint8_t *control);
	/* to = table[operation]; returns all that was stored or-ed together. */
	uint8_t (*translate)(
		uint8_t *to, const uint8_t *control, size_t n, const uint8_t table[16]);
	/* The first lane asked for, 0 where none is or the operation moves no data. */
	void (*lanes)(uint8_t *to, const uint8_t *enables, const uint8_t *control, size_t n);
	/* The address, its low three bits replaced by the lane; true where one of them was
	 * not 0. Reads up to 4 bytes behind the records. */
	bool (*addresses)(
		uint64_t *to, const uint8_t *p, size_t n, const uint8_t *lanes, bool little);
	/* Bytes moved: those asked for, or line by operations that move a whole one. */
	void (*sizes)(uint32_t *to, const uint8_t *enables, const uint8_t *control, size_t n,
		uint8_t line);
};

/* The reference. */
extern const struct bus_decoder bus_plain;

/* The version for this processor. */
const struct bus_decoder *bus_decoder(void);

#endif
