/* SPDX-License-Identifier: MIT */
/*
 * The work of a comparison on its state: matching first, then text. Functions call only those
 * before them.
 */
#ifndef CORRELATE_DIFF_DIFF_H
#define CORRELATE_DIFF_DIFF_H

#include "correlate/diff/streams.h"

/* Compares the next steps of a stream, which are of the same instruction. */
void compare_pair(struct poly_diff *diff, struct diff_stream *stream);

/* Reports all pending pairs: no later step can resolve them. */
void compare_resolve_pending(struct poly_diff *diff, struct diff_stream *stream);

/* Handles next steps of different instructions: finds where the traces realign. */
void divergence_find(struct poly_diff *diff, struct diff_stream *stream);

/* Reports that one trace has ended and the other has not. */
void divergence_report_tail(struct poly_diff *diff, struct diff_stream *stream);

/*
 * Skips rows that are equal in both traces, if no difference is pending. Returns whether it
 * skipped any.
 */
bool skip_equal_rows(struct poly_diff *diff, struct diff_stream *stream);

/* Formats the texts of the current difference. */
void render_difference(struct poly_diff *diff);

#endif
