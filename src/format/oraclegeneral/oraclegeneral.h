/* SPDX-License-Identifier: MIT */
/* Requests of oracleGeneral, and the state of its writer. */
#ifndef FORMAT_ORACLEGENERAL_ORACLEGENERAL_H
#define FORMAT_ORACLEGENERAL_ORACLEGENERAL_H

#include "format/core/format.h"

#include "base/bits.h"
#include "base/buf.h"

#define ORACLE_SIZE 24 /* bytes of a request */
#define ORACLE_NEXT 16 /* where the number of the next request begins, of 8 bytes */
#define ORACLE_NEXT_SIZE 8

/* The object is not requested again. */
#define ORACLE_NEVER (-1)

/* Values of the column record. */
enum { ORACLE_REQUEST, ORACLE_CORRUPT, ORACLE_RECORDS };

struct spill_buffer;

/* The writer's state. */
struct oracle_writer {
	uint64_t line;		       /* bytes of an object; 0: an address is an object */
	struct spill_buffer *requests; /* all of them, as the next one must be known */
	uint64_t count;		       /* of requests */
	bool is_prefix;		       /* they are the first ones of a trace of this format */
	struct buf tail;	       /* an incomplete last request */
};

/* The writer's functions of struct format. */
enum poly_status oracle_wopen(struct writing *writing, struct poly_error *error);
enum poly_status oracle_write(
	struct writing *writing, const struct poly_batch *batch, struct poly_error *error);
enum poly_status oracle_wfinish(struct writing *writing, struct poly_error *error);
void oracle_wclose(struct writing *writing);

#endif
