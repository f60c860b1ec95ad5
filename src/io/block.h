/* SPDX-License-Identifier: MIT */
/* Blocks of bytes that are compressed each for itself, and their checksums. */
#ifndef IO_BLOCK_H
#define IO_BLOCK_H

#include "polytrace/status.h"

#include "base/buf.h"

struct block_packer;
struct block_unpacker;

/* Levels from fast to small. */
enum { BLOCK_LEVEL_FIRST = 1, BLOCK_LEVEL_LAST = 19 };

/*
 * A compressor of a level. On failure *packer is NULL. POLY_ERR_UNSUPPORTED: this build lacks
 * libzstd. POLY_ERR_MEMORY.
 */
enum poly_status block_packer_new(
	int level, struct block_packer **packer, struct poly_error *error);

/* Appends the n bytes at p, compressed as one Zstandard frame. POLY_ERR_MEMORY. */
enum poly_status block_pack(struct block_packer *packer, const void *p, size_t n,
	struct buf *dst, struct poly_error *error);

/* Frees a compressor. Accepts NULL. */
void block_packer_free(struct block_packer *packer);

/* As block_packer_new. */
enum poly_status block_unpacker_new(struct block_unpacker **unpacker, struct poly_error *error);

/* The destination of unpacked bytes, and their number. */
struct block_room {
	uint8_t *dst;
	size_t size;
};

/*
 * Decompresses the n bytes at p, one frame, which must fill the room exactly.
 * POLY_ERR_FORMAT: it does not. POLY_ERR_MEMORY.
 */
enum poly_status block_unpack(struct block_unpacker *unpacker, const void *p, size_t n,
	const struct block_room *room, struct poly_error *error);

/* Frees a decompressor. Accepts NULL. */
void block_unpacker_free(struct block_unpacker *unpacker);

#endif
