/* SPDX-License-Identifier: MIT */
/* Laws of analyses: each is tried on every sample with the analyses that support it. */
#ifndef LAWS_ANALYSIS_LAW_H
#define LAWS_ANALYSIS_LAW_H

#include "law.h"

#include "analysis/core/analysis.h"
#include "base/buf.h"
#include "polytrace/polytrace.h"

#define NAMES_MAX 64

struct sample {
	struct listed_sample name;
	char path[600];
	uint64_t rows;
	const char *names[NAMES_MAX + 1];    /* of the analyses that support it */
	const char *parts[NAMES_MAX + 1];    /* of those that can merge */
	const char *weighted[NAMES_MAX + 1]; /* of those that accept weights */
};

/* A law: whether it holds for a sample. */
typedef bool analysis_law(const struct sample *sample);

analysis_law law_weights, law_outputs, law_lack_of_memory, law_decoders, law_segments;

/* Checks that every analysis that accepts weights got some, that decoders analysed records, and
 * that every output was written. */
void expect_weights(void);
void expect_decoders(void);
void expect_outputs(void);

/* How a sample is passed to runs. */
struct feeding {
	bool every_column;
	size_t rows;	   /* maximum per batch; 0: the reader's */
	uint64_t limit;	   /* rows; 0: all */
	size_t block_rows; /* of the blocks that threads analyse; 0: the default */
	bool twice;	   /* the sample is read twice, as two traces */
};

/* Returns the analysis of a name in the registry. */
const struct analysis *analysis_named(const char *name);

/* Opens a sample. */
enum poly_status open_sample(
	const struct sample *sample, struct poly_reader **reader, struct poly_error *error);

/* Creates a run of analyses. */
enum poly_status new_run(const char *const *names, unsigned threads, struct poly_stats **stats,
	struct poly_error *error);

/* Finishes a run, and renders its report as JSON. */
enum poly_status render(struct poly_stats *stats, struct buf *out, struct poly_error *error);

/* Reports a sample with options; by default, all supporting analyses. */
enum poly_status report_options(const struct sample *sample, struct poly_stats_options options,
	const struct feeding *feeding, struct buf *out);

/* Reports a sample with all rows in one run. */
enum poly_status report_whole(const struct sample *sample, const char *const *names,
	unsigned threads, const struct feeding *feeding, struct buf *out);

/* Maximum number of parts of a merge. */
#define PARTS_MAX 6

/* The order in which adjacent parts are merged. */
enum merge_order { MERGE_FROM_LEFT, MERGE_FROM_RIGHT, MERGE_BALANCED, MERGE_RANDOM };

/* Parts of a sample, or of the sample read twice as two traces. */
struct merge_plan {
	size_t parts;
	uint64_t cuts[PARTS_MAX - 1]; /* ascending; rows of all traces before each part */
	enum merge_order order;
	uint64_t traces; /* 1 or 2 */
	bool saves;	 /* parts are saved and loaded before they are merged */
};

/* Reports one run for each part of a plan, merged. */
enum poly_status report_merged(const struct sample *sample, const struct merge_plan *plan,
	const struct feeding *feeding, struct buf *report);

/* Whether an analysis writes texts besides its report. */
bool has_texts(const struct analysis *analysis);

/* Reports a sample with one analysis, followed by all texts that the analysis writes. */
enum poly_status report_texts(const struct sample *sample, const struct analysis *analysis,
	const struct feeding *feeding, struct buf *out);

/* Whether a report is the expected one; what and value describe it. */
bool is_same(struct buf *found, struct buf *expected, const char *what, uint64_t value);

/* How a packed sample is read. */
struct packed_reading {
	const char *what;
	uint64_t skip, count;
	size_t rows, corrupt; /* maximum per batch; the corrupt byte, 0: none */
	bool alone;	      /* single-threaded */
};

/* Packs a sample, each batch repeated, in segments of the given rows. */
bool pack_sample(
	const struct sample *sample, uint64_t times, const char *rows, struct buf *packed);

/* Reports a packed sample, with weighted rows or without. */
enum poly_status read_packed(const struct buf *packed, const struct packed_reading *reading,
	const char *const *names, bool weighted, struct buf *report);

#endif
