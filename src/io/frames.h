/* SPDX-License-Identifier: MIT */
/*
 * Compressed streams of frames: LZ4 and Zstandard. The library receives one element of the
 * format at a time (header, block, checksum): if it fails, it discards the output of the same
 * call, so no call may contain more than one element that can be corrupt.
 *
 * spec: RFC 8878 3.1.2 (skippable frames, which LZ4's are too).
 */
#ifndef IO_FRAMES_H
#define IO_FRAMES_H

#include "io/filter.h"

/* Bytes of a magic, with which every frame begins. */
#define FRAME_MAGIC_SIZE 4

/* The first member of a decoder's state; zeroed at first. */
struct frames {
	uint64_t left;	/* bytes of the present element not yet read */
	bool inside;	/* elements of the same frame follow it */
	bool skip;	/* it is a skippable frame */
	bool held;	/* the library may have pending output */
	bool truncated; /* the source ended before an element */
};

/* A format of frames; state is the decoder's. */
struct frame_format {
	const char *name; /* in messages */
	uint32_t magic;
	size_t header_max; /* bytes of the longest header, magic included, as below */

	/* Returns the size of a frame's header in bytes, by the first byte after the magic. */
	size_t (*header_size)(uint8_t first);

	/* Evaluates a frame's header by that byte. */
	void (*frame)(void *state, uint8_t first);

	/*
	 * Sets left (may stay 0) to the size of the next element of the frame, and clears
	 * inside after the last one. Peeks at the source, or calls frames_truncate.
	 */
	void (*element)(void *state, struct in *source);

	/*
	 * Passes *n bytes at p to the library, and fetches its output; sets *n to the bytes
	 * consumed.
	 */
	enum poly_status (*feed)(void *state, const uint8_t *p, size_t *n,
		struct filter_room *room, struct poly_error *error);
};

/* Marks the source as truncated within the size of an element; consumes its last have bytes. */
void frames_truncate(struct frames *frames, struct in *source, size_t have);

/* As a filter's decode. */
enum poly_status frames_decode(const struct frame_format *format, void *state,
	struct in *source, struct filter_room *room, struct poly_error *error);

/*
 * As a filter's probe. Skippable frames are of both formats: the first other frame decides, and
 * must be in view; probe_frame returns its bits.
 */
int frames_probe(const uint8_t *p, size_t n, int (*probe_frame)(const uint8_t *p, size_t n));

#endif
