/* SPDX-License-Identifier: MIT */
/* The output buffer, and its path through a compression to a file or function. */
#include "io/out.h"

#include "base/err.h"
#include "base/mem.h"
#include "io/filter.h"
#include "io/atomic_file.h"

#include <errno.h>
#include <string.h>

#define BUFFER_SIZE ((size_t)128 << 10)

struct out {
	uint8_t *data; /* BUFFER_SIZE bytes */
	size_t used;
	const struct filter *filter; /* NULL: none */
	void *state;		     /* of the filter, while it is open */
	struct atomic_file file;
	out_fn function; /* receives the bytes; NULL: the file does */
	void *user;
	bool completed, finished;
	bool has_last;		 /* bytes were handed on */
	uint8_t last;		 /* of them */
	enum poly_status status; /* of the first failure */
	struct poly_error error;
};

void
out_close(struct out *out)
{
	if (!out)
		return;
	if (out->state)
		out->filter->encode_close(out->state);
	mem_free(out->state);
	atomic_file_close(&out->file);
	mem_free(out->data);
	mem_free(out);
}

/* Stores bytes, compressed or not. */
static int
deliver(void *user, const void *data, size_t n)
{
	struct out *out = user;
	if (!out->function) {
		out->status = atomic_file_write(&out->file, data, n, &out->error);
		return out->status != POLY_OK;
	}
	int number = out->function(out->user, data, n);
	if (number) {
		errno = number;
		out->status = err_system(&out->error, POLY_NO_OFFSET, "cannot write");
	}
	return number;
}

/* Hands bytes on. */
static void
pass(struct out *out, const void *data, size_t n)
{
	const struct filter_sink sink = {deliver, out};
	if (out->status != POLY_OK || !n)
		return;
	out->has_last = true;
	out->last = ((const uint8_t *)data)[n - 1];
	if (!out->filter) {
		deliver(out, data, n);
		return;
	}
	struct poly_error error;
	enum poly_status status = out->filter->encode(out->state, data, n, &sink, &error);
	if (out->status == POLY_OK && status != POLY_OK) {
		out->status = status;
		out->error = error;
	}
}

uint8_t
out_last(const struct out *out, uint8_t none)
{
	if (out->used)
		return out->data[out->used - 1];
	return out->has_last ? out->last : none;
}

const uint8_t *
out_held(const struct out *out, size_t *n)
{
	*n = out->used;
	return out->data;
}

void
out_flush(struct out *out)
{
	pass(out, out->data, out->used);
	out->used = 0;
}

uint8_t *
out_room(struct out *out, size_t n)
{
	if (BUFFER_SIZE - out->used < n)
		out_flush(out);
	return out->data + out->used;
}

void
out_commit(struct out *out, size_t n)
{
	out->used += n;
}

void
out_write(struct out *out, const void *data, size_t n)
{
	if (n >= OUT_ROOM_MAX) {
		out_flush(out);
		pass(out, data, n);
	} else if (n) {
		memcpy(out_room(out, n), data, n);
		out->used += n;
	}
}

enum poly_status
out_status(const struct out *out, struct poly_error *error)
{
	if (out->status != POLY_OK && error)
		*error = out->error;
	return out->status;
}

/* Writes the end of the compression. */
static void
end_filter(struct out *out)
{
	const struct filter_sink sink = {deliver, out};
	struct poly_error error;
	enum poly_status status = out->filter->encode_end(out->state, &sink, &error);
	if (out->status == POLY_OK && status != POLY_OK) {
		out->status = status;
		out->error = error;
	}
}

enum poly_status
out_complete(struct out *out, struct poly_error *error)
{
	out_flush(out);
	if (out->status == POLY_OK && !out->completed && out->filter)
		end_filter(out);
	out->completed = true;
	return out_status(out, error);
}

const char *
out_path(const struct out *out)
{
	return out->file.path;
}

enum poly_status
out_finish(struct out *out, struct poly_error *error)
{
	if (out_complete(out, error) == POLY_OK && !out->finished && !out->function)
		out->status = atomic_file_finish(&out->file, &out->error);
	out->finished = true;
	return out_status(out, error);
}

/* The filter whose extension ends the path, or NULL. */
static const struct filter *
filter_for(const char *path)
{
	const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
	const struct filter *filter;
	for (size_t i = 0; dot && (filter = filter_at(i)); i++)
		if (strcmp(dot + 1, filter->extension) == 0)
			return filter;
	return NULL;
}

static enum poly_status
out_new(struct out **result, struct poly_error *error)
{
	struct out *out = mem_new(1, sizeof *out);
	uint8_t *data = mem_new(BUFFER_SIZE, 1);
	if (!out || !data) {
		mem_free(out);
		mem_free(data);
		return err_memory(error);
	}
	out->data = data;
	out->file.fd = -1;
	*result = out;
	return POLY_OK;
}

static enum poly_status
open_filter(struct out *out, const struct filter *filter, struct poly_error *error)
{
	if (!filter)
		return POLY_OK;
	if (filter->missing)
		return err_missing(error, filter->name, filter->missing);
	if (!filter->encode_open)
		return err_usage(error,
			"files with the extension '%s' can be read, not written; choose "
			"another "
			"one",
			filter->extension);
	void *state = mem_new(1, filter->encoder_size);
	if (!state)
		return err_memory(error);
	enum poly_status status = filter->encode_open(state, error);
	if (status != POLY_OK) {
		mem_free(state);
		return status;
	}
	out->filter = filter;
	out->state = state;
	return POLY_OK;
}

enum poly_status
out_open(const char *path, unsigned flags, struct out **result, struct poly_error *error)
{
	struct out *out = NULL;
	*result = NULL;
	enum poly_status status = out_new(&out, error);
	if (status != POLY_OK)
		return status;
	/* The compression first: if it fails, no file is created. */
	status = open_filter(out, filter_for(path), error);
	if (status == POLY_OK)
		status = atomic_file_open(&out->file, path, flags, error);
	if (status != POLY_OK) {
		out_close(out);
		return status;
	}
	*result = out;
	return POLY_OK;
}

enum poly_status
out_open_function(out_fn function, void *user, struct out **out, struct poly_error *error)
{
	*out = NULL;
	enum poly_status status = out_new(out, error);
	if (status != POLY_OK)
		return status;
	(*out)->function = function;
	(*out)->user = user;
	return POLY_OK;
}

enum poly_status
out_open_append(
	const struct out_append_point *point, struct out **out, struct poly_error *error)
{
	*out = NULL;
	enum poly_status status = out_new(out, error);
	if (status == POLY_OK)
		status = atomic_file_open_append(&(*out)->file, point, error);
	if (status != POLY_OK) {
		out_close(*out);
		*out = NULL;
	}
	return status;
}
