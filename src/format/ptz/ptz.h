/* SPDX-License-Identifier: MIT */
/*
 * The layout of a packed trace, and what its parts have in common.
 *
 * A file is a magic and parts. A part is a head of 32 bytes, a front whose checksum is in the
 * head, and what the front describes. All numbers are little endian.
 *
 *     part head:  tag (4 bytes), front size (u32), body size (u64, front included),
 *                 checksum of the front (u64), checksum of the 24 bytes before (u64)
 *     HEAD:       the trace's information; all of it is front
 *     SEGM:       front: records before it (u64), rows (u32), templates (u32), streams (u32),
 *                 number of the segment from 1 (u32), 24 bytes a stream; then the streams'
 *                 bytes in the same order
 *     stream:     role (u8), column (u8), coding (u8), packing (u8), values (u32),
 *                 bytes unpacked (u32), bytes packed (u32), checksum of the packed bytes (u64)
 *     INDX:       all of it is front: offset of the index before it or 0 (u64), segments (u32),
 *                 ranges (u32), columns of the ranges (8 bytes), and a segment: offset of its
 *                 head, records before it, rows (u64 each), and least and greatest value of
 *                 each range's column (u64 each; the least is greater: there is none); then
 *                 the chain of the parts before it (u64)
 *
 * The chain is the checksum of the chain before a part and the part's head; it is 0 before the
 * first one. As a head has the checksum of its front, and a segment's front those of its
 * streams, it covers the bytes of all parts and their order, and is known without reading them
 * again.
 *
 * An index tells of the segments since the index before. The last 16 bytes of a complete file
 * are the offset of the last one's head (u64) and the end's magic.
 *
 * spec: polytrace-ptz(5).
 */
#ifndef FORMAT_PTZ_PTZ_H
#define FORMAT_PTZ_PTZ_H

#include "format/format.h"

#include "base/buf.h"
#include "io/block.h"

/* Begins a file; no text can, and transfers that change line ends break it. */
#define PTZ_MAGIC "\x89PTZ\r\n\x1a\n"
#define PTZ_END_MAGIC "PTZ\x89\n\x1a\r\n"
#define PTZ_MAGIC_SIZE 8

#define PTZ_VERSION 1

enum { PTZ_HEAD_SIZE = 32, PTZ_FRONT_SIZE = 24, PTZ_STREAM_SIZE = 24, PTZ_TAIL_SIZE = 16 };
enum {
	PTZ_INDEX_SIZE = 24,
	PTZ_ENTRY_SIZE = 24,
	PTZ_RANGE_SIZE = 16,
	PTZ_RANGES_MOST = 8,
	PTZ_CHAIN_SIZE = 8
};

#define PTZ_TAG_HEAD 0x44414548u    /* "HEAD" */
#define PTZ_TAG_SEGMENT 0x4d474553u /* "SEGM" */
#define PTZ_TAG_INDEX 0x58444e49u   /* "INDX" */

/* Limits of a segment; what a file says is held against them before anything is allocated. */
#define PTZ_ROWS_MOST ((uint32_t)1 << 20)
#define PTZ_TEMPLATES_MOST ((uint32_t)1 << 20)
#define PTZ_STREAMS_MOST 512
#define PTZ_STREAM_MOST ((uint32_t)1 << 28)
#define PTZ_SEGMENT_MOST ((uint64_t)1 << 29) /* bytes of all streams, unpacked */
#define PTZ_FRONT_MOST ((uint32_t)1 << 20)

/* Bytes of a part: so many that no offset behind one goes over. */
#define PTZ_BODY_MOST ((uint64_t)1 << 62)

/* Most names of records. */
#define PTZ_RECORDS 255

/* Segments of an index that is written. */
#define PTZ_INDEX_MOST 256

/* Columns of which it tells the least and the greatest value: time, pc, address. */
#define PTZ_RANGES 3

/* Bytes of slices in a segment before the next one is begun. */
#define PTZ_SLICES_MOST ((size_t)32 << 20)

