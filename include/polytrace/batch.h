/* SPDX-License-Identifier: MIT */
/*
 * The record model: a trace is a table, delivered as batches of rows with one array per column.
 *
 * A row is one record of the format. Absence is a presence bit, never a 0 or a -1; a column
 * that is absent from the whole batch is a NULL pointer.
 */
#ifndef POLYTRACE_BATCH_H
#define POLYTRACE_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include "polytrace/columns.h"
#include "polytrace/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Maximum rows of a batch, whose hot columns then fit a second-level cache. */
#define POLY_BATCH_ROWS 4096

/* Bytes in the arena of a batch: offset from batch->arena and length, both in bytes. */
struct poly_slice {
	uint32_t offset; /* of the first byte */
	uint32_t length; /* in bytes */
};

/* How a column is printed and what its integers mean. */
enum poly_form {
	POLY_FORM_KIND,	  /* enum poly_kind */
	POLY_FORM_ACCESS, /* enum poly_access */
	POLY_FORM_BRANCH, /* enum poly_branch */
	POLY_FORM_SYNC,	  /* enum poly_sync */
	POLY_FORM_EVENT,  /* enum poly_event */
	POLY_FORM_FLAGS,  /* enum poly_flags */
	POLY_FORM_RECORD, /* index into the records of the trace's information */
	POLY_FORM_NAME,	  /* number of an interned string of the trace: poly_trace_name */
	POLY_FORM_BOOL,	  /* 0 or 1 */
	POLY_FORM_DEC,	  /* printed in decimal */
	POLY_FORM_HEX,	  /* printed in hexadecimal */
	POLY_FORM_BYTES,  /* struct poly_slice, printed in hexadecimal */
	POLY_FORM_TEXT,	  /* struct poly_slice, printed as text */
};

/* Kinds of records. */
enum poly_kind {
	POLY_KIND_INSTRUCTION, /* an executed instruction or micro-operation */
	POLY_KIND_ACCESS,      /* a memory, bus or port access as a record of its own */
	POLY_KIND_REGISTER,    /* a write to a register */
	POLY_KIND_SYNC,	       /* a synchronisation between threads */
	POLY_KIND_EVENT,       /* an interrupt, special cycle, trace hook */
	POLY_KIND_OTHER,       /* metadata, context records, unrecognised bytes */
	POLY_KIND_COUNT	       /* number of kinds */
};

/* Access types. */
enum poly_access {
	POLY_ACCESS_READ,     /* a load */
	POLY_ACCESS_WRITE,    /* a store */
	POLY_ACCESS_FETCH,    /* an instruction fetch */
	POLY_ACCESS_PREFETCH, /* a hint that loads nothing architecturally */
	POLY_ACCESS_CACHE,    /* a cache operation on the line of the address */
	POLY_ACCESS_IO_READ,  /* a read of a port */
	POLY_ACCESS_IO_WRITE, /* a write of a port */
	POLY_ACCESS_COUNT     /* number of values */
};

/* Outcomes of a branch. */
enum poly_branch {
	POLY_BRANCH_NOT_TAKEN, /* fell through */
	POLY_BRANCH_TAKEN,     /* went to its target */
	POLY_BRANCH_COUNT      /* number of values */
};

/* Synchronisation operations (TT6 escape records 0x20, 0x21, 0x30, 0x31; Apple amber traces).
 */
enum poly_sync {
	POLY_SYNC_SIGNAL,    /* mutex unlock or condition signal */
	POLY_SYNC_BROADCAST, /* condition broadcast */
	POLY_SYNC_WAIT,	     /* mutex lock or condition wait completed */
	POLY_SYNC_TRYWAIT,   /* mutex trylock succeeded */
	POLY_SYNC_COUNT	     /* number of values */
};

/* Bus events (BYU BACH bus trace reference 2.4 and 4.3). */
enum poly_event {
	POLY_EVENT_INTERRUPT_ACKNOWLEDGE, /* INTA cycle */
	POLY_EVENT_SHUTDOWN,		  /* triple fault */
	POLY_EVENT_FLUSH,		  /* INVD, and after WBINVD */
	POLY_EVENT_HALT,		  /* HLT */
	POLY_EVENT_STOP_GRANT,		  /* STPCLK# */
	POLY_EVENT_WRITE_BACK,		  /* WBINVD */
	POLY_EVENT_FLUSH_ACKNOWLEDGE,	  /* FLUSH# pin */
	POLY_EVENT_BRANCH_TRACE,	  /* branch trace message */
	POLY_EVENT_SYNC,		  /* byutr sync */
	POLY_EVENT_SMI_ACKNOWLEDGE,	  /* SMI acknowledge */
	POLY_EVENT_DEFERRED_REPLY,	  /* reply of a deferred bus request */
	POLY_EVENT_AGENT_RESPONSE,	  /* central agent response */
	POLY_EVENT_COUNT		  /* number of values */
};

