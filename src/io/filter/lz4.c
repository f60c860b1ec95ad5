/* SPDX-License-Identifier: MIT */
/*
 * LZ4 frames.
 *
 * spec: LZ4 Frame Format Description 1.6.x (general structure, frame descriptor, data blocks);
 * xxHash XXH32 for the header's check byte.
 */
#include "base/bits.h"
#include "base/err.h"
#include "base/mem.h"
#include "io/frames.h"

#include <string.h>

#ifdef POLY_WITH_LZ4
#include <lz4frame.h>
#endif

#define MAGIC 0x184d2204U

enum { HEADER_MAX = 19, WORD = 4 };

/* The descriptor's first byte, FLG; version 1 in its two high bits. */
enum {
	FLAG_DICTIONARY = 1,
	FLAG_RESERVED = 2,
	FLAG_CHECKSUM = 4,
	FLAG_SIZE = 8,
	FLAG_BLOCK_CHECKSUM = 16,
	VERSION_MASK = 0xc0,
	VERSION = 0x40,
};

static uint32_t
rotate(uint32_t v, unsigned bits)
{
	return v << bits | v >> (32 - bits);
}

/* XXH32 with seed 0 of fewer than 16 bytes. */
static uint32_t
short_xxh32(const uint8_t *p, size_t n)
{
	const uint32_t prime1 = 0x9e3779b1U, prime2 = 0x85ebca77U, prime3 = 0xc2b2ae3dU,
		       prime4 = 0x27d4eb2fU, prime5 = 0x165667b1U;
	uint32_t hash = prime5 + (uint32_t)n;
	for (; n >= 4; n -= 4, p += 4)
		hash = rotate(hash + load_le32(p) * prime3, 17) * prime4;
	for (; n; n--, p++)
		hash = rotate(hash + *p * prime5, 11) * prime1;
	hash = (hash ^ hash >> 15) * prime2;
	hash = (hash ^ hash >> 13) * prime3;
	return hash ^ hash >> 16;
}

/* Bytes of a frame's header with its magic and check byte. */
static size_t
header_size(uint8_t flags)
{
	return 7U + (flags & FLAG_SIZE ? 8 : 0) + (flags & FLAG_DICTIONARY ? 4 : 0);
}

/* Bits verified of a frame that begins at p. */
static int
probe_frame(const uint8_t *p, size_t n)
{
	if (n < FRAME_MAGIC_SIZE || load_le32(p) != MAGIC)
		return 0;
	if (n > 4 && ((p[4] & VERSION_MASK) != VERSION || p[4] & FLAG_RESERVED))
		return 0;
	/* Block sizes are 4 to 7; every other bit is reserved. */
	if (n > 5 && (p[5] & 0x8f || p[5] < 0x40))
		return 0;
	if (n < 6 || n < header_size(p[4]))
		return 32;
	size_t check = header_size(p[4]) - 1;
	return p[check] == (uint8_t)(short_xxh32(p + 4, check - 4) >> 8) ? 49 : 0;
}

static int
lz4_probe(const uint8_t *p, size_t n)
{
	return frames_probe(p, n, probe_frame);
}

#ifdef POLY_WITH_LZ4

enum lz4_element { ELEMENT_BLOCK, ELEMENT_BODY, ELEMENT_BLOCK_END, ELEMENT_CHECKSUM };

struct lz4_decoder {
	struct frames frames; /* first */
	LZ4F_dctx *context;
	enum lz4_element next; /* what follows the present element of the frame */
	size_t body;	       /* bytes of the block */
	uint8_t flags;	       /* of the frame */
};

enum { STEP = 64 << 10 };

struct lz4_encoder {
	LZ4F_cctx *context;
	bool begun;	  /* the header is written */
	uint8_t *encoded; /* size bytes: enough for STEP bytes of input */
	size_t size;
};

static enum poly_status
lz4_failure(size_t code, struct poly_error *error)
{
	return err_set(
		error, POLY_ERR_FORMAT, 0, "corrupt lz4 stream (%s)", LZ4F_getErrorName(code));
}

static enum poly_status
lz4_decode_open(void *state, struct poly_error *error)
{
	struct lz4_decoder *lz4 = state;
	if (LZ4F_isError(LZ4F_createDecompressionContext(&lz4->context, LZ4F_VERSION)))
		return err_memory(error);
	return POLY_OK;
}

static void
lz4_decode_close(void *state)
{
	struct lz4_decoder *lz4 = state;
	LZ4F_freeDecompressionContext(lz4->context);
}

static void
lz4_frame(void *state, uint8_t first)
{
	struct lz4_decoder *lz4 = state;
	lz4->flags = first;
	lz4->next = ELEMENT_BLOCK;
}

/* A block's size, or the mark of the frame's end. */
static void
begin_block(struct lz4_decoder *lz4, struct in *source)
{
	size_t have;
	const uint8_t *p = in_peek(source, WORD, &have);
	if (have < WORD) {
		frames_truncate(&lz4->frames, source, have);
		return;
	}
	bool ends = load_le32(p) == 0;
	lz4->frames.left = WORD;
	lz4->frames.inside = !ends || lz4->flags & FLAG_CHECKSUM;
	lz4->body = load_le32(p) & 0x7fffffff;
	lz4->next = ends ? ELEMENT_CHECKSUM : ELEMENT_BODY;
}

