/* SPDX-License-Identifier: MIT */
/* Names of packed traces, and whether one unpacks to what it was made from. */
#include "cli/packed.h"

#include "polytrace/content.h"

#include "cli/command.h"
#include "cli/copy.h"
#include "cli/diagnostics.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *
packed_format(const struct command_input *source)
{
	const struct poly_trace_info *info = poly_reader_info(source->reader);
	return strcmp(info->format, PACKED_FORMAT) == 0 ? poly_trace_fact(info, PACKED_FACT)
							: NULL;
}

const struct poly_format_info *
packed_records(const struct command_input *source)
{
	const char *packed = packed_format(source);
	const struct poly_format_info *format = packed ? poly_format_find(packed) : NULL;
	return format ? format : poly_reader_format(source->reader);
}

static bool
ends_in(const char *path, size_t n, const char *ending)
{
	const size_t m = strlen(ending);
	return n > m && path[n - m - 1] != '/' && memcmp(path + n - m, ending, m) == 0;
}

/* The first n bytes of a name with something behind them. */
static char *
joined(const char *path, size_t n, const char *more)
{
	const size_t size = n + strlen(more) + 1;
	char *name = diag_allocate(size, 1);
	snprintf(name, size, "%.*s%s", (int)n, path, more);
	return name;
}

/* How long a name is without an ending of compression. */
static size_t
length_bare(const char *path)
{
	static const char *const endings[] = {".gz", ".zst", ".xz", ".bz2", ".lz4"};
	const size_t n = strlen(path);
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		if (ends_in(path, n, endings[i]))
			return n - strlen(endings[i]);
	}
	return n;
}

char *
packed_name(const char *path)
{
	return joined(path, length_bare(path), PACKED_ENDING);
}

char *
packed_name_before(const char *path)
{
	const size_t n = length_bare(path);
	return ends_in(path, n, PACKED_ENDING) ? joined(path, n - strlen(PACKED_ENDING), "")
					       : NULL;
}

bool
packed_in_the_way(const char *path)
{
	struct stat there;
	if (lstat(path, &there) != 0)
		return false;
	diag_print(path, "the file is there already; name it with -o to replace it");
	return true;
}

/* Bytes that are held against those of a content. */
struct comparison {
	struct poly_content *content;
	const uint8_t *bytes; /* of the content, not yet compared */
	size_t size;
	uint64_t same; /* bytes that were */
	bool differs;
	enum poly_status status; /* of the content */
	struct poly_error error;
};

/* Looks at the next bytes of the content where there are none; false: there are no more. */
static bool
refill(struct comparison *it)
{
	const void *bytes = it->bytes;
	if (it->size == 0 && it->status == POLY_OK)
		it->status = poly_content_next(it->content, &bytes, &it->size, &it->error);
	it->bytes = bytes;
	return it->size != 0;
}

/* A poly_write_fn: ends the writing where bytes differ. */
static int
compare(void *user, const void *data, size_t size)
{
	struct comparison *it = user;
	const uint8_t *p = data;
	while (size && !it->differs) {
		if (!refill(it)) {
			it->differs = true;
			break;
		}
		const size_t n = size < it->size ? size : it->size;
		size_t same = n;
		if (memcmp(p, it->bytes, n) != 0) {
			for (same = 0; p[same] == it->bytes[same];)
				same++;
			it->differs = true;
		}
		it->same += same;
		it->bytes += n;
		it->size -= n;
		p += n;
		size -= n;
	}
	return it->differs ? ECANCELED : 0;
}

/* Writes the source as it was before it was packed, to be compared. */
static enum poly_status
unpack(struct command_input *source, struct comparison *comparison, struct poly_error *error)
{
	const struct poly_sink sink = {compare, comparison};
	struct poly_write_options writing = POLY_WRITE_OPTIONS_INIT;
	struct poly_writer *writer;
	writing.format = packed_format(source);
	enum poly_status status = poly_writer_open_sink(
		&sink, poly_reader_info(source->reader), &writing, &writer, error);
	if (status != POLY_OK)
		return status;
	input_project(source, poly_writer_columns(writer));
	status = copy_rows(source, writer, error);
	if (status == POLY_OK)
		status = poly_writer_finish(writer, error);
	poly_writer_close(writer);
	return status;
}

/* Tells what was found; true: the bytes are the same. */
static bool
tell_comparison(struct comparison *it, const char *packed, const char *path)
{
	/* What the source has more. */
	if (!it->differs && refill(it))
		it->differs = true;
	if (it->status < 0)
		diag_error(path, &it->error);
	else if (it->differs)
		diag_print(packed, "unpacked it differs from '%s' from byte %llu on", path,
			(unsigned long long)it->same);
	return it->status >= 0 && !it->differs;
}

bool
packed_verify(const char *packed, const char *path)
{
	const struct input_options options = {.on_error = ON_ERROR_STOP};
	const struct input_needs wants = {.columns = columns_to_write(POLY_ALL_COLUMNS)};
	struct comparison comparison = {.status = POLY_OK};
	struct command_input source;
	struct poly_error error;
	if (poly_content_open(path, &comparison.content, &error) != POLY_OK) {
		diag_error(path, &error);
		return false;
	}
	bool good = input_open(&source, packed, &options, &wants);
	if (good) {
		const enum poly_status status = unpack(&source, &comparison, &error);
		const bool ended = !input_is_partial(&source);
		if (status != POLY_OK && !comparison.differs)
			diag_error(packed, &error);
		good = input_close(&source) == STATUS_DONE && ended;
		if (good && (status == POLY_OK || comparison.differs))
			good = tell_comparison(&comparison, packed, path) && status == POLY_OK;
		else
			good = false;
	}
	poly_content_close(comparison.content);
	return good;
}
