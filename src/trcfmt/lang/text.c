/* SPDX-License-Identifier: MIT */
/* Reads template files as text. */
#include "trcfmt/lang/text.h"

#include "polytrace/templates.h"

#include "base/err.h"
#include "base/mem.h"
#include "io/in.h"
#include "io/out.h"

/* Bytes read at a time. */
#define CHUNK ((size_t)64 << 10)

static enum poly_status
read_all(struct in *in, struct buf *text, struct poly_error *error)
{
	size_t have = CHUNK;
	while (have == CHUNK) {
		uint8_t *room = buf_reserve(text, CHUNK);
		if (!room)
			return err_memory(error);
		have = in_read(in, room, CHUNK);
		text->size += have;
		if (text->size > TRCFMT_FILE_SIZE)
			return err_set(error, POLY_ERR_LIMIT, TRCFMT_FILE_SIZE,
				"template file is larger than %zu bytes", TRCFMT_FILE_SIZE);
	}
	enum poly_status status = in_status(in, error);
	return status == POLY_END ? POLY_OK : status;
}

enum poly_status
text_load(const char *path, struct buf *text, struct poly_error *error)
{
	struct in *in;
	const struct in_options options = {.nesting_limit = 4, .one_thread = true};
	enum poly_status status = in_open(path, &options, &in, error);
	if (status == POLY_OK)
		status = read_all(in, text, error);
	in_close(in);
	return status;
}

enum poly_status
poly_template_text_load(const char *path, char **text, size_t *n, struct poly_error *error)
{
	struct buf loaded = {0};
	enum poly_status status = text_load(path, &loaded, error);
	buf_text(&loaded);
	if (status == POLY_OK && loaded.failed)
		status = err_memory(error);
	*text = NULL;
	*n = 0;
	if (status != POLY_OK) {
		buf_free(&loaded);
		return status;
	}
	*text = (char *)loaded.data;
	*n = loaded.size;
	return POLY_OK;
}

void
poly_template_text_free(char *text)
{
	mem_free(text);
}
