/* SPDX-License-Identifier: MIT */
/* Zstandard. spec: RFC 8878 3.1 (frames, frame header, blocks) */
#include "base/bits.h"
#include "base/err.h"
#include "base/mem.h"
#include "io/block.h"
#include "io/frames.h"

#include <string.h>

#ifdef POLY_WITH_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

#define MAGIC 0xfd2fb528U

enum { HEADER_MAX = 18, BLOCK_HEADER_SIZE = 3, CHECKSUM_SIZE = 4 };

enum { BLOCK_RLE = 1, BLOCK_RESERVED = 3, BLOCK_MAX = 128 << 10 };

/* RFC 8878 3.1.1.1.1: the descriptor, the byte after the magic. */
enum { DESCRIPTOR_CHECKSUM = 4, DESCRIPTOR_RESERVED = 8, DESCRIPTOR_SINGLE = 32 };

/* Bytes of a frame's header with its magic. */
static size_t
header_size(uint8_t descriptor)
{
	static const uint8_t dictionary[] = {0, 1, 2, 4}, content[] = {0, 2, 4, 8};
	bool single = descriptor & DESCRIPTOR_SINGLE;
	size_t size = FRAME_MAGIC_SIZE + 1U + !single + dictionary[descriptor & 3];
	return size + content[descriptor >> 6] + (single && descriptor < 64);
}

/* Bits verified of a frame that begins at p. */
static int
probe_frame(const uint8_t *p, size_t n)
{
	if (n < FRAME_MAGIC_SIZE || load_le32(p) != MAGIC)
		return 0;
	if (n == FRAME_MAGIC_SIZE)
		return 32;
	size_t at = header_size(p[4]);
	if (p[4] & DESCRIPTOR_RESERVED)
		return 0;
	if (n < at + BLOCK_HEADER_SIZE)
		return 33;
	unsigned block = p[at] | (unsigned)p[at + 1] << 8 | (unsigned)p[at + 2] << 16;
	if ((block >> 1 & 3) == BLOCK_RESERVED || block >> 3 > BLOCK_MAX)
		return 0;
	return 38;
}

static int
zstd_probe(const uint8_t *p, size_t n)
{
	return frames_probe(p, n, probe_frame);
}

#ifdef POLY_WITH_ZSTD

#define LEVEL 3

/* Memory limit for hostile headers: that of the zstd program. */
#define WINDOW_BITS 27

enum zstd_element { ELEMENT_BLOCK, ELEMENT_BODY, ELEMENT_CHECKSUM };

struct zstd_decoder {
	struct frames frames; /* first */
	ZSTD_DCtx *context;
	enum zstd_element next; /* what follows the present element of the frame */
	bool checksum;		/* the frame ends in one */
	bool last;		/* the block is the frame's last */
	size_t body;		/* bytes of the block */
};

struct zstd_encoder {
	ZSTD_CCtx *context;
	uint8_t encoded[64 << 10];
};

static enum poly_status
zstd_decode_open(void *state, struct poly_error *error)
{
	struct zstd_decoder *zstd = state;
	zstd->context = ZSTD_createDCtx();
	if (!zstd->context)
		return err_memory(error);
	ZSTD_DCtx_setParameter(zstd->context, ZSTD_d_windowLogMax, WINDOW_BITS);
	return POLY_OK;
}

static void
zstd_decode_close(void *state)
{
	struct zstd_decoder *zstd = state;
	ZSTD_freeDCtx(zstd->context);
}

static enum poly_status
zstd_failure(size_t code, struct poly_error *error)
{
	ZSTD_ErrorCode number = ZSTD_getErrorCode(code);
	if (number == ZSTD_error_memory_allocation)
		return err_memory(error);
	if (number == ZSTD_error_frameParameter_windowTooLarge)
		return err_set(error, POLY_ERR_LIMIT, 0,
			"zstd window is larger than the limit of %d bits (%d MiB)", WINDOW_BITS,
			1 << (WINDOW_BITS - 20));
	return err_set(
		error, POLY_ERR_FORMAT, 0, "corrupt zstd stream (%s)", ZSTD_getErrorName(code));
}

static void
zstd_frame(void *state, uint8_t first)
{
	struct zstd_decoder *zstd = state;
	zstd->checksum = first & DESCRIPTOR_CHECKSUM;
	zstd->next = ELEMENT_BLOCK;
}

