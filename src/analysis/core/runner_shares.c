/* SPDX-License-Identifier: MIT */
/*
 * Shares of the machines of a simulation, which processes divide among them. Saved ones are an
 * archive (facts/archive.h) of the version, what the process ran and read, and the results.
 */
#include "analysis/core/analysis_instance.h"

#include "analysis/facts/archive.h"
#include "base/err.h"
#include "base/mem.h"

#include <errno.h>
#include <string.h>

/* Returns the machines of a handle; NULL: its analyses cannot be divided. */
static const struct analysis_machines *
machines_of(const struct poly_stats *stats)
{
	return stats->count == 1 ? stats->instances->analysis->machines : NULL;
}

size_t
poly_stats_max_shares(const struct poly_stats *stats)
{
	const struct analysis_machines *machines = machines_of(stats);
	return machines ? machines->count(stats->instances->state) : 1;
}

enum poly_status
poly_stats_set_share(
	struct poly_stats *stats, const struct poly_share *share, struct poly_error *error)
{
	const struct analysis_machines *machines = machines_of(stats);
	const size_t max = poly_stats_max_shares(stats);
	if (share->index >= share->count || share->count > max)
		return err_usage(error, "share %zu of %zu (expected at most %zu shares)",
			share->index, share->count, max);
	if (stats->info || stats->share.count)
		return err_usage(error, "a share was set or a trace begun before");
	stats->share = *share;
	return !machines || machines->select(stats->instances->state, share)
		       ? POLY_OK
		       : err_memory(error);
}

/* Fails because a handle has no share of its machines. */
static enum poly_status
fail_without_share(struct poly_error *error)
{
	return err_usage(error, "the handle has no share of a simulation");
}

/* Saves a text, or returns whether a loaded one is equal. */
static bool
transfer_equal(struct archive *archive, const char *text)
{
	char *loaded = archive_text(archive, text);
	const bool equal = !archive_loads(archive) || (loaded && strcmp(loaded, text) == 0);
	mem_free(loaded);
	return equal;
}

/* Saves a number, or returns whether a loaded one is equal. */
static bool
transfer_equal_number(struct archive *archive, uint64_t number)
{
	const uint64_t own = number;
	ARCHIVE(archive, number);
	return number == own;
}

/* Saves the analysis and its options, or returns whether loaded ones are equal. */
static bool
transfer_request(struct archive *archive, const struct poly_stats *stats)
{
	const char *words = (const char *)stats->words.data;
	bool equal = transfer_equal(archive, stats->instances->analysis->info.name) &&
		     transfer_equal_number(archive, stats->words.size);
	for (size_t at = 0; equal && at < stats->words.size; at += strlen(words + at) + 1)
		equal = transfer_equal(archive, words + at);
	return equal && transfer_equal_number(archive, stats->options.warmup) &&
	       transfer_equal_number(archive, stats->options.memory) &&
	       transfer_equal_number(archive, stats->options.real_addresses) &&
	       transfer_equal_number(archive, stats->share.count);
}

enum poly_status
poly_stats_save_share(
	struct poly_stats *stats, const struct poly_sink *sink, struct poly_error *error)
{
	struct buf buf = {.data = NULL};
	struct archive archive = {.out = &buf};
	struct poly_share share = stats->share;
	const struct analysis_machines *machines = machines_of(stats);
	enum poly_status status = POLY_OK;
	if (!machines || !share.count)
		return fail_without_share(error);
	transfer_equal(&archive, POLY_VERSION);
	transfer_request(&archive, stats);
	transfer_equal_number(&archive, stats->seen);
	ARCHIVE(&archive, share.index);
	machines->transfer(stats->instances->state, &share, &archive);
	if (buf.failed || archive_failed(&archive))
		status = err_memory(error);
	errno = status == POLY_OK ? sink->write(sink->user, buf.data, buf.size) : 0;
	if (errno)
		status = err_system(error, POLY_NO_OFFSET, "cannot write");
	buf_free(&buf);
	return status;
}

/* Fails unless a share is one of the same simulation. */
static enum poly_status
load_head(struct archive *archive, const struct poly_stats *stats, struct poly_share *share,
	struct poly_error *error)
{
	if (!transfer_equal(archive, POLY_VERSION) && !archive_failed(archive))
		return err_set(error, POLY_ERR_UNSUPPORTED, POLY_NO_OFFSET,
			"the share was saved by another version (expected %s)", POLY_VERSION);
	if (!transfer_request(archive, stats) && !archive_failed(archive))
		return err_usage(error, "the share is of another simulation");
	uint64_t seen = 0;
	ARCHIVE(archive, seen);
	ARCHIVE(archive, share->index);
	if (archive_failed(archive))
		return POLY_OK;
	if (seen != stats->seen)
		return err_usage(error, "share %zu is of %llu records (expected %llu)",
			share->index, (unsigned long long)seen,
			(unsigned long long)stats->seen);
	return share->index < share->count && share->index != stats->share.index
		       ? POLY_OK
		       : err_usage(error, "share %zu of %zu is not one of the others",
				 share->index, share->count);
}

enum poly_status
poly_stats_load_share(
	struct poly_stats *stats, const void *data, size_t size, struct poly_error *error)
{
	struct archive archive = {.in = data, .left = size};
	struct poly_share share = {.index = 0, .count = stats->share.count};
	const struct analysis_machines *machines = machines_of(stats);
	if (!machines || !share.count)
		return fail_without_share(error);
	const enum poly_status status = load_head(&archive, stats, &share, error);
	if (status != POLY_OK)
		return status;
	if (!archive_failed(&archive))
		machines->transfer(stats->instances->state, &share, &archive);
	archive_require(&archive, !archive.left);
	if (!archive_failed(&archive))
		return POLY_OK;
	return archive.failure == ARCHIVE_NO_MEMORY
		       ? err_memory(error)
		       : err_set(error, POLY_ERR_FORMAT,
				 (uint64_t)(archive.in - (const uint8_t *)data),
				 "corrupt share");
}