/* What a stream holds. */
enum ptz_role {
	PTZ_NAMES,	     /* strings of the NAME columns, each with a NUL */
	PTZ_SHAPES,	     /* per shape two sets of columns (u64): static, dynamic */
	PTZ_TEMPLATE_SHAPES, /* per template the number of its shape */
	PTZ_FOLLOW,	   /* per template 0, or 1 + zigzag(the only follower - the next one) */
	PTZ_STARTS,	   /* templates at which blocks begin, by number of block */
	PTZ_BLOCKS,	   /* per block executed its number */
	PTZ_STATIC,	   /* values of a column, a template */
	PTZ_STATIC_BYTES,  /* bytes of slices; PTZ_STATIC has their lengths */
	PTZ_DYNAMIC,	   /* values of a column, a row */
	PTZ_DYNAMIC_BYTES, /* bytes of slices; PTZ_DYNAMIC has their lengths */
	PTZ_ROLE_COUNT
};

/* How numbers are put into bytes. Deltas are modulo 2^64, zigzag, varints. */
enum ptz_coding {
	PTZ_PLANES,   /* values' lowest bytes, then their second lowest, ... */
	PTZ_DELTA,    /* against the value before; first against 0 */
	PTZ_TEMPLATE, /* against the last value of the same template; its first as PTZ_DELTA */
	PTZ_PC,	      /* static only: against the template's pc */
	PTZ_BYTES,    /* bytes as they are */
	PTZ_XOR, /* bytes, each xor that of the slice before where both have the same length */
	PTZ_CODING_COUNT
};

enum ptz_packing { PTZ_STORED, PTZ_ZSTD, PTZ_PACKING_COUNT };

/* Shapes: which columns a template has, static and dynamic. */
struct ptz_shape {
	poly_columns fixed, moving;
};

/* The least and the greatest value of a column; none: least is greater. */
struct ptz_range {
	uint64_t least, greatest;
};

struct ptz_part {
	uint32_t tag, front;
	uint64_t body, front_check;
};

/* A stream as a segment's front tells it. */
struct ptz_stream {
	uint8_t role, column, coding, packing;
	uint32_t values, size, packed;
	uint64_t check;
};

/* Bytes of the elements of a column; 0: it holds slices. */
unsigned ptz_column_size(enum poly_column column);

/* True where a column holds slices. */
static inline bool
ptz_is_slice(enum poly_column column)
{
	return ptz_column_size(column) == 0;
}

static inline uint64_t
ptz_zigzag(uint64_t delta)
{
	return delta << 1 ^ (uint64_t)((int64_t)delta >> 63);
}

static inline uint64_t
ptz_unzigzag(uint64_t v)
{
	return v >> 1 ^ (0 - (v & 1));
}

/* Appends a number in groups of 7 bits, the lowest first. */
void ptz_put(struct buf *to, uint64_t v);

/* Bytes of which some were taken; bad where more were asked for than there are. */
struct ptz_bytes {
	const uint8_t *p, *end;
	bool bad;
};

/* Takes a number of ptz_put; 0, and bad, where there is none. */
uint64_t ptz_take(struct ptz_bytes *bytes);

/* Appends numbers of fixed width. */
void ptz_put32(struct buf *to, uint32_t v);
void ptz_put64(struct buf *to, uint64_t v);

/* The chain behind a part whose head is PTZ_HEAD_SIZE bytes, of the one before it. */
uint64_t ptz_chain(uint64_t before, const uint8_t *head);

/* Writes the head and the front of a part whose checksum is not known; the chain goes on. */
void ptz_part_write(
	struct out *out, const struct ptz_part *part, const void *front, uint64_t *chain);

/* Reads a part's head from PTZ_HEAD_SIZE bytes; false where its checksum is wrong. */
bool ptz_part_read(const uint8_t *p, struct ptz_part *part);

/* Bytes of a random input at an offset; false: they can't be had. */
bool ptz_take_at(const struct in *in, uint64_t offset, uint8_t *to, size_t size);

/* Columns that are never written: where a record stood, and what numbers it. */
#define PTZ_PLACES (POLY_HAS(origin) | POLY_HAS(site))

#endif
