/* SPDX-License-Identifier: MIT */
/*
 * The layout of a packed trace, and what its sections have in common.
 *
 * A file is a magic followed by sections. A section is a header of 32 bytes, a front whose
 * checksum is in the header, and the data that the front describes. All numbers are little
 * endian.
 *
 *     header:     tag (4 bytes), front size (u32), body size (u64, front included),
 *                 checksum of the front (u64), checksum of the preceding 24 bytes (u64)
 *     HEAD:       description of the trace; consists of a front only
 *     SEGM:       front: preceding records (u64), rows (u32), templates (u32), streams (u32),
 *                 segment number from 1 (u32), 24 bytes per stream; then the streams'
 *                 bytes in the same order
 *     stream:     role (u8), column (u8), coding (u8), packing (u8), values (u32),
 *                 bytes unpacked (u32), bytes packed (u32), checksum of the packed bytes (u64)
 *     pARI:       after HEAD and each SEGM: size of that section (u64), size of a block (u32),
 *                 0 (u32), the exclusive or of the section's blocks
 *     INDX:       consists of a front only: offset of the previous index or 0 (u64), segments
 *                 (u32), ranges (u32), columns of the ranges (8 bytes); per segment: offset of
 *                 its header, preceding records, rows (u64 each), and minimum and maximum of
 *                 each range's column (u64 each; minimum > maximum: no values); offset, tag
 *                 (u32) and 0 (u32) of each further section; their number (u64); the chain of
 *                 all preceding sections (u64)
 *     cOPY:       the front of HEAD again, before the last index
 *
 * Sections whose tag starts with a small letter are optional: a reader that does not know them
 * skips them.
 *
 * A section's chain is the checksum of the previous section's chain and the section's header;
 * the chain before the first section is 0. A header has the checksum of its front, and a
 * segment's front has those of its streams: so the chain covers the bytes and the order of all
 * sections, and is computed without reading them again.
 *
 * An index lists the segments since the previous index, and the other sections except parity.
 * The last 16 bytes of a complete file are the offset of the last index's header (u64) and the
 * end magic.
 *
 * spec: polytrace-ptz(5).
 */
#ifndef FORMAT_PTZ_PTZ_H
#define FORMAT_PTZ_PTZ_H

#include "format/core/format.h"

#include "base/buf.h"
#include "io/block.h"
#include "model/columns.h"

/* Starts a file; text cannot contain it, and transfers that change line ends break it. */
#define PTZ_MAGIC "\x89PTZ\r\n\x1a\n"
#define PTZ_END_MAGIC "PTZ\x89\n\x1a\r\n"
#define PTZ_MAGIC_SIZE 8

#define PTZ_VERSION 3

enum { PTZ_HEADER_SIZE = 32, PTZ_FRONT_SIZE = 24, PTZ_STREAM_SIZE = 24, PTZ_TAIL_SIZE = 16 };
enum {
	PTZ_INDEX_SIZE = 24,
	PTZ_ENTRY_SIZE = 24,
	PTZ_RANGE_SIZE = 16,
	PTZ_RANGES_MAX = 8,
	PTZ_OTHER_SIZE = 16,
	PTZ_CHAIN_SIZE = 8,
	PTZ_PARITY_SIZE = 16
};

#define PTZ_TAG_HEAD 0x44414548u    /* "HEAD" */
#define PTZ_TAG_SEGMENT 0x4d474553u /* "SEGM" */
#define PTZ_TAG_INDEX 0x58444e49u   /* "INDX" */
#define PTZ_TAG_PARITY 0x49524170u  /* "pARI" */
#define PTZ_TAG_COPY 0x59504f63u    /* "cOPY" */

/* The bit of a tag that makes a section optional: of its first letter. */
#define PTZ_OPTIONAL 0x20u

/* Blocks that a section is divided into for its parity: one of them can be lost. */
#define PTZ_PARITY_BLOCKS 128

/* Limits of a segment; values of a file are checked against them before memory is allocated. */
#define PTZ_ROWS_MAX ((uint32_t)1 << 20)
#define PTZ_TEMPLATES_MAX ((uint32_t)1 << 20)
#define PTZ_STREAMS_MAX 512
#define PTZ_STREAM_MAX ((uint32_t)1 << 28)
#define PTZ_SEGMENT_MAX ((uint64_t)1 << 29) /* bytes of all streams, unpacked */
#define PTZ_FRONT_MAX ((uint32_t)1 << 20)

/* Maximum bytes of a section: no offset after one overflows. */
#define PTZ_BODY_MAX ((uint64_t)1 << 62)

