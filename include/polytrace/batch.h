/* SPDX-License-Identifier: MIT */
/*
 * The record model: a trace is a table, delivered as batches of rows with one array a column.
 *
 * A row is what its format calls a record. Absence is a presence bit, never a 0 or a -1; a
 * column that a batch does not have at all is a NULL pointer.
 */
#ifndef POLYTRACE_BATCH_H
#define POLYTRACE_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "polytrace/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Most rows of one batch; small enough that the hot columns stay in a second-level cache. */
#define POLY_BATCH_ROWS 4096

/* Bytes in the arena of a batch: offset from batch->arena and length, both in bytes. */
struct poly_slice {
	uint32_t offset; /* of the first byte */
	uint32_t length; /* in bytes */
};

/* One number a column: POLY_COLUMN_pc and so on, in the order of columns.def. */
enum poly_column {
#define COLUMN(name, type, form, doc) POLY_COLUMN_##name,
#include "polytrace/columns.def"
#undef COLUMN
	POLY_COLUMN_COUNT /* how many columns there are */
};

/* A set of columns: bit n is column n. */
typedef uint64_t poly_columns;

/* The set of one column, by its name: POLY_HAS(pc) | POLY_HAS(opcode). */
#define POLY_HAS(name) ((poly_columns)1 << POLY_COLUMN_##name)

/* Every column. */
#define POLY_ALL_COLUMNS ((((poly_columns)1 << (POLY_COLUMN_COUNT - 1)) << 1) - 1)

/* How a column is shown and what its integers mean. */
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
	POLY_FORM_DEC,	  /* shown in decimal */
	POLY_FORM_HEX,	  /* shown in hexadecimal */
	POLY_FORM_BYTES,  /* struct poly_slice, shown in hexadecimal */
	POLY_FORM_TEXT,	  /* struct poly_slice, shown as text */
};

/* What a row is. */
enum poly_kind {
	POLY_KIND_INSTRUCTION, /* an instruction or micro-operation that was executed */
	POLY_KIND_ACCESS,      /* a memory, bus or port access as a record of its own */
	POLY_KIND_REGISTER,    /* a register was written */
	POLY_KIND_SYNC,	       /* a synchronisation between threads */
	POLY_KIND_EVENT,       /* an interrupt, special cycle, trace hook */
	POLY_KIND_OTHER,       /* leading facts, context records, bytes not understood */
	POLY_KIND_COUNT	       /* how many kinds there are */
};

/* What happened at the row's address. */
enum poly_access {
	POLY_ACCESS_READ,     /* a load */
	POLY_ACCESS_WRITE,    /* a store */
	POLY_ACCESS_FETCH,    /* an instruction fetch */
	POLY_ACCESS_PREFETCH, /* a hint that loads nothing architecturally */
	POLY_ACCESS_CACHE,    /* a cache operation on the line of the address */
	POLY_ACCESS_IO_READ,  /* a read of a port */
	POLY_ACCESS_IO_WRITE, /* a write of a port */
	POLY_ACCESS_COUNT     /* how many there are */
};

/* Which way a branch went. */
enum poly_branch {
	POLY_BRANCH_NOT_TAKEN, /* fell through */
	POLY_BRANCH_TAKEN,     /* went to its target */
	POLY_BRANCH_COUNT      /* how many there are */
};

/* Synchronisation operations (TT6 escape records 0x20, 0x21, 0x30, 0x31; seed 000). */
enum poly_sync {
	POLY_SYNC_SIGNAL,    /* mutex unlock or condition signal */
	POLY_SYNC_BROADCAST, /* condition broadcast */
	POLY_SYNC_WAIT,	     /* mutex lock or condition wait completed */
	POLY_SYNC_TRYWAIT,   /* mutex trylock succeeded */
	POLY_SYNC_COUNT	     /* how many there are */
};

/* Bus events (reference bach 2.4 and 4.3). */
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
	POLY_EVENT_COUNT		  /* how many there are */
};

/* Use of the condition codes by a micro-operation (seed 004). */
enum poly_flags {
	POLY_FLAGS_NONE,  /* neither */
	POLY_FLAGS_READ,  /* reads them */
	POLY_FLAGS_WRITE, /* writes them */
	POLY_FLAGS_BOTH,  /* reads and writes them */
	POLY_FLAGS_COUNT  /* how many there are */
};

struct poly_trace_info;
struct poly_patterns;
struct poly_order;

