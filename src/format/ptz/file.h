/* SPDX-License-Identifier: MIT */
/* Reading and writing packed traces. */
#ifndef FORMAT_PTZ_FILE_H
#define FORMAT_PTZ_FILE_H

#include "format/ptz/ahead.h"
#include "format/ptz/decode.h"
#include "format/ptz/encode.h"
#include "model/slice.h"

/* The fact that says what was packed. */
#define PTZ_FORMAT_FACT "ptz.format"

/* Options, in the order of their table. */
enum { PTZ_OPTION_LEVEL, PTZ_OPTION_ROWS };

/* Rules, in the order of their table. */
enum { PTZ_RULE_DAMAGED, PTZ_RULE_CUT, PTZ_RULE_ORDER, PTZ_RULE_CHAIN };

/* Where a segment is, and what is in it. */
struct ptz_place {
	uint64_t offset, first, rows;
	unsigned known; /* bit k: of the k-th column the range is known */
	struct ptz_range range[PTZ_RANGES];
};

/* Where all segments of a file are. Zeroed is none. */
struct ptz_index {
	struct buf places; /* struct ptz_place, in the order of the file */
	size_t count;	   /* how many */
	uint64_t records;  /* in all of them */
	uint64_t end;	   /* offset of the last index, which stands behind them */
	uint32_t number;   /* that the last segment has; 0: it is not as it should be */
	size_t asked;	   /* those of which it is known whether they are wanted */
};

/* The chain of the parts before an offset; 0, where none can be: not known. */
struct ptz_chained {
	uint64_t offset, chain;
};

struct ptz_reader {
	struct block_unpacker *unpacker;
	const char **records;
	uint8_t of_column[64]; /* own numbers of the file's columns; 255: not known */
	unsigned of_count;
	struct unpacked segment;
	struct ptz_ahead *ahead; /* NULL: segments are loaded here */
	poly_columns ahead_wanted;
	bool ahead_failed; /* threads could not be started */
	struct buf bytes;  /* of a segment that is too large to be looked at */
	uint64_t offset;   /* of the part that is read */
	uint64_t epoch;	   /* of the numbers of the segment's templates */
	uint64_t index;	   /* offset of the index that was met; 0: none */
	struct ptz_index places;
	uint32_t number; /* of the segment that was met last; 0: none */
	uint64_t met;	 /* records up to its end, as it says */
	bool lost;	 /* neither is known of what stands before the next segment */
	unsigned broken; /* rule that damage is told by */
	/* Of the parts before the one that was met last, and up to its end, where known. */
	struct ptz_chained before, behind;
	bool looked;  /* for the index */
	bool indexed; /* it was found: places are those of the file */
	bool ended;   /* the end was met */
	bool foreign; /* what stands next, and all behind it, is not of the trace */
	bool told;    /* the damage that stands next */
	bool passed;  /* the damage was consumed, and the next part stands next */
	struct poly_patterns patterns; /* of the batch that was given last */
	struct batch *given;	       /* it */
	struct batch templates;	       /* as rows, for patterns */
	poly_columns *moving;	       /* by row of them */
	struct buf space;	       /* struct poly_size_item, where these were asked for */
};

struct ptz_writer {
	struct ptz_packer packer;
	struct segment segments[2];
	/* The one that is filled; and that of the other plan, while both are tried. */
	struct segment *segment, *other;
	bool trying;
	struct slice slice;	/* of a batch that goes over a border */
	unsigned plain;		/* segments since plans were tried */
	size_t rows_most;	/* of a segment */
	struct ptz_begin begin; /* of the segment */
	uint64_t offset;	/* bytes written */
	struct buf places;	/* struct ptz_place of those since the last index */
	uint64_t index;		/* its offset; 0: none */
	uint64_t chain;		/* of the parts so far */
	struct ptz_packed packed;
};

/* The trace's information as a front, without labels. */
void ptz_head_put(struct buf *to, const struct poly_trace_info *info, poly_columns columns);

/* The labels of an information, behind that. */
void ptz_labels_put(struct buf *to, const struct poly_trace_info *labels);

