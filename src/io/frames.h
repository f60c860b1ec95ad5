/* SPDX-License-Identifier: MIT */
/*
 * Compressed streams made of frames: LZ4 and Zstandard. The library is fed one element of the
 * format at a time (header, block, checksum): where it fails it takes back what the same call
 * had decoded, so that no call may contain more than one thing that can be damaged.
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
	uint64_t left; /* bytes of the present element that are not read */
	bool inside;   /* elements of the same frame follow it */
	bool skip;     /* it is a skippable frame */
	bool held;     /* the library may hold output back */
	bool cut;      /* the source ended where an element should begin */
};

/* A format of frames; state is the decoder's. */
struct frame_format {
	const char *name; /* in messages */
	uint32_t magic;
	size_t header_max; /* bytes of the longest header, magic included, as below */

	/* Bytes of a frame's header by its first byte behind the magic. */
	size_t (*header_size)(uint8_t first);

	/* Takes notice of a frame's header by that byte. */
	void (*frame)(void *state, uint8_t first);

	/*
	 * Sets left (which may stay 0) to the bytes of the element that follows within the
	 * frame, and ends inside with the last one. Looks at the source, or calls
	 * frames_truncate.
	 */
	void (*element)(void *state, struct in *source);

	/* Gives the library *n bytes at p, and takes what it has; *n becomes what it took. */
	enum poly_status (*feed)(void *state, const uint8_t *p, size_t *n,
		struct filter_room *room, struct poly_error *error);
};

/* The source ends inside of what says how long an element is: its last have bytes. */
void frames_truncate(struct frames *frames, struct in *source, size_t have);

/* As a filter's decode. */
enum poly_status frames_decode(const struct frame_format *format, void *state,
	struct in *source, struct filter_room *room, struct poly_error *error);

/*
 * As a filter's probe. Skippable frames are of both formats: the first other frame decides, and
 * has to be in view; probe_frame tells its bits.
 */
int frames_probe(const uint8_t *p, size_t n, int (*probe_frame)(const uint8_t *p, size_t n));

#endif