/* Use of the condition codes by a micro-operation (CIS 501 trace format). */
enum poly_flags {
	POLY_FLAGS_NONE,  /* neither */
	POLY_FLAGS_READ,  /* reads them */
	POLY_FLAGS_WRITE, /* writes them */
	POLY_FLAGS_BOTH,  /* reads and writes them */
	POLY_FLAGS_COUNT  /* number of values */
};

struct poly_trace_info;
struct poly_batch_internal;

/* Slots for columns in a batch: more than there are, so that a new column moves nothing. */
#define POLY_BATCH_SLOTS 255

/*
 * Rows of a trace, read only. Arrays, bitmaps and arena belong to the producer of the batch and
 * are valid until its next call. Who builds a batch sets it to zero first.
 */
struct poly_batch {
	size_t rows;			    /* 0 to POLY_BATCH_ROWS */
	uint64_t first;			    /* rows of the trace before row 0 */
	const uint32_t *picked;		    /* rows selected by a filter: their indices in the
					       batch that it filtered; else NULL */
	const struct poly_trace_info *info; /* information on the whole trace; never NULL */
	const uint8_t *arena;		    /* text and raw bytes; slices point into it */
	size_t arena_size;		    /* bytes in the arena */
	/* What the reader knows about rows, for other functions of the library; or NULL. */
	const struct poly_batch_internal *internal;
	/* Per column a bitmap, row r in bit r % 64 of word r / 64; NULL with its column. */
	const uint64_t *present[POLY_BATCH_SLOTS];
	/* Per column an array of rows elements, or NULL; undefined if not present. */
#define COLUMN(name, type, form, doc) type *name;
#include "polytrace/columns.def"
#undef COLUMN
	void *reserved[POLY_BATCH_SLOTS - POLY_COLUMN_COUNT]; /* for later columns: NULL */
};

/* Returns whether row (below batch->rows) has a value in the column. */
static inline bool
poly_present(const struct poly_batch *batch, enum poly_column column, size_t row)
{
	if (column == POLY_COLUMN_row)
		return true;
	const uint64_t *bits = batch->present[column];
	return bits && (bits[row / 64] >> (row % 64) & 1);
}

/*
 * The record's number: 1 for the first record of the trace, counted over all records of the
 * file whatever is selected. row is below batch->rows.
 */
static inline uint64_t
poly_batch_number(const struct poly_batch *batch, size_t row)
{
	return batch->first + (batch->picked ? batch->picked[row] : row) + 1;
}

/* The name of a column: as in columns.def, or "row". Static; NULL if out of range. */
POLY_API const char *poly_column_name(enum poly_column column);

/*
 * Returns the number of records that each row represents, 1 or more; NULL: one each, unless the
 * plan of the reader accepts weights. Weighted rows come in the order of the first record that
 * each represents, and have no number in the trace. Valid as long as the batch.
 */
POLY_API const uint64_t *poly_batch_weights(const struct poly_batch *batch);

/* The form of a column, which must be POLY_COLUMN_row or below POLY_COLUMN_COUNT. */
POLY_API enum poly_form poly_column_form(enum poly_column column);

/* The description of a column. Static; NULL if out of range. */
POLY_API const char *poly_column_doc(enum poly_column column);

/*
 * The column of a name of n bytes among those that batches store; POLY_COLUMN_COUNT if there is
 * none.
 */
POLY_API enum poly_column poly_column_find(const char *name, size_t n);

/*
 * The name of value in an enumeration's form (KIND ACCESS BRANCH SYNC EVENT FLAGS). Static;
 * NULL for other forms and for values out of range.
 */
POLY_API const char *poly_enum_name(enum poly_form form, unsigned value);

/* The value of a name of n bytes in an enumeration's form; -1 if there is none. */
POLY_API int poly_enum_find(enum poly_form form, const char *name, size_t n);

/*
 * The value of an integer column (any form but BYTES and TEXT) in a row that has one.
 * Signed columns are sign-extended to 64 bits.
 */
POLY_API uint64_t poly_batch_integer(
	const struct poly_batch *batch, enum poly_column column, size_t row);

/* The bytes of a BYTES or TEXT column in a row that has a value; *length is in bytes. */
POLY_API const uint8_t *poly_batch_bytes(
	const struct poly_batch *batch, enum poly_column column, size_t row, size_t *length);

/*
 * Formats the value of a column in a row as listings, CSV and JSON print it: names of
 * enumerations, hexadecimal with 0x, decimal, bytes in hexadecimal without 0x, text verbatim.
 * Writes at most size bytes with a NUL and returns the length of the complete text, as snprintf
 * does; 0 and an empty string if the value is absent.
 */
POLY_API size_t poly_batch_format(const struct poly_batch *batch, enum poly_column column,
	size_t row, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