/* Takes it; POLY_ERR_FORMAT, POLY_ERR_MEMORY, POLY_ERR_UNSUPPORTED (a later version). */
enum poly_status ptz_head_take(
	struct reading *reading, const uint8_t *p, size_t n, struct poly_error *error);

enum poly_status ptz_open(struct reading *reading, struct poly_error *error);
enum poly_status ptz_read(
	struct reading *reading, struct batch *batch, struct poly_error *error);

/* Tells the patterns of the rows that were given last, and fills what may not be deferred. */
void ptz_patterns(struct ptz_reader *state, struct batch *batch);

/* Says of the rows of a batch where their segment stands. */
void ptz_origins(const struct ptz_reader *state, struct batch *batch);

/* Passes over whole segments of the first n records; how many records. */
uint64_t ptz_jump(struct reading *reading, uint64_t n);

/*
 * Where a part begins: passes over the segments that stand next and have nothing that is
 * wanted; how many records.
 */
uint64_t ptz_pass_over(struct reading *reading);

/*
 * Takes all that the indexes of a file tell; state knows its columns. False, and nothing is
 * left to free: the input is not random, the file has no end yet, or an index is damaged or
 * can't be right.
 */
bool ptz_index_take(
	const struct in *in, const struct ptz_reader *state, struct ptz_index *index);

/* Looks at the head of the next part. POLY_END: there is none. POLY_ERR_FORMAT. */
enum poly_status ptz_next_part(
	struct reading *reading, struct ptz_part *part, struct poly_error *error);

/* Looks at a part's front, behind its head. POLY_ERR_FORMAT. */
enum poly_status ptz_part_front(struct reading *reading, const struct ptz_part *part,
	const uint8_t **front, struct poly_error *error);

/* Passes over a part; false: the input ends before it does, which is told. */
bool ptz_pass(struct reading *reading, const struct ptz_part *part);

/*
 * Appends the front of the index at an offset, which ends before the next one begins: fronts
 * that overlap would be more than the file. False: there is none, or it is damaged.
 */
bool ptz_index_front(const struct in *in, uint64_t offset, uint64_t end, struct buf *fronts);

/* The chain that an index's front of n bytes tells; false: it tells none, or is none. */
bool ptz_index_chain(const uint8_t *front, size_t n, uint64_t *chain);

/* True where a segment of a front is the one behind the last one, as far as that is known. */
bool ptz_follows(const struct ptz_reader *state, const uint8_t *front);

/* Takes a segment of a front for the last one that was met. */
void ptz_meet(struct ptz_reader *state, const uint8_t *front);

/*
 * Passes over the part that stands next, whose front was looked at. POLY_END: it is cut off,
 * which is told. POLY_ERR_FORMAT: it is an index of other parts than those before it.
 */
enum poly_status ptz_pass_part(struct reading *reading, const struct ptz_part *part,
	const uint8_t *front, struct poly_error *error);

/* Goes through the parts and tells what they are taken by. POLY_ERR_FORMAT, POLY_ERR_MEMORY. */
enum poly_status ptz_space(
	struct reading *reading, struct poly_size_breakdown *space, struct poly_error *error);

/* True where the head of a part stands at p, which has n bytes. */
bool ptz_is_head(const uint8_t *p, size_t n);

enum poly_status ptz_resync(
	struct reading *reading, struct batch *batch, struct poly_error *error);
void ptz_close(struct reading *reading);

/*
 * Finds out where the writer goes on in the file that it appends to, and what is in it.
 * POLY_ERR_LOSS: what it says of the trace does not fit. POLY_ERR_FORMAT: it is no packed
 * trace, or damaged before its end. POLY_ERR_LIMIT, POLY_ERR_MEMORY.
 */
enum poly_status ptz_append(struct writing *writing, struct poly_error *error);

enum poly_status ptz_wopen(struct writing *writing, struct poly_error *error);
enum poly_status ptz_write(
	struct writing *writing, const struct poly_batch *batch, struct poly_error *error);
enum poly_status ptz_wfinish(struct writing *writing, struct poly_error *error);
void ptz_wclose(struct writing *writing);

#endif