/*
 * Some rows of a trace. Arrays, bitmaps and arena belong to whoever delivered the batch and
 * hold until its next call. To be read only.
 */
struct poly_batch {
	size_t rows;			    /* 0 to POLY_BATCH_ROWS */
	uint64_t first;			    /* rows of the trace before row 0 */
	const uint32_t *picked;		    /* where a filter chose rows: their numbers in the
					       batch it chose from; else NULL */
	const struct poly_trace_info *info; /* facts of the whole trace; never NULL */
	const uint8_t *arena;		    /* text and raw bytes; slices point into it */
	size_t arena_size;		    /* bytes in the arena */
	/* Per column a bitmap, row r in bit r % 64 of word r / 64; NULL with its column. */
	const uint64_t *present[POLY_COLUMN_COUNT];
	/*
	 * Numbers of patterns by row; NULL: not known. Rows of the same number, in this batch
	 * and in every other one of the same pattern_epoch, have values in the same columns,
	 * and the same values in all that are not in varying. (Names are the same as texts.)
	 * Numbers are small, as they count the patterns of a stretch of the trace.
	 */
	const uint32_t *pattern;
	uint64_t pattern_epoch; /* whatever else changes with it */
	poly_columns varying;	/* columns that differ among rows of a pattern */
	/*
	 * How many records each row stands for, 1 or more; NULL: for one. Only readers that are
	 * told to (poly_reader_accept_weights) give it. Such rows come in the order of the
	 * first record that each of them stands for, and have no number in the trace.
	 */
	const uint64_t *weight;
	/* Per column an array of rows elements, or NULL; undefined where not present. */
#define COLUMN(name, type, form, doc) type *name;
#include "polytrace/columns.def"
#undef COLUMN
	struct poly_patterns *patterns; /* the library's own, for poly_writer_write; or NULL */
	/*
	 * The library's own, for poly_stats_update, with the last batch of a stretch whose
	 * records were counted: their order; else NULL.
	 */
	const struct poly_order *order;
};

/* True where the batch has the column and row (below batch->rows) has a value in it. */
static inline bool
poly_present(const struct poly_batch *batch, enum poly_column column, size_t row)
{
	const uint64_t *bits = batch->present[column];
	return bits && (bits[row / 64] >> (row % 64) & 1);
}

/* The number of row (below batch->rows) in the trace, from 1. */
static inline uint64_t
poly_batch_number(const struct poly_batch *batch, size_t row)
{
	return batch->first + (batch->picked ? batch->picked[row] : row) + 1;
}

/* The name of a column as in columns.def. Static; NULL for a number out of range. */
POLY_API const char *poly_column_name(enum poly_column column);

/* The form of a column, which must be below POLY_COLUMN_COUNT. */
POLY_API enum poly_form poly_column_form(enum poly_column column);

/* One sentence on a column. Static; NULL for a number out of range. */
POLY_API const char *poly_column_doc(enum poly_column column);

/* The column of a name of n bytes; POLY_COLUMN_COUNT where there is none. */
POLY_API enum poly_column poly_column_find(const char *name, size_t n);

/*
 * The name of value in an enumeration's form (KIND ACCESS BRANCH SYNC EVENT FLAGS). Static;
 * NULL for other forms and for values out of range.
 */
POLY_API const char *poly_enum_name(enum poly_form form, unsigned value);

/* The value of a name of n bytes in an enumeration's form; -1 where there is none. */
POLY_API int poly_enum_find(enum poly_form form, const char *name, size_t n);

/*
 * The value of an integer column (any form but BYTES and TEXT) in a row where it is present.
 * Signed columns are sign-extended to 64 bits.
 */
POLY_API uint64_t poly_batch_integer(
	const struct poly_batch *batch, enum poly_column column, size_t row);

/* The bytes of a BYTES or TEXT column in a row where it is present; *length is in bytes. */
POLY_API const uint8_t *poly_batch_bytes(
	const struct poly_batch *batch, enum poly_column column, size_t row, size_t *length);

/*
 * The value of a column in a row as text, as listings, CSV and JSON show it: names of
 * enumerations, hexadecimal with 0x, decimal, bytes in hexadecimal without 0x, text verbatim.
 * Writes at most size bytes with a NUL and returns the length of the whole text, as snprintf
 * does; 0 and an empty string where the value is absent.
 */
POLY_API size_t poly_batch_format(const struct poly_batch *batch, enum poly_column column,
	size_t row, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
