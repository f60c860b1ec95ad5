/* SPDX-License-Identifier: MIT */
/* Decodes compressed streams of frames, one element at a time. spec: RFC 8878 3.1.2 */
#include "io/frames.h"

#include "base/bits.h"
#include "base/err.h"

#define SKIP_MAGIC 0x184d2a50U
#define SKIP_MASK 0xfffffff0U

enum { SKIP_HEADER_SIZE = 8 };

static bool
is_skippable(const uint8_t *p, size_t n)
{
	return n >= FRAME_MAGIC_SIZE && (load_le32(p) & SKIP_MASK) == SKIP_MAGIC;
}

int
frames_probe(const uint8_t *p, size_t n, int (*probe_frame)(const uint8_t *p, size_t n))
{
	while (n >= SKIP_HEADER_SIZE && is_skippable(p, n)) {
		size_t size = (size_t)load_le32(p + 4);
		if (size > n - SKIP_HEADER_SIZE)
			return 0;
		p += SKIP_HEADER_SIZE + size;
		n -= SKIP_HEADER_SIZE + size;
	}
	return probe_frame(p, n);
}

void
frames_truncate(struct frames *frames, struct in *source, size_t have)
{
	in_consume(source, have);
	frames->truncated = true;
}

/* Starts a frame, or finds the end. */
static enum poly_status
begin_frame(const struct frame_format *format, void *state, struct in *source,
	struct poly_error *error)
{
	struct frames *frames = state;
	size_t have;
	const uint8_t *p = in_peek(source, format->header_max, &have);
	if (!have)
		return POLY_END;
	frames->skip = is_skippable(p, have);
	if (frames->skip && have >= SKIP_HEADER_SIZE) {
		frames->left = SKIP_HEADER_SIZE + (uint64_t)load_le32(p + 4);
		return POLY_OK;
	}
	if (!frames->skip && have >= FRAME_MAGIC_SIZE && load_le32(p) != format->magic)
		return err_set(error, POLY_ERR_FORMAT, 0,
			"trailing bytes after the last %s frame", format->name);
	if (have <= FRAME_MAGIC_SIZE || have < format->header_size(p[4])) {
		frames_truncate(frames, source, have);
		return POLY_OK;
	}
	frames->left = format->header_size(p[4]);
	frames->inside = true;
	format->frame(state, p[4]);
	return POLY_OK;
}

/* Proceeds to the next element that has bytes. */
static enum poly_status
begin_element(const struct frame_format *format, void *state, struct in *source,
	struct poly_error *error)
{
	struct frames *frames = state;
	enum poly_status status = POLY_OK;
	while (!frames->left && !frames->truncated && status == POLY_OK) {
		if (frames->inside)
			format->element(state, source);
		else
			status = begin_frame(format, state, source, error);
	}
	return status;
}

/*
 * Decodes the present element, complete unless it is truncated or longer than IN_PEEK_MAX, and
 * fetches the output held by the library.
 */
static enum poly_status
decode_element(const struct frame_format *format, void *state, struct in *source,
	struct filter_room *room, struct poly_error *error)
{
	struct frames *frames = state;
	size_t have, want = frames->left < IN_PEEK_MAX ? (size_t)frames->left : IN_PEEK_MAX;
	const uint8_t *p = in_peek(source, frames->skip ? 1 : want, &have);
	have = have < frames->left ? have : (size_t)frames->left;
	if (!frames->skip) {
		enum poly_status status = format->feed(state, p, &have, room, error);
		if (status != POLY_OK)
			return status;
		frames->held = room->got == room->size;
	}
	in_consume(source, have);
	frames->left -= have;
	return POLY_OK;
}

enum poly_status
frames_decode(const struct frame_format *format, void *state, struct in *source,
	struct filter_room *room, struct poly_error *error)
{
	struct frames *frames = state;
	enum poly_status status = POLY_OK;
	while (!room->got && status == POLY_OK) {
		size_t have = 1;
		if (!frames->held) {
			status = begin_element(format, state, source, error);
			if (status != POLY_OK)
				return status;
			in_peek(source, 1, &have);
		}
		if (frames->truncated || !have)
			return POLY_OK;
		status = decode_element(format, state, source, room, error);
	}
	return status;
}