/* Maximum number of record names. */
#define PTZ_RECORDS_MAX 255

/* Maximum number of segments in a written index. */
#define PTZ_INDEX_SEGMENTS_MAX 256

/* Columns whose minimum and maximum the index has: time, pc, address. */
#define PTZ_RANGES 3

/* Maximum bytes of its rows' slices before the next segment starts, whether they repeat or not:
 * its size is known before its dictionary. */
#define PTZ_SLICES_MAX ((size_t)32 << 20)

/* What a stream holds. */
enum ptz_role {
	PTZ_NAMES,	     /* strings of the NAME columns, each with a NUL */
	PTZ_SHAPES,	     /* two sets of columns (u64) per shape: static, varying */
	PTZ_TEMPLATE_SHAPES, /* number of the shape per template */
	PTZ_FOLLOW, /* per template: 0, or 1 + zigzag(its only follower - the next template) */
	PTZ_STARTS, /* first template of each block, by block number */
	PTZ_BLOCKS, /* number of each executed block */
	PTZ_STATIC, /* values of a column, one per template */
	PTZ_STATIC_BYTES,  /* bytes of slices; PTZ_STATIC has their lengths */
	PTZ_DYNAMIC,	   /* values of a column, one per row */
	PTZ_DYNAMIC_BYTES, /* bytes of slices; PTZ_DYNAMIC has their lengths */
	PTZ_ROLE_COUNT
};

/* Encodings of numbers. Deltas are modulo 2^64, as zigzag varints. */
enum ptz_coding {
	PTZ_PLANES,   /* lowest bytes of all values, then their second lowest bytes, ... */
	PTZ_DELTA,    /* difference from the previous value; the first one from 0 */
	PTZ_TEMPLATE, /* difference from the template's last value; its first one as PTZ_DELTA
		       */
	PTZ_PC,	      /* static only: difference from the template's pc */
	PTZ_BYTES,    /* unencoded bytes */
	PTZ_XOR,      /* bytes, xor those of the previous slice if both have the same length */
	PTZ_CODING_COUNT
};

enum ptz_packing { PTZ_STORED, PTZ_ZSTD, PTZ_PACKING_COUNT };

/* Columns of a template: static and varying. */
struct ptz_shape {
	column_mask fixed, varying;
};

/* Minimum and maximum of a column; min > max: no values. */
struct ptz_range {
	uint64_t min, max;
};

struct ptz_section {
	uint32_t tag, front;
	uint64_t body, front_checksum;
};

/* A stream's description in the front of its segment. */
struct ptz_stream {
	uint8_t role, column, coding, packing;
	uint32_t values, size, packed;
	uint64_t check;
};

/* Returns the bytes of a column's elements; 0: the column holds slices. */
unsigned ptz_column_size(enum poly_column column);

/* Returns whether a column holds slices. */
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

/* Appends a varint: groups of 7 bits, lowest first. */
void ptz_put_varint(struct buf *out, uint64_t v);

/* A read position in bytes; bad after a read past the end. */
struct ptz_bytes {
	const uint8_t *p, *end;
	bool bad;
};

/* Parses a varint of ptz_put_varint; returns 0 and sets bad if it is missing or too long. */
uint64_t ptz_parse_varint(struct ptz_bytes *bytes);

/* Appends numbers of fixed width. */
void ptz_put_u32(struct buf *out, uint32_t v);
void ptz_put_u64(struct buf *out, uint64_t v);

/* Returns the chain after a section, from the chain before it and its header. */
uint64_t ptz_next_chain(uint64_t before, const uint8_t *head);

/* Creates the header of a section with these bytes, of which streams may be NULL. */
void ptz_make_header(uint8_t head[PTZ_HEADER_SIZE], uint32_t tag, const struct buf *front,
	const struct buf *streams);

/* Appends the front of the parity of a section; streams may be NULL. */
void ptz_put_parity(struct buf *out, const uint8_t head[PTZ_HEADER_SIZE],
	const struct buf *front, const struct buf *streams);

/* Parses a section header of PTZ_HEADER_SIZE bytes; returns false if its checksum is wrong. */
bool ptz_parse_header(const uint8_t *p, struct ptz_section *section);

/* Reads bytes at an offset of a random-access input; returns false if they are missing. */
bool ptz_read_at(const struct in *in, uint64_t offset, uint8_t *dst, size_t size);

/* Columns that are never stored: a record's position and its site number. */
#define PTZ_POSITION_COLUMNS origin, site

#endif
