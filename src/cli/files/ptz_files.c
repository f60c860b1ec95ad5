/* SPDX-License-Identifier: MIT */
/* Names of packed traces, and verifying that one unpacks to its original. */
#include "cli/files/ptz_files.h"

#include "polytrace/byte_stream.h"

#include "cli/command.h"
#include "cli/files/trace_output.h"
#include "cli/print/diagnostics.h"
#include "cli/options/column_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Returns the first n bytes of a name with a suffix. */
static char *
append_suffix(const char *path, size_t n, const char *suffix)
{
	const size_t size = n + strlen(suffix) + 1;
	char *name = diag_allocate(size, 1);
	snprintf(name, size, "%.*s%s", (int)n, path, suffix);
	return name;
}

/* Returns the length of a name without the suffix of a compression. */
static size_t
bare_length(const char *path)
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
	return append_suffix(path, bare_length(path), PACKED_ENDING);
}

char *
packed_original_name(const char *path)
{
	const size_t n = bare_length(path);
	return ends_in(path, n, PACKED_ENDING)
		       ? append_suffix(path, n - strlen(PACKED_ENDING), "")
		       : NULL;
}

/* Compares written bytes with those of the original. */
struct byte_comparison {
	struct poly_byte_stream *content;
	const uint8_t *bytes; /* of the original, not yet compared */
	size_t size;
	uint64_t same; /* equal bytes so far */
	bool differs;
	enum poly_status status; /* of the original */
	struct poly_error error;
};

/* Reads the next bytes of the original if none are left; returns false at its end. */
static bool
refill(struct byte_comparison *comparison)
{
	const void *bytes = comparison->bytes;
	if (comparison->size == 0 && comparison->status == POLY_OK)
		comparison->status = poly_byte_stream_next(
			comparison->content, &bytes, &comparison->size, &comparison->error);
	/* A truncated original is packed if that was accepted. */
	if (comparison->status == POLY_ERR_TRUNCATED)
		comparison->status = POLY_END;
	comparison->bytes = bytes;
	return comparison->size != 0;
}

/* A poly_write_fn: stops writing at the first difference. */
static int
compare(void *user, const void *data, size_t size)
{
	struct byte_comparison *comparison = user;
	const uint8_t *p = data;
	while (size && !comparison->differs) {
		if (!refill(comparison)) {
			comparison->differs = true;
			break;
		}
		const size_t n = size < comparison->size ? size : comparison->size;
		size_t same = n;
		if (memcmp(p, comparison->bytes, n) != 0) {
			for (same = 0; p[same] == comparison->bytes[same];)
				same++;
			comparison->differs = true;
		}
		comparison->same += same;
		comparison->bytes += n;
		comparison->size -= n;
		p += n;
		size -= n;
	}
	return comparison->differs ? ECANCELED : 0;
}

/* Reports the result; returns whether the bytes are equal. */
static bool
report_comparison(struct byte_comparison *comparison, const char *name, const char *path)
{
	/* The original may have further bytes. */
	if (!comparison->differs && refill(comparison))
		comparison->differs = true;
	if (comparison->status < 0)
		diag_error(path, &comparison->error);
	else if (comparison->differs)
		diag_print(name, "the unpacked trace differs from '%s' from byte %llu on", path,
			(unsigned long long)comparison->same);
	return comparison->status >= 0 && !comparison->differs;
}

bool
packed_verify(const char *packed, const char *name, const char *path)
{
	const struct input_options options = {.on_error = ON_ERROR_STOP};
	const struct input_needs wants = {.columns = columns_to_write(POLY_ALL_COLUMNS)};
	struct byte_comparison comparison = {.status = POLY_OK};
	struct command_input source;
	struct poly_error error;
	if (poly_byte_stream_open(path, &comparison.content, &error) != POLY_OK) {
		diag_error(path, &error);
		return false;
	}
	bool good = input_open(&source, packed, &options, &wants);
	if (good) {
		source.name = name;
		const struct poly_sink sink = {compare, &comparison};
		struct poly_write_options writing = POLY_WRITE_OPTIONS_INIT;
		writing.format = packed_format(&source);
		const enum poly_status status = pump_to_sink(&source, &sink, &writing, &error);
		const bool ended = !input_is_partial(&source);
		if (status != POLY_OK && !comparison.differs)
			diag_error(name, &error);
		good = input_close(&source) == STATUS_DONE && ended;
		if (good && (status == POLY_OK || comparison.differs))
			good = report_comparison(&comparison, name, path) && status == POLY_OK;
		else
			good = false;
	}
	poly_byte_stream_close(comparison.content);
	return good;
}
