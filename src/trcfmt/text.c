/* SPDX-License-Identifier: MIT */
/* Template files as text. */
#include "trcfmt/text.h"

#include "base/err.h"
#include "io/in.h"

/* Bytes that are asked for at a time. */
#define CHUNK ((size_t)64 << 10)

static enum poly_status
take_all(struct in *in, struct buf *to, struct poly_error *error)
{
	size_t have = CHUNK;
	while (have == CHUNK) {
		uint8_t *room = buf_reserve(to, CHUNK);
		if (!room)
			return err_memory(error);
		have = in_take(in, room, CHUNK);
		to->size += have;
		if (to->size > TRCFMT_FILE_SIZE)
			return err_set(error, POLY_ERR_LIMIT, TRCFMT_FILE_SIZE,
				"more than %zu bytes of templates", TRCFMT_FILE_SIZE);
	}
	enum poly_status status = in_status(in, error);
	return status == POLY_END ? POLY_OK : status;
}

enum poly_status
text_load(const char *path, struct buf *to, struct poly_error *error)
{
	struct in *in;
	const struct in_options options = {.nesting_limit = 4, .one_thread = true};
	enum poly_status status = in_open(path, &options, &in, error);
	if (status == POLY_OK)
		status = take_all(in, to, error);
	in_close(in);
	return status;
}