static void
begin_block(struct zstd_decoder *zstd, struct in *source)
{
	size_t have;
	const uint8_t *p = in_peek(source, BLOCK_HEADER_SIZE, &have);
	if (have < BLOCK_HEADER_SIZE) {
		frames_truncate(&zstd->frames, source, have);
		return;
	}
	unsigned block = p[0] | (unsigned)p[1] << 8 | (unsigned)p[2] << 16;
	zstd->last = block & 1;
	zstd->body = (block >> 1 & 3) == BLOCK_RLE ? 1 : block >> 3;
	zstd->frames.left = BLOCK_HEADER_SIZE;
	zstd->next = ELEMENT_BODY;
}

static void
zstd_element(void *state, struct in *source)
{
	struct zstd_decoder *zstd = state;
	struct frames *frames = &zstd->frames;
	switch (zstd->next) {
	case ELEMENT_BLOCK: begin_block(zstd, source); break;
	case ELEMENT_BODY:
		frames->left = zstd->body;
		frames->inside = !zstd->last || zstd->checksum;
		zstd->next = zstd->last ? ELEMENT_CHECKSUM : ELEMENT_BLOCK;
		break;
	case ELEMENT_CHECKSUM:
		frames->left = CHECKSUM_SIZE;
		frames->inside = false;
		break;
	}
}

static enum poly_status
zstd_feed(void *state, const uint8_t *p, size_t *n, struct filter_room *room,
	struct poly_error *error)
{
	struct zstd_decoder *zstd = state;
	ZSTD_inBuffer from = {p, *n, 0};
	ZSTD_outBuffer dst = {room->dst, room->size, 0};
	size_t code = ZSTD_decompressStream(zstd->context, &dst, &from);
	if (ZSTD_isError(code))
		return zstd_failure(code, error);
	*n = from.pos;
	room->got = dst.pos;
	return POLY_OK;
}

static const struct frame_format zstd_format = {
	.name = "zstd",
	.magic = MAGIC,
	.header_max = HEADER_MAX,
	.header_size = header_size,
	.frame = zstd_frame,
	.element = zstd_element,
	.feed = zstd_feed,
};

static enum poly_status
zstd_decode(void *state, struct in *source, struct filter_room *room, struct poly_error *error)
{
	return frames_decode(&zstd_format, state, source, room, error);
}

