/* SPDX-License-Identifier: MIT */
/*
 * Declarations shared by the reader and the writer of lackey traces.
 *
 * spec: polytrace-lackey(5)
 */
#ifndef FORMAT_LACKEY_LACKEY_H
#define FORMAT_LACKEY_LACKEY_H

#include "format/line/line.h"

/* Minimum digits of an address. */
#define LACKEY_ADDRESS_DIGITS 8

/* Values of the column record. */
enum lackey_record {
	LACKEY_INSTRUCTION,
	LACKEY_LOAD,
	LACKEY_STORE,
	LACKEY_MODIFY,
	LACKEY_MESSAGE,
	LACKEY_OUTPUT,
	LACKEY_CORRUPT,
	LACKEY_RECORD_COUNT
};

/* Names of the record types. */
extern const char *const lackey_records[LACKEY_RECORD_COUNT];

struct lackey_writer {
	bool modify; /* the load of a modify is pending */
	uint64_t address, size;
	bool skip_store;      /* the line of a modify was copied: skip its store */
	uint8_t records[256]; /* by the source's record type; LACKEY_RECORD_COUNT: decide by
			       * columns
			       */
};

/* Functions of struct format. */
bool lackey_continues_line(
	const struct writing *writing, const struct poly_batch *batch, size_t row);

enum poly_status lackey_wopen(struct writing *writing, struct poly_error *error);
enum poly_status lackey_write(
	struct writing *writing, const struct poly_batch *batch, struct poly_error *error);
bool lackey_predict_state(
	struct writing *writing, const struct poly_batch *batch, size_t row, size_t count);
enum poly_status lackey_wfinish(struct writing *writing, struct poly_error *error);

#endif
