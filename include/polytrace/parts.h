/* SPDX-License-Identifier: MIT */
/*
 * Saved results of analyses. The results of parts of traces are saved by the processes that
 * read them, and loaded and merged by another one, perhaps on another machine; the report is
 * that of one run over all parts.
 *
 *     poly_file_identify(path, &part.identity, &error);
 *     ...                                        // as in polytrace/stats.h, without
 *     poly_stats_save(stats, &part, 1, &sink, &error); // poly_stats_finish
 *
 *     poly_stats_load(bytes, size, &stats, &error);
 *     poly_stats_load(more_bytes, more_size, &next, &error);
 *     poly_stats_merge(stats, next, &error);
 *     poly_stats_finish(stats, &error);
 *
 * Simulations, whose results cannot be merged, are divided by their machines, such as the
 * caches of a sweep: each of several processes reads the same records, and simulates its share
 * of the machines. The one with share 0 loads the shares of the others, and its report is that
 * of one process.
 *
 *     poly_stats_set_share(stats, &share, &error); // after poly_stats_new
 *     ...                                          // all rows, and poly_stats_finish
 *     poly_stats_save_share(stats, &sink, &error); // the others
 *     poly_stats_load_share(stats, bytes, size, &error); // share 0, for each of the others
 */
#ifndef POLYTRACE_PARTS_H
#define POLYTRACE_PARTS_H

#include "polytrace/stats.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What identifies the content of a file. */
struct poly_file_identity {
	uint64_t size; /* bytes */
	uint64_t head; /* XXH3 of the first MiB, or of all of a shorter file */
	uint64_t tail; /* the same of the last MiB */
};

/*
 * Reads the identity of a regular file. POLY_ERR_USAGE: path is not one, such as a pipe.
 * POLY_ERR_IO. POLY_ERR_UNSUPPORTED: the build lacks the library xxHash. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_file_identify(
	const char *path, struct poly_file_identity *identity, struct poly_error *error);

/* Consecutive records of a trace that results are of. */
struct poly_part {
	const char *file;   /* name of the file, for people and reports */
	const char *format; /* name of the format that the trace was read as */
	/* The options that the trace was read with, if they change its rows, as the reader of
	 * the part writes them: parts with different texts are not of the same trace. */
	const char *reading;
	struct poly_file_identity identity; /* of the file */
	uint64_t first;			    /* number of the first record, from 1 */
	uint64_t records;		    /* number of records, 0 or more */
	uint64_t rows;			    /* number of those that were selected */
	bool is_end;			    /* the trace is known to end after them */
	bool is_partial; /* the trace was found to be truncated or corrupt there */
};

/*
 * Saves results before poly_stats_finish; afterwards they can still be finished. parts: the
 * parts of traces that they are of, count of them, in order; NULL for results that were loaded,
 * which have theirs. The bytes do not depend on the machine, but those of long traces on the
 * number of threads, unlike the report; they are read by the same version of the library.
 * POLY_ERR_UNSUPPORTED: an analysis cannot be saved; the message names it and the reason.
 * POLY_ERR_USAGE: a warm-up or sampling, or parts are missing. POLY_ERR_IO: the sink failed.
 * POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_stats_save(struct poly_stats *stats,
	const struct poly_part *parts, size_t count, const struct poly_sink *sink,
	struct poly_error *error);

/*
 * Creates a handle with saved results, which the caller owns: it can be merged, saved and
 * finished, but not updated. poly_stats_merge of two such handles follows their parts: if the
 * first part of from continues the last one of into, so do its results. POLY_ERR_FORMAT: the
 * bytes are not saved results, or corrupt. POLY_ERR_UNSUPPORTED: saved by another version, or
 * the build lacks xxHash. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_stats_load(
	const void *data, size_t size, struct poly_stats **stats, struct poly_error *error);

/*
 * Returns the i-th part, from 0, of results that were loaded; NULL: there are fewer. Adjacent
 * parts that were merged are one. Valid until the next call of poly_stats_merge or
 * poly_stats_free.
 */
POLY_API const struct poly_part *poly_stats_part_at(const struct poly_stats *stats, size_t i);

/* Returns whether two parts are of the same file, read in the same way. */
POLY_API bool poly_part_is_same_trace(const struct poly_part *a, const struct poly_part *b);

/* The machines whose index modulo count is index. */
struct poly_share {
	size_t index; /* less than count */
	size_t count; /* number of shares, 1 or more */
};

/* Returns the maximum number of shares, the number of machines; 1: the handle's analyses cannot
 * be divided. */
POLY_API size_t poly_stats_max_shares(const struct poly_stats *stats);

/*
 * Restricts a handle to a share of its machines, before it begins a trace and at most once. The
 * results of the others are 0 until they are loaded; only share 0 has the rest of the report.
 * POLY_ERR_USAGE: an invalid share, or more shares than poly_stats_max_shares. POLY_ERR_MEMORY:
 * the handle can only be freed.
 */
POLY_API enum poly_status poly_stats_set_share(
	struct poly_stats *stats, const struct poly_share *share, struct poly_error *error);

/*
 * Saves the results of the handle's share, after poly_stats_finish. The bytes do not depend on
 * the machine; they are read by the same version of the library. POLY_ERR_USAGE: the handle has
 * no share. POLY_ERR_IO: the sink failed. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_stats_save_share(
	struct poly_stats *stats, const struct poly_sink *sink, struct poly_error *error);

/*
 * Loads the results of another share of the same simulation, after poly_stats_finish.
 * POLY_ERR_USAGE: the handle has no share, or the bytes are of other analyses, options or
 * shares, or of another number of records. POLY_ERR_FORMAT: corrupt bytes.
 * POLY_ERR_UNSUPPORTED: saved by another version. POLY_ERR_MEMORY. After POLY_ERR_FORMAT and
 * POLY_ERR_MEMORY the results of that share are not valid.
 */
POLY_API enum poly_status poly_stats_load_share(
	struct poly_stats *stats, const void *data, size_t size, struct poly_error *error);

#ifdef __cplusplus
}
#endif

#endif
