/* SPDX-License-Identifier: MIT */
/*
 * Saves the states of a run, and loads them.
 *
 * A file has a head of 32 bytes: SAVED_MAGIC; the version of the layout, 4 bytes; 4 bytes of 0;
 * the size of the rest; the XXH3 checksum of the rest. All numbers are little-endian. The rest
 * is an archive (facts/archive.h), whose fields are those of this version of the library.
 */
#include "analysis/core/analysis_instance.h"

#include "analysis/facts/archive.h"
#include "base/bits.h"
#include "base/checksum.h"
#include "base/err.h"
#include "base/mem.h"

#include <errno.h>
#include <string.h>

#define SAVED_MAGIC "\x89PST\r\n\x1a\n"
enum { SAVED_VERSION = 1, SAVED_HEAD = 32 };

/* Maximum numbers of analyses and of option words. */
enum { ANALYSES_MAX = 256, WORDS_MAX = 4096 };

/* Fails if a run cannot be saved. */
static enum poly_status
check_saved(const struct poly_stats *stats, struct poly_error *error)
{
	if (!checksum_available())
		return err_missing(error, "saving results", "libxxhash-dev");
	if (stats->options.warmup || stats->options.period)
		return err_usage(error, "runs with a warm-up or sampling cannot be saved");
	for (size_t i = 0; i < stats->count; i++) {
		const struct analysis *analysis = stats->instances[i].analysis;
		const char *reason =
			analysis->ordered ? analysis->ordered : "its results cannot be merged";
		if (!analysis->merge || !analysis->transfer)
			return err_set(error, POLY_ERR_UNSUPPORTED, POLY_NO_OFFSET,
				"analysis '%s' cannot be saved: %s", analysis->info.name,
				analysis->merge ? "its state is that of the caller" : reason);
	}
	if (stats->effects)
		return err_set(error, POLY_ERR_UNSUPPORTED, POLY_NO_OFFSET,
			"analysis '%s' cannot be saved: the effects of a record follow from "
			"the "
			"register states of the next one",
			stats->instances[0].analysis->info.name);
	return POLY_OK;
}

/* Transfers the options of a run as texts: names of analyses, and words; both end with an empty
 * text. */
static void
save_request(struct archive *archive, struct poly_stats *stats)
{
	const char *words = (const char *)stats->words.data;
	size_t at = 0;
	ARCHIVE(archive, stats->options.memory);
	ARCHIVE(archive, stats->options.real_addresses);
	for (size_t i = 0; i < stats->count; i++)
		archive_text(archive, stats->instances[i].analysis->info.name);
	archive_text(archive, NULL);
	for (; at < stats->words.size; at += strlen(words + at) + 1)
		archive_text(archive, words + at);
	archive_text(archive, NULL);
}

/* Loads a list of at most max texts, which the caller frees, with the list. */
static char **
load_texts(struct archive *archive, size_t max)
{
	char **texts = mem_new(max + 1, sizeof *texts), *text;
	size_t count = 0;
	archive_allocate(archive, texts != NULL);
	while (!archive_failed(archive) && (text = archive_text(archive, NULL))) {
		texts[count++] = text;
		archive_require(archive, count < max);
	}
	return texts;
}

static void
free_texts(char **texts)
{
	for (size_t i = 0; texts && texts[i]; i++)
		mem_free(texts[i]);
	mem_free(texts);
}

/* Requires that all analyses are of the library and can be loaded. */
static void
require_analyses(struct archive *archive, char **names)
{
	for (size_t i = 0; names && names[i]; i++) {
		const struct analysis *analysis = NULL;
		size_t k = 0;
		while ((analysis = analysis_at(k++)) &&
			strcmp(analysis->info.name, names[i]) != 0)
			;
		archive_require(archive, analysis && analysis->transfer);
	}
}

/* Creates the run of saved options; NULL: failure. */
static struct poly_stats *
load_request(struct archive *archive, struct poly_error *error)
{
	struct poly_stats_options options = POLY_STATS_OPTIONS_INIT;
	struct poly_stats *stats = NULL;
	ARCHIVE(archive, options.memory);
	ARCHIVE(archive, options.real_addresses);
	char **names = load_texts(archive, ANALYSES_MAX);
	char **words = load_texts(archive, WORDS_MAX);
	require_analyses(archive, names);
	options.analyses = (const char *const *)names;
	options.options = (const char *const *)words;
	if (!archive_failed(archive)) {
		const enum poly_status status = poly_stats_new(&options, &stats, error);
		archive_allocate(archive, status != POLY_ERR_MEMORY);
		archive_require(archive, status == POLY_OK);
	}
	free_texts(names);
	free_texts(words);
	return stats;
}

static void
transfer_instance(struct archive *archive, struct analysis_instance *instance)
{
	ARCHIVE(archive, instance->suited);
	ARCHIVE(archive, instance->suits);
	if (instance->suited)
		instance->analysis->transfer(instance->state, archive);
}

