/* SPDX-License-Identifier: MIT */
/* Rows of a batch in parts, a few more than threads, as some of these may come late. */
#include "format/apart.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/team.h"
#include "model/slice.h"

#include <errno.h>

#define PARTS_A_THREAD 2

/* Neighbouring rows, and a writer of them. */
struct part {
	struct writing writing;
	struct buf bytes; /* what it has written */
	struct slice rows;
	bool opened;
	enum poly_status status;
	struct poly_error error;
};

struct apart {
	const struct format *format;
	struct team *team;
	const struct poly_batch *batch; /* that is written */
	size_t rows;			/* of a part but the last one */
	size_t count;
	struct part *parts;
};

static int
keep(void *user, const void *data, size_t size)
{
	struct part *part = user;
	buf_append(&part->bytes, data, size);
	return part->bytes.failed ? ENOMEM : 0;
}

/* Gives a part an output and a state as the format's wopen makes it; what that writes goes. */
static bool
open_part(const struct format *format, struct part *part, const struct writing *like)
{
	part->writing = *like;
	part->writing.out = NULL;
	part->writing.notes = NULL;
	part->writing.state = mem_new(1, format->writer_size);
	if (!part->writing.state ||
		out_open_function(keep, part, &part->writing.out, NULL) != POLY_OK)
		return false;
	part->opened = true;
	if (format->wopen && format->wopen(&part->writing, NULL) != POLY_OK)
		return false;
	out_flush(part->writing.out);
	const bool good = !part->bytes.failed;
	buf_clear(&part->bytes);
	return good;
}

static void
close_part(const struct format *format, struct part *part)
{
	if (part->opened && format->wclose)
		format->wclose(&part->writing);
	out_close(part->writing.out);
	mem_free(part->writing.state);
	buf_free(&part->bytes);
	slice_fini(&part->rows);
}

void
apart_free(struct apart *apart)
{
	if (!apart)
		return;
	team_free(apart->team);
	for (size_t i = 0; apart->parts && i < apart->count; i++)
		close_part(apart->format, &apart->parts[i]);
	mem_free(apart->parts);
	mem_free(apart);
}

struct apart *
apart_new(const struct format *format, const struct writing *writing, unsigned threads)
{
	struct apart *apart = mem_new(1, sizeof *apart);
	if (!apart)
		return NULL;
	apart->format = format;
	apart->count = PARTS_A_THREAD * (size_t)threads;
	apart->parts = mem_new(apart->count, sizeof *apart->parts);
	bool good = apart->parts != NULL;
	for (size_t i = 0; good && i < apart->count; i++)
		good = open_part(format, &apart->parts[i], writing);
	apart->team = good ? team_new(threads) : NULL;
	if (apart->team)
		return apart;
	apart_free(apart);
	return NULL;
}

/* Writes the rows of a part to its bytes. */
static void
write_part(void *user, size_t i)
{
	const struct apart *apart = user;
	struct part *part = &apart->parts[i];
	const size_t from = i * apart->rows, left = apart->batch->rows - from;
	const size_t rows = left < apart->rows ? left : apart->rows;
	struct writing *writing = &part->writing;
	part->status = slice_make(&part->rows, apart->batch, from, rows, &part->error);
	if (part->status == POLY_OK)
		part->status = apart->format->write(writing, &part->rows.view, &part->error);
	out_flush(writing->out);
	if (part->bytes.failed)
		part->status = err_memory(&part->error);
	else if (part->status == POLY_OK)
		part->status = out_status(writing->out, &part->error);
}

enum poly_status
apart_write(struct apart *apart, struct out *out, const struct poly_batch *batch,
	struct poly_error *error)
{
	/* Whole words of the bitmaps. */
	apart->rows = (batch->rows / apart->count + 64) / 64 * 64;
	apart->batch = batch;
	const size_t used = (batch->rows + apart->rows - 1) / apart->rows;
	enum poly_status status = POLY_OK;
	team_run(apart->team, write_part, apart, used);
	for (size_t i = 0; i < used; i++) {
		struct part *part = &apart->parts[i];
		if (status == POLY_OK) {
			out_write(out, part->bytes.data, part->bytes.size);
			status = part->status;
			if (status != POLY_OK && error)
				*error = part->error;
		}
		buf_clear(&part->bytes);
	}
	return status;
}