static enum poly_status
zstd_encode_open(void *state, struct poly_error *error)
{
	struct zstd_encoder *zstd = state;
	zstd->context = ZSTD_createCCtx();
	if (!zstd->context)
		return err_memory(error);
	ZSTD_CCtx_setParameter(zstd->context, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(zstd->context, ZSTD_c_checksumFlag, 1);
	return POLY_OK;
}

/* Compresses the input; under ZSTD_e_end until the frame is complete. */
static enum poly_status
compress(struct zstd_encoder *zstd, ZSTD_inBuffer from, ZSTD_EndDirective directive,
	const struct filter_sink *sink, struct poly_error *error)
{
	size_t left;
	do {
		ZSTD_outBuffer dst = {zstd->encoded, sizeof zstd->encoded, 0};
		left = ZSTD_compressStream2(zstd->context, &dst, &from, directive);
		if (ZSTD_isError(left))
			return zstd_failure(left, error);
		if (dst.pos && sink->write(sink->user, zstd->encoded, dst.pos))
			return POLY_ERR_IO;
	} while (directive == ZSTD_e_end ? left > 0 : from.pos < from.size);
	return POLY_OK;
}

static enum poly_status
zstd_encode(void *state, const uint8_t *data, size_t n, const struct filter_sink *sink,
	struct poly_error *error)
{
	return compress(state, (ZSTD_inBuffer){data, n, 0}, ZSTD_e_continue, sink, error);
}

static enum poly_status
zstd_encode_end(void *state, const struct filter_sink *sink, struct poly_error *error)
{
	return compress(state, (ZSTD_inBuffer){NULL, 0, 0}, ZSTD_e_end, sink, error);
}

static void
zstd_encode_close(void *state)
{
	struct zstd_encoder *zstd = state;
	ZSTD_freeCCtx(zstd->context);
}

struct block_packer {
	ZSTD_CCtx *context;
};

struct block_unpacker {
	ZSTD_DCtx *context;
};

enum poly_status
block_packer_new(int level, struct block_packer **packer, struct poly_error *error)
{
	struct block_packer *created = *packer = mem_new(1, sizeof *created);
	if (created)
		created->context = ZSTD_createCCtx();
	if (!created || !created->context) {
		block_packer_free(created);
		*packer = NULL;
		return err_memory(error);
	}
	ZSTD_CCtx_setParameter(created->context, ZSTD_c_compressionLevel, level);
	return POLY_OK;
}

enum poly_status
block_pack(struct block_packer *packer, const void *p, size_t n, struct buf *dst,
	struct poly_error *error)
{
	const size_t max = ZSTD_compressBound(n);
	uint8_t *room = buf_reserve(dst, max);
	if (!room)
		return err_memory(error);
	const size_t size = ZSTD_compress2(packer->context, room, max, p, n);
	if (ZSTD_isError(size))
		return zstd_failure(size, error);
	dst->size += size;
	return POLY_OK;
}

void
block_packer_free(struct block_packer *packer)
{
	if (packer)
		ZSTD_freeCCtx(packer->context);
	mem_free(packer);
}

enum poly_status
block_unpacker_new(struct block_unpacker **unpacker, struct poly_error *error)
{
	struct block_unpacker *created = *unpacker = mem_new(1, sizeof *created);
	if (created)
		created->context = ZSTD_createDCtx();
	if (created && created->context)
		return POLY_OK;
	block_unpacker_free(created);
	*unpacker = NULL;
	return err_memory(error);
}

enum poly_status
block_unpack(struct block_unpacker *unpacker, const void *p, size_t n,
	const struct block_room *room, struct poly_error *error)
{
	const size_t size = ZSTD_decompressDCtx(unpacker->context, room->dst, room->size, p, n);
	if (ZSTD_isError(size))
		return zstd_failure(size, error);
	if (size == room->size)
		return POLY_OK;
	return err_set(error, POLY_ERR_FORMAT, 0,
		"corrupt zstd block (found %zu bytes, expected %zu)", size, room->size);
}

void
block_unpacker_free(struct block_unpacker *unpacker)
{
	if (unpacker)
		ZSTD_freeDCtx(unpacker->context);
	mem_free(unpacker);
}

#else

enum poly_status
block_packer_new(int level, struct block_packer **packer, struct poly_error *error)
{
	(void)level;
	*packer = NULL;
	return err_missing(error, "Zstandard compression", "libzstd-dev");
}

enum poly_status
block_pack(struct block_packer *packer, const void *p, size_t n, struct buf *dst,
	struct poly_error *error)
{
	(void)packer, (void)p, (void)n, (void)dst;
	return err_missing(error, "Zstandard compression", "libzstd-dev");
}

void
block_packer_free(struct block_packer *packer)
{
	(void)packer;
}

enum poly_status
block_unpacker_new(struct block_unpacker **unpacker, struct poly_error *error)
{
	*unpacker = NULL;
	return err_missing(error, "Zstandard compression", "libzstd-dev");
}

enum poly_status
block_unpack(struct block_unpacker *unpacker, const void *p, size_t n,
	const struct block_room *room, struct poly_error *error)
{
	(void)unpacker, (void)p, (void)n, (void)room;
	return err_missing(error, "Zstandard compression", "libzstd-dev");
}

void
block_unpacker_free(struct block_unpacker *unpacker)
{
	(void)unpacker;
}

#endif

extern const struct filter filter_zstd;
const struct filter filter_zstd = {
	.name = "zstd",
	.extension = "zst",
	.probe = zstd_probe,
#ifdef POLY_WITH_ZSTD
	.decoder_size = sizeof(struct zstd_decoder),
	.encoder_size = sizeof(struct zstd_encoder),
	.decode_open = zstd_decode_open,
	.decode = zstd_decode,
	.decode_close = zstd_decode_close,
	.encode_open = zstd_encode_open,
	.encode = zstd_encode,
	.encode_end = zstd_encode_end,
	.encode_close = zstd_encode_close,
#else
	.missing = "libzstd-dev",
#endif
};
