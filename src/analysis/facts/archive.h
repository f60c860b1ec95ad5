/* SPDX-License-Identifier: MIT */
/*
 * Archives of states: one function of a state names its fields in order, to save and to load
 * them. Numbers are of variable length, so an archive has the same bytes on every machine.
 *
 * Loading does not trust the bytes: numbers are checked against limits, and an array has at
 * most as many elements as bytes are left. A failure is sticky: whatever is loaded after it is
 * 0, and the state is only freed.
 */
#ifndef ANALYSIS_ARCHIVE_H
#define ANALYSIS_ARCHIVE_H

#include "analysis/facts/access_stats.h"
#include "analysis/facts/adaptive_bins.h"
#include "analysis/facts/column_stats.h"
#include "analysis/facts/counters.h"
#include "analysis/facts/pair_index.h"
#include "analysis/facts/part_log.h"
#include "base/buf.h"
#include "base/intern.h"

enum archive_failure { ARCHIVE_VALID, ARCHIVE_CORRUPT, ARCHIVE_NO_MEMORY };

struct archive {
	struct buf *out;   /* saves to it; NULL: loads */
	const uint8_t *in; /* the next byte */
	size_t left;	   /* bytes from there */
	enum archive_failure failure;
	/* The shared numbers of the run. */
	uint32_t ops, sites;
	uint16_t contexts;
};

/* Transfers an array of integers of 1, 2, 4 or 8 bytes, which are at most max; loads 0 after a
 * failure. */
void archive_numbers(
	struct archive *archive, void *numbers, size_t width, size_t count, uint64_t max);

/* The same, with few bytes for the zeros of an array of constant size. */
void archive_sparse(
	struct archive *archive, void *numbers, size_t width, size_t count, uint64_t max);

#define ARCHIVE_MAX(number) _Generic((number), bool : 1, default : UINT64_MAX)

/* Transfers an integer or boolean. */
#define ARCHIVE(archive, number) \
	archive_numbers(archive, &(number), sizeof(number), 1, ARCHIVE_MAX(number))

/* Transfers an array of them, of constant size. */
#define ARCHIVE_ARRAY(archive, array)                                                    \
	archive_sparse(archive, array, sizeof *(array), sizeof(array) / sizeof *(array), \
		ARCHIVE_MAX(*(array)))

/* Transfers an integer of at most max. */
#define ARCHIVE_UP_TO(archive, number, max) \
	archive_numbers(archive, &(number), sizeof(number), 1, max)

/* Transfers the index of one of count things, or UINT32_MAX for none. */
void archive_index(struct archive *archive, uint32_t *index, uint32_t count);

/* Transfers the number of a context. */
void archive_context(struct archive *archive, uint16_t *context);

/* Marks the archive as corrupt unless valid. */
void archive_require(struct archive *archive, bool valid);

/* Marks it as failed by lack of memory unless ok. */
void archive_allocate(struct archive *archive, bool ok);

static inline bool
archive_loads(const struct archive *archive)
{
	return !archive->out;
}

static inline bool
archive_failed(const struct archive *archive)
{
	return archive->failure != ARCHIVE_VALID;
}

/* Transfers a number of elements, each of at least one byte, and at most max; loads 0 after a
 * failure. */
size_t archive_count(struct archive *archive, size_t count, size_t max);

/* The capacity of an array, of width bytes. */
struct archive_capacity {
	void *number;
	size_t width;
};

/*
 * Transfers the count of an array and makes room for it, zeroed; the caller transfers the
 * elements. Returns the count.
 */
size_t archive_room(struct archive *archive, void *array, size_t size, size_t count,
	struct archive_capacity capacity);

#define ARCHIVE_ROOM(archive, array, capacity, count)           \
	archive_room(archive, &(array), sizeof *(array), count, \
		(struct archive_capacity){&(capacity), sizeof(capacity)})

/* Transfers a NUL-terminated text; returns the loaded one, which the caller frees, or NULL if
 * text is NULL. */
char *archive_text(struct archive *archive, const char *text);

/* Transfers a text of at most size bytes with its NUL, in place. */
void archive_characters(struct archive *archive, char *text, size_t size);

/* Transfers a map in order of its keys; its values are at most max. */
void archive_map(struct archive *archive, struct map *map, uint64_t max);

void archive_intern(struct archive *archive, struct intern *intern);
void archive_access_stats(struct archive *archive, struct access_stats *stats);

/* Transfers pairs whose first numbers are below limit; UINT64_MAX: any numbers. */
void archive_pairs(struct archive *archive, struct pair_index *pairs, uint64_t limit);

/* Transfers the counters up to index max. */
void archive_counters(struct archive *archive, struct counters *counters, uint64_t max);

void archive_histogram(struct archive *archive, struct byte_histogram *histogram);
void archive_distinct(struct archive *archive, struct distinct_set *distinct);

/* Transfers an item of a table or of a log. */
typedef void archive_item_fn(struct archive *archive, void *item);

/* Transfers bins, whose tags are below tags. */
void archive_bins(struct archive *archive, struct adaptive_bins *bins, uint32_t tags,
	archive_item_fn *item);

/* Transfers bins whose numbers are sites, or SITE_OPEN, and whose tags are contexts. */
void archive_site_bins(
	struct archive *archive, struct adaptive_bins *bins, archive_item_fn *item);

/* Transfers a log; item NULL: it has no events. */
void archive_log(struct archive *archive, struct part_log *log, archive_item_fn *item);

#endif
