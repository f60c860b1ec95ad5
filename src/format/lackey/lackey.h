/* SPDX-License-Identifier: MIT */
/*
 * What reading and writing traces of lackey share.
 *
 * spec: polytrace-lackey(5)
 */
#ifndef FORMAT_LACKEY_LACKEY_H
#define FORMAT_LACKEY_LACKEY_H

#include "format/line.h"

/* Digits of an address that has fewer. */
#define LACKEY_ADDRESS_DIGITS 8

/* Values of the column record. */
enum lackey_record {
	LACKEY_INSTRUCTION,
	LACKEY_LOAD,
	LACKEY_STORE,
	LACKEY_MODIFY,
	LACKEY_MESSAGE,
	LACKEY_OUTPUT,
	LACKEY_DAMAGED,
	LACKEY_RECORD_COUNT
};

/* The names of records. */
extern const char *const lackey_records[LACKEY_RECORD_COUNT];

struct lackey_writer {
	bool modify; /* a modify's load is held back */
	uint64_t address, size;
	bool passing;	      /* the line of a modify was written: its store is passed over */
	uint8_t records[256]; /* of the source's records; LACKEY_RECORD_COUNT: look at columns
			       */
};

enum poly_status lackey_wopen(struct writing *writing, struct poly_error *error);
enum poly_status lackey_write(
	struct writing *writing, const struct poly_batch *batch, struct poly_error *error);
enum poly_status lackey_wfinish(struct writing *writing, struct poly_error *error);

#endif
