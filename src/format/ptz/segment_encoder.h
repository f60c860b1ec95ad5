/* SPDX-License-Identifier: MIT */
/* Encodes the rows of one segment after the other, under the plan that suits them. */
#ifndef FORMAT_PTZ_SEGMENT_ENCODER_H
#define FORMAT_PTZ_SEGMENT_ENCODER_H

#include "format/ptz/encode.h"

/* How a segment is encoded. */
struct ptz_choice {
	enum ptz_plan plan;
	bool is_short; /* it has few rows, as nearly each has a template of its own */
};

struct segment_encoder {
	struct ptz_packer packer;
	struct ptz_segment segments[PTZ_PLAN_COUNT]; /* by plan */
	struct ptz_choice choice;		     /* for the segment */
	bool trying; /* rows are added under both plans, until one is chosen */
	struct ptz_packed packed;
	struct segment_encoder *next; /* for lists of the caller */
};

/* The rows of a segment so far, and the bytes of their slices. */
struct ptz_extent {
	size_t rows, bytes;
};

/* Determines which segments start under both plans. Zeroed is the start of a file. */
struct ptz_trials {
	unsigned since; /* segments since the last trial */
};

/* Returns whether the next segment starts under both plans: the first one, and every eighth. */
bool ptz_next_is_trial(struct ptz_trials *trials);

/*
 * Creates an encoder of a level of compression. POLY_ERR_UNSUPPORTED: the build lacks libzstd.
 * POLY_ERR_MEMORY.
 */
enum poly_status segment_encoder_new(
	int level, struct segment_encoder **encoder, struct poly_error *error);

/* Returns the rows between two checks of a segment's size, independent of batch sizes. */
size_t ptz_check_interval(size_t rows_max);

/* Returns whether a segment has reached its maximum size. */
bool ptz_is_full(
	const struct ptz_extent *extent, const struct ptz_choice *choice, size_t rows_max);

/* Returns whether a segment has the rows by which a plan is chosen. */
bool ptz_ends_trial(
	const struct ptz_extent *extent, const struct ptz_choice *choice, size_t rows_max);

/* Returns the segment, without the one that the alternative plan is tried on. */
const struct ptz_segment *segment_encoder_segment(const struct segment_encoder *encoder);

/* Adds rows. Returns false if out of memory. */
bool segment_encoder_add(struct segment_encoder *encoder, const struct poly_batch *batch);

/* Selects the plan that is clearly smaller, for the rows so far and later ones. */
enum poly_status segment_encoder_choose_plan(
	struct segment_encoder *encoder, struct poly_error *error);

/* Encodes the segment into packed. POLY_ERR_MEMORY, POLY_ERR_LIMIT: see segment_pack. */
enum poly_status segment_encoder_pack(struct segment_encoder *encoder,
	const struct ptz_begin *begin, struct poly_error *error);

/* Clears it for the next segment. */
void segment_encoder_clear(struct segment_encoder *encoder);

/* Frees the memory. Accepts NULL. */
void segment_encoder_free(struct segment_encoder *encoder);

#endif
