/* SPDX-License-Identifier: MIT */
/*
 * Directories of drmemtrace: a file per thread or core in it or in its folder trace, merged by
 * timestamps. At each timestamp the file with the lowest one continues; of equal ones, the
 * first file by name.
 */
#include "format/drmemtrace/reader.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Maximum number of files that are merged: all are open at a time. */
#define MERGED_MAX 1024

/* Returns whether a file of a recording is not a trace. */
static bool
is_skipped(const char *name)
{
	static const char *const names[] = {
		"modules.log", "funclist.log", "encodings.bin", "v2p.textproto", "kernel.raw"};
	if (name[0] == '.' || strncmp(name, "serial_schedule.bin", 19) == 0 ||
		strncmp(name, "cpu_schedule.bin", 16) == 0)
		return true;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

/* Returns whether a list of names has one. */
static bool
has_name(const struct buf *names, const char *name)
{
	const char *each = (const char *)names->data, *end = each + names->size;
	while (each < end && strcmp(each, name) != 0)
		each += strlen(each) + 1;
	return each < end;
}

/* Adds the name of a file to an error. */
static enum poly_status
name_error(const char *name, const struct poly_error *cause, struct poly_error *error)
{
	err_set(error, cause->status, cause->offset, "%.120s: %.270s", name, cause->message);
	if (!error)
		return cause->status;
	error->sys_errno = cause->sys_errno;
	const size_t length = strlen(error->message), end = strlen(cause->message);
	const size_t shift = length > end ? length - end : 0;
	/* The option stands after the name, unless the message was shortened. */
	if (strcmp(error->message + shift, cause->message) == 0) {
		memcpy(error->option, cause->option, sizeof error->option);
		error->option_size = cause->option_size;
		error->option_at = (uint16_t)(cause->option_at + shift);
	}
	return cause->status;
}

/* Opens a file and reads its front. */
static enum poly_status
open_file(struct drm_reader *reader, struct drm_stream *stream, struct poly_error *error)
{
	struct poly_error cause;
	enum poly_status status =
		in_open_entry(reader->directory, stream->name, &stream->in, &cause);
	if (status == POLY_ERR_IO && cause.sys_errno == EMFILE)
		err_set(&cause, status, POLY_NO_OFFSET,
			"too many open files; raise the limit of 'ulimit -n', or do not merge "
			"the files (options.by_thread)");
	if (status == POLY_OK && in_is_directory(stream->in))
		status = err_set(&cause, POLY_ERR_FORMAT, POLY_NO_OFFSET,
			strcmp(stream->name, "raw") == 0
				? "a directory of raw files, which drraw2trace converts"
				: "a directory within the directory; name one of them");
	if (status == POLY_OK)
		status = drm_front_open(stream->in, &stream->front, &cause);
	if (status != POLY_OK)
		name_error(stream->name, &cause, error);
	return status;
}

/* Adds a file, whose front is tested. */
static enum poly_status
add_file(struct reading *reading, const char *name, struct poly_error *error)
{
	struct drm_reader *reader = reading->state;
	if (!VEC_ROOM_ZEROED(reader->streams, reader->capacity, reader->count))
		return err_memory(error);
	struct drm_stream *stream = &reader->streams[reader->count++];
	*stream = (struct drm_stream){.name = name, .is_merged = !reading->by_thread};
	if (stream->is_merged && reader->count > MERGED_MAX)
		return err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
			"more than %u files are not merged (options.by_thread)", MERGED_MAX);
	enum poly_status status = open_file(reader, stream, error);
	const char *first = drm_isa(reader->streams), *isa = drm_isa(stream);
	if (status == POLY_OK && (!first != !isa || (isa && strcmp(first, isa) != 0)))
		status = err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
			"%.120s: instruction set %s (found %s in the first file)", name,
			isa ? isa : "unknown", first ? first : "none");
	if (status != POLY_OK)
		return status;
	if (stream->is_merged)
		return drm_stream_begin(stream, error);
	in_close(stream->in);
	stream->in = NULL;
	return POLY_OK;
}

/* Lists the files of a directory, or of its folder trace. */
static enum poly_status
list_files(struct reading *reading, struct poly_error *error)
{
	struct drm_reader *reader = reading->state;
	reader->directory = reading->in;
	enum poly_status status = in_list(reading->in, &reader->names, error);
	if (status != POLY_OK || !has_name(&reader->names, "trace"))
		return status;
	status = in_open_entry(reading->in, "trace", &reader->trace, error);
	if (status != POLY_OK || !in_is_directory(reader->trace))
		return status;
	reader->directory = reader->trace;
	buf_clear(&reader->names);
	return in_list(reader->trace, &reader->names, error);
}

/* Returns whether a file of the directory is of a trace, or of a recording that is to be
 * converted. */
