/* SPDX-License-Identifier: MIT */
/*
 * Declarations shared by the reader and the writer of Dinero traces.
 *
 * spec: polytrace-din(5)
 */
#ifndef FORMAT_DIN_DIN_H
#define FORMAT_DIN_DIN_H

#include "format/line/line.h"

#include "base/num.h"

enum { DIN_OPTION_FORM };

/* The forms of lines in the order of their option. */
enum din_form { DIN_PLAIN, DIN_SIZED, DIN_FORMS };

/* Values of the column record; the letters of the second form are in the same order. */
enum din_record {
	DIN_READ,
	DIN_WRITE,
	DIN_FETCH,
	DIN_MISC,
	DIN_FLUSH,
	DIN_COPY_BACK,
	DIN_INVALIDATE,
	DIN_BLANK,
	DIN_CORRUPT,
	DIN_RECORD_COUNT
};

/* Names of the record types, and of the forms; "auto" is the form of the source. */
extern const char *const din_records[DIN_RECORD_COUNT];
extern const char *const din_forms[];

struct din_writer {
	enum din_form form;
	unsigned digits;      /* minimum digits of an address */
	bool keeps;	      /* rows' own bytes are copied */
	uint8_t records[256]; /* by the source's record type; DIN_RECORD_COUNT: decide by
				 columns */
};

/* Returns the digits of an address that is written with at least `min` digits. */
static inline unsigned
address_digits(uint64_t address, unsigned min)
{
	unsigned n = num_hex_width(address);
	return n < min ? min : n;
}

enum poly_status din_wopen(struct writing *writing, struct poly_error *error);
enum poly_status din_write(
	struct writing *writing, const struct poly_batch *batch, struct poly_error *error);

#endif