static void
lz4_element(void *state, struct in *source)
{
	struct lz4_decoder *lz4 = state;
	struct frames *frames = &lz4->frames;
	switch (lz4->next) {
	case ELEMENT_BLOCK: begin_block(lz4, source); break;
	case ELEMENT_BODY:
		frames->left = lz4->body;
		lz4->next =
			lz4->flags & FLAG_BLOCK_CHECKSUM ? ELEMENT_BLOCK_END : ELEMENT_BLOCK;
		break;
	case ELEMENT_BLOCK_END:
		frames->left = WORD;
		lz4->next = ELEMENT_BLOCK;
		break;
	case ELEMENT_CHECKSUM:
		frames->left = WORD;
		frames->inside = false;
		break;
	}
}

static enum poly_status
lz4_feed(void *state, const uint8_t *p, size_t *n, struct filter_room *room,
	struct poly_error *error)
{
	struct lz4_decoder *lz4 = state;
	size_t got = room->size;
	size_t code = LZ4F_decompress(lz4->context, room->dst, &got, p, n, NULL);
	if (LZ4F_isError(code))
		return lz4_failure(code, error);
	room->got = got;
	return POLY_OK;
}

static const struct frame_format lz4_format = {
	.name = "lz4",
	.magic = MAGIC,
	.header_max = HEADER_MAX,
	.header_size = header_size,
	.frame = lz4_frame,
	.element = lz4_element,
	.feed = lz4_feed,
};

static enum poly_status
lz4_decode(void *state, struct in *source, struct filter_room *room, struct poly_error *error)
{
	return frames_decode(&lz4_format, state, source, room, error);
}

static const LZ4F_preferences_t preferences = {
	.frameInfo = {.contentChecksumFlag = LZ4F_contentChecksumEnabled}};

static enum poly_status
lz4_encode_open(void *state, struct poly_error *error)
{
	struct lz4_encoder *lz4 = state;
	lz4->size = LZ4F_compressBound(STEP, &preferences);
	lz4->encoded = mem_new(lz4->size, 1);
	if (!lz4->encoded ||
		LZ4F_isError(LZ4F_createCompressionContext(&lz4->context, LZ4F_VERSION))) {
		mem_free(lz4->encoded);
		return err_memory(error);
	}
	return POLY_OK;
}

static enum poly_status
put(struct lz4_encoder *lz4, size_t n, const struct filter_sink *sink, struct poly_error *error)
{
	if (LZ4F_isError(n))
		return lz4_failure(n, error);
	return n && sink->write(sink->user, lz4->encoded, n) ? POLY_ERR_IO : POLY_OK;
}

static enum poly_status
begin(struct lz4_encoder *lz4, const struct filter_sink *sink, struct poly_error *error)
{
	if (lz4->begun)
		return POLY_OK;
	lz4->begun = true;
	size_t n = LZ4F_compressBegin(lz4->context, lz4->encoded, lz4->size, &preferences);
	return put(lz4, n, sink, error);
}

static enum poly_status
lz4_encode(void *state, const uint8_t *data, size_t n, const struct filter_sink *sink,
	struct poly_error *error)
{
	struct lz4_encoder *lz4 = state;
	enum poly_status status = begin(lz4, sink, error);
	while (n && status == POLY_OK) {
		size_t step = n < STEP ? n : STEP;
		size_t encoded = LZ4F_compressUpdate(
			lz4->context, lz4->encoded, lz4->size, data, step, NULL);
		status = put(lz4, encoded, sink, error);
		data += step;
		n -= step;
	}
	return status;
}

static enum poly_status
lz4_encode_end(void *state, const struct filter_sink *sink, struct poly_error *error)
{
	struct lz4_encoder *lz4 = state;
	enum poly_status status = begin(lz4, sink, error);
	if (status != POLY_OK)
		return status;
	size_t n = LZ4F_compressEnd(lz4->context, lz4->encoded, lz4->size, NULL);
	return put(lz4, n, sink, error);
}

static void
lz4_encode_close(void *state)
{
	struct lz4_encoder *lz4 = state;
	LZ4F_freeCompressionContext(lz4->context);
	mem_free(lz4->encoded);
}

#endif

extern const struct filter filter_lz4;
const struct filter filter_lz4 = {
	.name = "lz4",
	.extension = "lz4",
	.probe = lz4_probe,
#ifdef POLY_WITH_LZ4
	.decoder_size = sizeof(struct lz4_decoder),
	.encoder_size = sizeof(struct lz4_encoder),
	.decode_open = lz4_decode_open,
	.decode = lz4_decode,
	.decode_close = lz4_decode_close,
	.encode_open = lz4_encode_open,
	.encode = lz4_encode,
	.encode_end = lz4_encode_end,
	.encode_close = lz4_encode_close,
#else
	.missing = "liblz4-dev",
#endif
};