static bool
has_trace_file(struct drm_reader *reader)
{
	const char *name = (const char *)reader->names.data, *end = name + reader->names.size;
	if (has_name(&reader->names, "raw"))
		return true;
	for (; name < end; name += strlen(name) + 1) {
		struct drm_stream stream = {.name = name};
		struct poly_error ignored;
		const bool is_trace =
			!is_skipped(name) && open_file(reader, &stream, &ignored) == POLY_OK;
		in_close(stream.in);
		if (is_trace)
			return true;
	}
	return false;
}

/* Fails for a directory of other files. */
static enum poly_status
fail_unrecognized(const struct drm_reader *reader, struct poly_error *error)
{
	/* Each directory of a CTF trace has this file. */
	const bool is_ctf = has_name(&reader->names, "metadata");
	return err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
		"unrecognized directory (found %s%.200s, expected files of drmemtrace)",
		is_ctf ? "a CTF trace" : "the file ", is_ctf ? "" : reader->streams[0].name);
}

enum poly_status
drm_directory_open(struct reading *reading, struct poly_error *error)
{
	struct drm_reader *reader = reading->state;
	enum poly_status status = list_files(reading, error);
	if (status != POLY_OK)
		return status;
	const char *name = (const char *)reader->names.data, *end = name + reader->names.size;
	for (; status == POLY_OK && name < end; name += strlen(name) + 1) {
		if (!is_skipped(name))
			status = add_file(reading, name, error);
	}
	/* A file that can be opened, but is not a trace, as all others. */
	if (status == POLY_ERR_FORMAT && reader->count == 1 && reader->streams[0].in &&
		!has_trace_file(reader))
		return fail_unrecognized(reader, error);
	if (status == POLY_OK && !reader->count)
		return err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
			"the directory has no files of a trace (expected files of drmemtrace)");
	return status;
}

/* Selects the next file. */
static enum poly_status
select_file(struct drm_reader *reader, struct poly_error *error)
{
	struct drm_stream *next = NULL;
	for (size_t i = 0; i < reader->count; i++) {
		struct drm_stream *stream = &reader->streams[i];
		if (!stream->is_closed && (!next || stream->due < next->due))
			next = stream;
		if (next && !next->is_merged)
			break;
	}
	if (!next)
		return POLY_END;
	enum poly_status status = next->in ? POLY_OK : open_file(reader, next, error);
	if (status == POLY_OK && !next->list)
		status = drm_stream_begin(next, error);
	if (status == POLY_OK)
		reader->stream = next;
	return status;
}

/* Closes a file after its last entry. */
static void
close_file(struct drm_reader *reader)
{
	struct drm_stream *stream = reader->stream;
	drm_stream_end(stream);
	in_close(stream->in);
	*stream = (struct drm_stream){
		.name = stream->name, .is_merged = stream->is_merged, .is_closed = true};
	reader->stream = NULL;
}

/* Reads entries of the present file. */
static enum poly_status
read_file(struct drm_cursor *cursor, struct drm_reader *reader, struct poly_error *error)
{
	struct poly_error cause;
	const struct batch *batch = cursor->batch;
	struct drm_stream *stream = cursor->stream = reader->stream;
	enum poly_status status = drm_stream_read(cursor, &cause);
	if (status == POLY_OK) {
		/* It stopped before a timestamp. */
		if (batch->view.rows < batch->capacity)
			reader->stream = NULL;
		return POLY_OK;
	}
	if (status == POLY_ERR_TRUNCATED)
		findings_add_truncation(cursor->reading->findings, DRM_R03,
			cursor->reading->record + batch->view.rows + 1, cause.offset,
			"%.120s: %.200s", stream->name, cause.message);
	if (status == POLY_END || status == POLY_ERR_TRUNCATED) {
		close_file(reader);
		return POLY_OK;
	}
	/* Messages of entries have the name. */
	if (in_status(stream->in, NULL) == status)
		return name_error(stream->name, &cause, error);
	*error = cause;
	return status;
}

enum poly_status
drm_directory_read(struct drm_cursor *cursor, struct poly_error *error)
{
	struct drm_reader *reader = cursor->reading->state;
	const struct batch *batch = cursor->batch;
	enum poly_status status = POLY_OK;
	while (status == POLY_OK && batch->view.rows < batch->capacity) {
		if (!reader->stream)
			status = select_file(reader, error);
		if (status == POLY_OK)
			status = read_file(cursor, reader, error);
	}
	return status;
}

void
drm_directory_close(struct drm_reader *reader)
{
	for (size_t i = 0; i < reader->count; i++) {
		drm_stream_end(&reader->streams[i]);
		in_close(reader->streams[i].in);
	}
	mem_free(reader->streams);
	buf_free(&reader->names);
	in_close(reader->trace);
}