/* Transfers everything but the options. */
static void
transfer_run(struct archive *archive, struct poly_stats *stats, struct part_list *parts)
{
	part_list_transfer(parts, archive);
	archive_characters(archive, stats->first_diagnostic, sizeof stats->first_diagnostic);
	ARCHIVE(archive, stats->seen);
	ARCHIVE(archive, stats->first_number);
	ARCHIVE(archive, stats->real.accesses);
	ARCHIVE(archive, stats->real.accesses_without);
	ARCHIVE(archive, stats->real.instructions);
	ARCHIVE(archive, stats->real.instructions_without);
	contexts_transfer(&stats->contexts, archive);
	static_ops_transfer(&stats->ops, archive);
	for (size_t i = 0; i < stats->count && !archive_failed(archive); i++)
		transfer_instance(archive, &stats->instances[i]);
}

/* Writes the head and the archive to a sink. */
static enum poly_status
write_saved(const struct buf *buf, const struct poly_sink *sink, struct poly_error *error)
{
	uint8_t head[SAVED_HEAD] = {0};
	memcpy(head, SAVED_MAGIC, 8);
	store_le32(head + 8, SAVED_VERSION);
	store_le64(head + 16, buf->size);
	store_le64(head + 24, checksum(buf->data, buf->size));
	int failed = sink->write(sink->user, head, sizeof head);
	if (!failed)
		failed = sink->write(sink->user, buf->data, buf->size);
	errno = failed;
	return failed ? err_system(error, POLY_NO_OFFSET, "cannot write") : POLY_OK;
}

enum poly_status
stats_save(struct poly_stats *stats, const struct poly_part *parts, size_t count,
	const struct poly_sink *sink, struct poly_error *error)
{
	struct part_list given = {.count = 0};
	struct buf buf = {.data = NULL};
	struct archive archive = {.out = &buf};
	enum poly_status status = check_saved(stats, error);
	if (status == POLY_OK && !count && !stats->parts.count)
		status = err_usage(error, "no parts were given");
	if (status == POLY_OK &&
		(stats->status != POLY_OK || !part_list_add(&given, parts, count)))
		status = err_memory(error);
	if (status == POLY_OK) {
		archive_text(&archive, POLY_VERSION);
		save_request(&archive, stats);
		transfer_run(&archive, stats, count ? &given : &stats->parts);
		status = buf.failed || archive_failed(&archive)
				 ? err_memory(error)
				 : write_saved(&buf, sink, error);
	}
	part_list_fini(&given);
	buf_free(&buf);
	return status;
}

/* Fails unless bytes have a valid head and checksum. */
static enum poly_status
check_head(const uint8_t *data, size_t size, struct poly_error *error)
{
	if (!checksum_available())
		return err_missing(error, "loading saved results", "libxxhash-dev");
	if (size < 8 || memcmp(data, SAVED_MAGIC, 8) != 0)
		return err_set(error, POLY_ERR_FORMAT, 0, "not a file of saved results");
	if (size < SAVED_HEAD)
		return err_set(error, POLY_ERR_FORMAT, size, "truncated in the head");
	if (load_le32(data + 8) != SAVED_VERSION || load_le32(data + 12))
		return err_set(error, POLY_ERR_UNSUPPORTED, 8,
			"saved results of version %u (expected %u)",
			(unsigned)load_le32(data + 8), (unsigned)SAVED_VERSION);
	if (load_le64(data + 16) != size - SAVED_HEAD)
		return err_set(error, POLY_ERR_FORMAT, 16,
			"the file has %llu bytes after its head (expected %llu)",
			(unsigned long long)(size - SAVED_HEAD),
			(unsigned long long)load_le64(data + 16));
	if (load_le64(data + 24) != checksum(data + SAVED_HEAD, size - SAVED_HEAD))
		return err_set(error, POLY_ERR_FORMAT, 24, "wrong checksum");
	return POLY_OK;
}

/* Fails if another version of the library saved the results. */
static enum poly_status
check_version(struct archive *archive, struct poly_error *error)
{
	char *version = archive_text(archive, NULL);
	enum poly_status status = POLY_OK;
	if (version && !archive_failed(archive) && strcmp(version, POLY_VERSION) != 0)
		status = err_set(error, POLY_ERR_UNSUPPORTED, POLY_NO_OFFSET,
			"saved by version %.40s (expected %s)", version, POLY_VERSION);
	archive_require(archive, version != NULL);
	mem_free(version);
	return status;
}

enum poly_status
poly_stats_load(
	const void *data, size_t size, struct poly_stats **stats, struct poly_error *error)
{
	const uint8_t *bytes = data;
	*stats = NULL;
	enum poly_status status = check_head(bytes, size, error);
	if (status != POLY_OK)
		return status;
	struct archive archive = {.in = bytes + SAVED_HEAD, .left = size - SAVED_HEAD};
	status = check_version(&archive, error);
	if (status != POLY_OK)
		return status;
	struct poly_error ignored;
	struct poly_stats *loaded = load_request(&archive, &ignored);
	if (loaded)
		transfer_run(&archive, loaded, &loaded->parts);
	archive_require(&archive, loaded && loaded->parts.count && !archive.left);
	if (!archive_failed(&archive)) {
		*stats = loaded;
		return POLY_OK;
	}
	stats_free(loaded);
	return archive.failure == ARCHIVE_NO_MEMORY
		       ? err_memory(error)
		       : err_set(error, POLY_ERR_FORMAT, (uint64_t)(archive.in - bytes),
				 "corrupt state");
}

const struct poly_part *
poly_stats_part_at(const struct poly_stats *stats, size_t i)
{
	return i < stats->parts.count ? &stats->parts.list[i] : NULL;
}
