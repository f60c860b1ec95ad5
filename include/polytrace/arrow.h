/* SPDX-License-Identifier: MIT */
/*
 * Batches as Arrow arrays: the rows of a source as a stream of the Arrow C data interface, for
 * DuckDB, pandas, Polars and every other program that reads it. No Arrow library is needed.
 *
 *     struct ArrowArrayStream stream;
 *     poly_reader_open("trace.ptz", &options, &reader, &error);
 *     poly_reader_arrow(reader, &stream, &error);
 *     while (stream.get_next(&stream, &array) == 0 && array.release) {
 *             ... array.children[0]->buffers[1] ...
 *             array.release(&array);
 *     }
 *     stream.release(&stream); // closes the reader
 *
 * A stream has arrays of structs with a child for each column, in the order of options.columns.
 * The types of the children, by form and size of the column:
 *
 *     DEC, HEX          C S I L     uint8 to uint64; immediate: l, int64
 *     BOOL              b           bits
 *     KIND to RECORD    C           uint8 indices of a dictionary of strings (u)
 *     NAME              i           int32 indices of a dictionary of strings (u)
 *     TEXT              u           strings
 *     BYTES             z           bytes
 *     row               L           uint64, never null
 *
 * An absent value is null, and the element in its place is 0. Strings are UTF-8: ill-formed
 * sequences become U+FFFD. An array of a dictionary column has a dictionary of its own, of the
 * values that occur in it, in the order of their first appearance.
 *
 * Lifetime: an array is independent of the stream, of its reader and of later arrays, and is
 * valid until it is released, by any thread. Batches of a reader are only valid until the next
 * call, so numbers are copied once, into arrays of up to options.rows rows, which the consumer
 * uses without further copies. A stream is used by one thread at a time.
 */
#ifndef POLYTRACE_ARROW_H
#define POLYTRACE_ARROW_H

#include "polytrace/reader.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

/* Flag of a schema: the order of the dictionary is meaningful. */
#define ARROW_FLAG_DICTIONARY_ORDERED 1
/* Flag of a schema: values may be null. */
#define ARROW_FLAG_NULLABLE 2
/* Flag of a schema: the keys of each map are sorted. */
#define ARROW_FLAG_MAP_KEYS_SORTED 4

/* Type and name of a column, or of all columns, as the C data interface declares it. */
struct ArrowSchema {
	const char *format;		       /* the type: "+s", "L", "u" */
	const char *name;		       /* of the column */
	const char *metadata;		       /* keys and values; NULL: none */
	int64_t flags;			       /* ARROW_FLAG_... */
	int64_t n_children;		       /* number of children */
	struct ArrowSchema **children;	       /* columns of a struct */
	struct ArrowSchema *dictionary;	       /* type of the dictionary; NULL: none */
	void (*release)(struct ArrowSchema *); /* frees its content; NULL: released */
	void *private_data;		       /* of the producer */
};

/* Values of a column, or of all columns, as the C data interface declares it. */
struct ArrowArray {
	int64_t length;			      /* number of values */
	int64_t null_count;		      /* number of nulls */
	int64_t offset;			      /* index of the first value in the buffers */
	int64_t n_buffers;		      /* number of buffers */
	int64_t n_children;		      /* number of children */
	const void **buffers;		      /* validity bits, offsets, values */
	struct ArrowArray **children;	      /* columns of a struct */
	struct ArrowArray *dictionary;	      /* values of the indices; NULL: none */
	void (*release)(struct ArrowArray *); /* frees its content; NULL: released */
	void *private_data;		      /* of the producer */
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

/* Arrays of one type, in order, as the C stream interface declares it. */
struct ArrowArrayStream {
	/* Stores the type of the arrays; returns 0 or an errno value. */
	int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
	/* Stores the next array, a released one after the last; returns 0 or an errno value. */
	int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
	/* Describes the last failure; valid until the next call; NULL: no description. */
	const char *(*get_last_error)(struct ArrowArrayStream *);
	void (*release)(struct ArrowArrayStream *); /* ends the stream; NULL: released */
	void *private_data;			    /* of the producer */
};

#endif

/* Maximum of the option rows. */
#define POLY_ARROW_ROWS_MAX 1048576

/* How rows are exported. Initialise with POLY_ARROW_OPTIONS_INIT, then change fields. */
struct poly_arrow_options {
	size_t size; /* of this struct in bytes; set by the macro, and not 0 */
	/*
	 * The columns in the order of the children: columns that batches store, registers of
	 * the reader's plan, or row. A column that the source does not have is null. NULL:
	 * every column of the source but raw, origin, site and verbatim.
	 */
	const enum poly_column *columns;
	size_t column_count; /* elements of columns, at least 1 unless that is NULL */
	size_t rows;	     /* maximum rows per array, up to POLY_ARROW_ROWS_MAX; 0: 16384 */
	void (*close)(void *user); /* called when the stream is released; NULL: not called */
	void *user;		   /* passed to close */
};

/* Initial values: the columns of the source, arrays of 16384 rows. */
#define POLY_ARROW_OPTIONS_INIT                           \
	{                                                 \
		.size = sizeof(struct poly_arrow_options) \
	}

/*
 * Exports the rows of a source, whose metadata must stay valid until the stream is released;
 * then options->close is called, once. options may be NULL for the initial values, and need not
 * outlive the call. The plan of a reader must not accept lazy columns or weights.
 *
 * Rows before a failure of the source are delivered; then get_next returns ENOMEM for
 * POLY_ERR_MEMORY, error.sys_errno for POLY_ERR_IO, EINVAL for POLY_ERR_USAGE and EIO for every
 * other failure, and get_last_error returns the message with record, line and byte. Failures
 * are sticky. POLY_ERR_LIMIT: a value has more than 2^31 - 1 bytes.
 *
 * On failure *stream is released and close is not called. POLY_ERR_USAGE: no column, an unknown
 * column, rows out of range, options of size 0. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_source_arrow(const struct poly_source *source,
	const struct poly_arrow_options *options, struct ArrowArrayStream *stream,
	struct poly_error *error);

/*
 * Exports the records of a reader: the columns that it was opened for and that the trace can
 * have, without raw, origin, site and verbatim if it was opened for all columns. Set a plan of
 * the reader before. On POLY_OK the reader belongs to the stream, whose release closes it; on
 * failure *stream is released and the reader remains the caller's. POLY_ERR_USAGE: the plan of
 * the reader accepts lazy columns or weights, or the trace has none of the columns.
 * POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_reader_arrow(
	struct poly_reader *reader, struct ArrowArrayStream *stream, struct poly_error *error);

#ifdef __cplusplus
}
#endif

#endif
