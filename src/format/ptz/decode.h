/* SPDX-License-Identifier: MIT */
/* A segment out of a file. */
#ifndef FORMAT_PTZ_DECODE_H
#define FORMAT_PTZ_DECODE_H

#include "format/line_cache.h"
#include "format/ptz/code.h"

/* Elements behind a column of the templates that may be read. */
#define PTZ_SLACK 16

/* A set of templates, which several columns may share, and the rows of the batch that have
 * them. */
struct ptz_set {
	uint64_t *templates;
	uint32_t count;	 /* templates in it */
	uint64_t shapes; /* which of the first 64 shapes; 0: others, too */
	/* How many are before each template and the end, and which they are, with PTZ_SLACK
	 * more; where a column moves in them. */
	uint32_t *before, *members;
	uint64_t rows[POLY_BATCH_ROWS / 64 + 1];
	bool found; /* rows are those of this batch */
};

/* A column of a segment. */
struct ptz_column {
	enum poly_column column;
	unsigned size; /* bytes of an element; 0: slices */
	/* Templates that have it, a bit each, among the sets of the segment; NULL: none. */
	struct ptz_set *fixed;
	void *values; /* by template, with PTZ_SLACK more; of slices struct poly_slice */
	const uint8_t *bytes;  /* that static slices refer to */
	bool always;	       /* every template has it, static */
	struct ptz_set *moves; /* templates whose rows have it; NULL: none */
	bool all_move;	       /* they are all */
	struct ptz_decoder decoder;
	struct ptz_bytes slices; /* bytes of the slices to come */
	bool is_xor;
	uint8_t *before; /* of PTZ_XOR: the slice before */
	size_t before_size, before_capacity;
};

struct giving;
struct ptz_tally;
struct ptz_unpacker;

struct unpacked {
	const struct ptz_unpacker *with; /* while it is loaded */
	uint64_t first;			 /* records before it */
	uint32_t number;		 /* of the segment, from 1 */
	uint32_t rows, templates, streams;
	struct ptz_stream stream[PTZ_STREAMS_MOST];
	uint8_t *data[PTZ_STREAMS_MOST]; /* unpacked; NULL: not wanted */
	uint32_t *follow;		 /* by template; PTZ_SEVERAL ends a block */
	uint32_t *run; /* by template: how many stand in a row of numbers from it on */
	uint32_t *starts, *blocks;
	uint32_t start_count, block_count;
	struct ptz_column column[POLY_COLUMN_COUNT];
	unsigned columns;
	struct ptz_set *sets[2 * POLY_COLUMN_COUNT];
	unsigned set_count;
	const char **names; /* in its data */
	uint32_t name_count;
	unsigned record_count; /* of the names of records that its rows have */
	uint32_t rows_most;    /* rows that are given at once, for the bytes of their slices */
	uint32_t given, block; /* rows that were given, and blocks begun */
	uint32_t next;	       /* the template of the next row */
	/* Room for giving rows, and those of templates, kept from segment to segment. */
	struct giving *giving, *templating;
	struct ptz_tally *tally; /* the same for counting them; NULL: nobody asked */
};

#define PTZ_SEVERAL UINT32_MAX

/* What a segment is read with. */
struct ptz_unpacker {
	struct block_unpacker *unpacker;
	poly_columns wanted;	  /* columns that are to be filled */
	const uint8_t *of_column; /* numbers of columns in the file as own ones; 255: unknown */
	unsigned of_count;
};

/*
 * Reads the front (n bytes at p) of a segment into zeroed or cleared storage. POLY_ERR_FORMAT:
 * it can't be; error's offset is not set.
 */
enum poly_status unpacked_front(
	struct unpacked *unpacked, const uint8_t *p, size_t n, struct poly_error *error);

/* Bytes of a segment's streams as they stand in the file. */
uint64_t unpacked_size(const struct unpacked *unpacked);

/*
 * Takes the streams' bytes, which stand at p, and prepares giving rows, but for names. Any
 * thread may do so. POLY_ERR_FORMAT: a stream is damaged, and the message names it.
 * POLY_ERR_MEMORY.
 */
enum poly_status unpacked_load(struct unpacked *unpacked, const struct ptz_unpacker *with,
	const uint8_t *p, struct poly_error *error);

/*
 * Gives its names the numbers that they have in the trace, which is due once, before rows are
 * given. POLY_ERR_MEMORY. POLY_ERR_LIMIT: the trace has too many.
 */
enum poly_status unpacked_adopt(
	struct unpacked *unpacked, struct info *info, struct poly_error *error);

/* Exchanges two segments; what is kept from segment to segment stays. */
void unpacked_swap(struct unpacked *a, struct unpacked *b);

/*
 * Gives the columns that move of up to most of the rows that are left; how many is in
 * batch->view.rows. POLY_ERR_FORMAT: the streams contradict each other.
 */
enum poly_status unpacked_rows(
	struct unpacked *unpacked, struct batch *batch, size_t most, struct poly_error *error);

/* Gives n rows, as unpacked_rows, of templates; what moves stays absent. */
enum poly_status unpacked_templates(struct unpacked *unpacked, struct batch *batch,
	const uint32_t *templates, size_t n, struct poly_error *error);

/*
 * Counts the rows of a segment of which none was given, so that unpacked_tally gives them.
 * Where a column that was loaded moves, or the streams contradict each other, it does nothing,
 * and unpacked_rows tells. POLY_ERR_MEMORY.
 */
enum poly_status unpacked_count(struct unpacked *unpacked, struct poly_error *error);

/* True where rows were counted that are not given yet. */
bool unpacked_counted(const struct unpacked *unpacked);

/*
 * Gives up to most of the templates whose rows were counted, with how many these are, in the
 * order of their first rows. Records are given when the last template is. POLY_ERR_MEMORY.
 */
enum poly_status unpacked_tally(
	struct unpacked *unpacked, struct batch *batch, size_t most, struct poly_error *error);

/* Empties it for the next segment. */
void ptz_tally_clear(struct ptz_tally *tally);

/* Gives the memory back. Accepts NULL. */
void ptz_tally_free(struct ptz_tally *tally);

/* Gives the other columns of the rows that were given last, into the same batch. */
void unpacked_fill(const struct unpacked *unpacked);

/*
 * Tells the templates of the rows that were given last as the batch's patterns, but for the
 * functions of patterns.
 */
void unpacked_patterns(
	const struct unpacked *unpacked, struct batch *batch, struct poly_patterns *patterns);

/*
 * Gives the templates from first (below their number) on as rows of an empty batch, at least
 * one, without what moves: that is told by row in moving, which has room for a batch.
 * POLY_ERR_MEMORY.
 */
enum poly_status unpacked_dictionary(struct unpacked *unpacked, uint32_t first,
	struct batch *batch, poly_columns *moving, struct poly_error *error);

/* Empties it for the next segment. */
void unpacked_clear(struct unpacked *unpacked);

/* Gives the memory back. */
void unpacked_fini(struct unpacked *unpacked);

#endif
