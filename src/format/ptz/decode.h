/* SPDX-License-Identifier: MIT */
/* Decoding a segment of a file. */
#ifndef FORMAT_PTZ_DECODE_H
#define FORMAT_PTZ_DECODE_H

#include "format/core/line_cache.h"
#include "format/ptz/code.h"

/* Readable elements after the last template of a column. */
#define PTZ_SLACK 16

/* A set of templates, which columns may share, and the batch's rows that have them. */
struct ptz_set {
	uint64_t *templates;
	uint32_t count;	 /* templates in the set */
	uint64_t shapes; /* which of the first 64 shapes it covers; 0: later ones, too */
	/* For varying columns: the number of members before each template and the end; and the
	 * members, with PTZ_SLACK extra. */
	uint32_t *rank, *members;
	uint64_t rows[POLY_BATCH_ROWS / 64 + 1];
	bool found; /* rows are those of the current batch */
};

/* A column of a segment. */
struct ptz_column {
	enum poly_column column;
	unsigned size; /* bytes of an element; 0: slices */
	/* Templates that have it as static, shared among the segment's sets; NULL: none. */
	struct ptz_set *fixed;
	void *values; /* by template, with PTZ_SLACK extra; struct poly_slice for slices */
	const uint8_t *bytes;	 /* that static slices refer to */
	bool always;		 /* every template has it as static */
	struct ptz_set *varying; /* templates whose rows have it as varying; NULL: none */
	bool all_varying;	 /* in all templates */
	struct ptz_decoder decoder;
	struct ptz_bytes slices; /* bytes of the following slices */
	bool is_xor;
	uint8_t *previous; /* for PTZ_XOR: the previous slice */
	size_t previous_size, previous_capacity;
};

struct row_emitter;
struct ptz_weights;
struct ptz_load_options;

struct unpacked {
	const struct ptz_load_options *options; /* while the segment is loaded */
	uint64_t first;				/* records that precede it */
	uint32_t number;			/* of the segment, from 1 */
	uint32_t rows, templates, streams;
	struct ptz_stream stream[PTZ_STREAMS_MAX];
	uint8_t *data[PTZ_STREAMS_MAX]; /* unpacked; NULL: not selected */
	uint32_t *follow;		/* follower by template; PTZ_SEVERAL ends a block */
	uint32_t *run_length; /* by template: templates from it on that are executed in number
				 order */
	uint32_t *starts, *blocks;
	uint32_t start_count, block_count;
	struct ptz_column column[POLY_COLUMN_COUNT];
	unsigned columns;
	struct ptz_set *sets[2 * POLY_COLUMN_COUNT];
	unsigned set_count;
	const char **names; /* in the segment's data */
	uint32_t name_count;
	unsigned record_count; /* names of records that its rows use */
	uint32_t rows_max; /* maximum rows per batch, which limits the bytes of their slices */
	uint32_t delivered, block; /* rows delivered, and blocks started */
	uint32_t next;		   /* template of the next row */
	/* Scratch space for emitting rows and templates, reused by later segments. */
	struct row_emitter *emitter, *template_emitter;
	struct ptz_weights *weights; /* scratch space for weighted rows; NULL: not requested */
};

#define PTZ_SEVERAL UINT32_MAX

/* Options for loading a segment. */
struct ptz_load_options {
	struct block_unpacker *unpacker;
	poly_columns wanted;	   /* columns to fill */
	const uint8_t *column_map; /* file's column number -> column; 255: unknown */
	unsigned column_count;
};

/*
 * Parses the front (n bytes at p) of a segment into zeroed or cleared storage. POLY_ERR_FORMAT
 * without the error's offset.
 */
enum poly_status unpacked_parse_front(
	struct unpacked *unpacked, const uint8_t *p, size_t n, struct poly_error *error);

/* Returns the bytes of a segment's streams in the file. */
uint64_t unpacked_size(const struct unpacked *unpacked);

/*
 * Unpacks the streams' bytes at p and prepares the rows, except for names. Any thread may call
 * it. POLY_ERR_FORMAT: a stream is corrupt, and the message names it. POLY_ERR_MEMORY.
 */
enum poly_status unpacked_load(struct unpacked *unpacked,
	const struct ptz_load_options *options, const uint8_t *p, struct poly_error *error);

/*
 * Replaces the segment's name numbers by those of the trace. Call it once, before the first
 * rows. POLY_ERR_MEMORY. POLY_ERR_LIMIT: the trace has too many names.
 */
enum poly_status unpacked_resolve_names(
	struct unpacked *unpacked, struct info *info, struct poly_error *error);

/*
 * Adds the segment's names to a trace, although its rows are not needed. As
 * unpacked_resolve_names.
 */
enum poly_status unpacked_add_names(
	const struct unpacked *unpacked, struct info *info, struct poly_error *error);

/* Exchanges two segments, but not their scratch space. */
void unpacked_swap(struct unpacked *a, struct unpacked *b);

/*
 * Decodes the varying columns of up to max of the remaining rows; batch->view.rows is their
 * number. POLY_ERR_FORMAT: the streams contradict each other.
 */
enum poly_status unpacked_next_rows(
	struct unpacked *unpacked, struct batch *batch, size_t max, struct poly_error *error);

/* Emits n rows with the static columns of templates; varying columns stay absent. */
enum poly_status unpacked_emit_templates(struct unpacked *unpacked, struct batch *batch,
	const uint32_t *templates, size_t n, struct poly_error *error);

/*
 * Counts the rows per template of a segment that has delivered no rows, for
 * unpacked_next_weighted. Does nothing if a loaded column varies, or if the streams contradict
 * each other, which unpacked_next_rows reports. POLY_ERR_MEMORY.
 */
enum poly_status unpacked_count_rows(struct unpacked *unpacked, struct poly_error *error);

/* Returns whether counted rows remain. */
bool unpacked_has_weighted(const struct unpacked *unpacked);

/*
 * Emits up to max of the counted templates, weighted by their number of rows, in the order of
 * their first rows. Records count as delivered with their template. POLY_ERR_MEMORY.
 */
enum poly_status unpacked_next_weighted(
	struct unpacked *unpacked, struct batch *batch, size_t max, struct poly_error *error);

/* Clears the counts for the next segment. */
void ptz_weights_clear(struct ptz_weights *weights);

/* Frees the counts. Accepts NULL. */
void ptz_weights_free(struct ptz_weights *weights);

/* Fills the remaining columns of the last rows, in the same batch. */
void unpacked_fill_lazy(const struct unpacked *unpacked);

/*
 * Sets the batch's patterns to the templates of the last rows, except for the functions of
 * the patterns.
 */
void unpacked_set_patterns(
	const struct unpacked *unpacked, struct batch *batch, struct poly_patterns *patterns);

/*
 * Emits the templates from number first on (below their count) as rows of an empty batch, at
 * least one, without varying columns: varying, which has room for a batch, lists those by row.
 * POLY_ERR_MEMORY.
 */
enum poly_status unpacked_list_templates(struct unpacked *unpacked, uint32_t first,
	struct batch *batch, column_mask *varying, struct poly_error *error);

/* Clears it for the next segment. */
void unpacked_clear(struct unpacked *unpacked);

/* Frees all memory. */
void unpacked_fini(struct unpacked *unpacked);

#endif
