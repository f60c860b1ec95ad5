/* SPDX-License-Identifier: MIT */
/* Laws of formats: each is tried on every sample. */
#ifndef LAWS_FORMAT_LAW_H
#define LAWS_FORMAT_LAW_H

#include "law.h"

#include "base/buf.h"
#include "polytrace/polytrace.h"

struct sample {
	struct listed_sample name;
	uint8_t *data;
	size_t size;
};

/* A law: whether it holds for a sample that is read with options. */
typedef bool format_law(const struct sample *sample, const struct poly_read_options *options);

/* Writing: bytes, packed traces, truncated and corrupt ones. */
format_law law_identity, law_packing, law_packing_of_batches, law_truncation, law_flipped_bytes,
	law_writers_columns;

/* Writing several traces as one. */
format_law law_joining;

/* Reading: blocks, batches, columns, the end, detection, checks. */
format_law law_blocks_and_batches, law_projection, law_end_is_sticky, law_detection,
	law_probes_are_pure, law_check_and_strict;

/* Threads. */
format_law law_threads, law_threads_repeated, law_threads_packed, law_encoding_decoders;

/* After all samples: decoders encoded some rows. */
void expect_encoding(void);

/* What reading gave: a hash of every row, and of every column. */
struct outcome {
	uint64_t *rows;
	size_t count, capacity;
	uint64_t columns[POLY_COLUMN_COUNT];
	uint64_t origin;  /* of the last row */
	bool jumps;	  /* a row stands before the one that it follows */
	uint64_t dialect; /* hash of the facts that decide what the bytes mean */
	enum poly_status status;
	bool opened;
	bool has_finding;
	struct poly_error error;
};

/* How lines of patterns are written: as it is worth, from columns, or always copied. */
enum lines { LINES_USUAL, LINES_PRINTED, LINES_COPIED, LINES_DEFERRED, LINES_WAYS };

/* Bytes to be read, and the format to write them in. */
struct rewriting {
	const uint8_t *data;
	size_t size;
	const struct poly_read_options *options;
	const char *format;
	bool every_column;	  /* the reader delivers more columns than the writer reads */
	const char *const *words; /* options of the writer, or NULL */
	enum lines lines;
};

/* Returns the options of a sample; words has its option and NULL. */
struct poly_read_options read_options(const struct sample *sample, const char *const *words);

/* Reads to the end, into a writer if there is one, otherwise row by row. */
void drain(struct poly_reader *reader, struct outcome *outcome, struct poly_writer *writer,
	enum lines lines);

/* Reads bytes; the caller frees the rows of the outcome. */
void read_bytes(const uint8_t *data, size_t size, const struct poly_read_options *options,
	struct outcome *outcome);

/* Reads bytes and writes them to out. */
void rewrite_as(const struct rewriting *rewriting, struct buf *out, struct outcome *outcome);

/* Reads bytes and writes them in the same format. */
void rewrite(const uint8_t *data, size_t size, const struct poly_read_options *options,
	struct buf *out, struct outcome *outcome);

/* Appends a sample many times, the copies without some of the bytes at its front. */
void repeat_sample(struct buf *to, const struct sample *sample, size_t omitted);

/* Packs a sample in segments of a number of rows. */
bool pack_small(const struct sample *sample, const struct poly_read_options *options,
	size_t rows, struct buf *packed);

/* Whether two readings have the same rows and status; what and value describe the first. */
bool same_outcome(
	const struct outcome *a, const struct outcome *b, const char *what, size_t value);

#endif
