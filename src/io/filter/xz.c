/* SPDX-License-Identifier: MIT */
/*
 * xz: several streams with padding between them are one.
 *
 * spec: The .xz File Format 1.1.0, 2.1.1 (stream header).
 */
#include "base/bits.h"
#include "base/err.h"
#include "base/mem.h"
#include "io/filter.h"

#include <string.h>

#ifdef POLY_WITH_LZMA
#include <lzma.h>
#endif

enum { MAGIC_SIZE = 6, HEADER_SIZE = 12 };

/* CRC-32 of the two bytes of stream flags, bit by bit. */
static uint32_t
flags_crc(const uint8_t *p)
{
	uint32_t crc = UINT32_MAX;
	for (int i = 0; i < 2; i++) {
		crc ^= p[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320U : 0);
	}
	return ~crc;
}

static int
xz_probe(const uint8_t *p, size_t n)
{
	static const uint8_t magic[MAGIC_SIZE] = {0xfd, '7', 'z', 'X', 'Z', 0};
	if (n < MAGIC_SIZE || memcmp(p, magic, MAGIC_SIZE))
		return 0;
	if (n < HEADER_SIZE)
		return 48;
	return load_le32(p + 8) == flags_crc(p + 6) ? 80 : 0;
}

#ifdef POLY_WITH_LZMA

#define LEVEL 6

/* Twice the memory that xz -9 needs; a header may request 4 GiB. */
#define MEMORY_MIB 130U

struct xz_decoder {
	lzma_stream lzma;
	lzma_allocator allocator;
};

struct xz_encoder {
	lzma_stream lzma;
	lzma_allocator allocator;
	uint8_t encoded[64 << 10];
};

static void *
xz_alloc(void *user, size_t count, size_t size)
{
	(void)user;
	return mem_resize(NULL, count, size);
}

static void
xz_free(void *user, void *p)
{
	(void)user;
	mem_free(p);
}

static enum poly_status
xz_failure(const lzma_stream *lzma, lzma_ret code, struct poly_error *error)
{
	if (code == LZMA_MEM_ERROR)
		return err_memory(error);
	if (code == LZMA_MEMLIMIT_ERROR)
		return err_set(error, POLY_ERR_LIMIT, 0,
			"xz stream needs %llu MiB of memory (limit %u "
			"MiB",
			(unsigned long long)(lzma_memusage(lzma) >> 20) + 1, MEMORY_MIB);
	return err_set(error, POLY_ERR_FORMAT, 0, "xz stream %s",
		code == LZMA_OPTIONS_ERROR ? "uses features that the library lacks"
					   : "is corrupt");
}

static enum poly_status
xz_decode_open(void *state, struct poly_error *error)
{
	struct xz_decoder *xz = state;
	xz->allocator = (lzma_allocator){xz_alloc, xz_free, NULL};
	xz->lzma = (lzma_stream)LZMA_STREAM_INIT;
	xz->lzma.allocator = &xz->allocator;
	lzma_ret code =
		lzma_stream_decoder(&xz->lzma, (uint64_t)MEMORY_MIB << 20, LZMA_CONCATENATED);
	return code == LZMA_OK ? POLY_OK : xz_failure(&xz->lzma, code, error);
}

static enum poly_status
xz_decode(void *state, struct in *source, struct filter_room *room, struct poly_error *error)
{
	struct xz_decoder *xz = state;
	lzma_stream *lzma = &xz->lzma;
	lzma_ret code;
	size_t have;
	lzma->next_out = room->dst;
	lzma->avail_out = room->size;
	do {
		lzma->next_in = in_peek(source, 1, &have);
		lzma->avail_in = have;
		code = lzma_code(lzma, have ? LZMA_RUN : LZMA_FINISH);
		in_consume(source, have - lzma->avail_in);
		room->got = room->size - lzma->avail_out;
	} while (code == LZMA_OK && !room->got);
	if (code == LZMA_OK || code == LZMA_BUF_ERROR)
		return POLY_OK;
	return code == LZMA_STREAM_END ? POLY_END : xz_failure(lzma, code, error);
}

static void
xz_decode_close(void *state)
{
	struct xz_decoder *xz = state;
	lzma_end(&xz->lzma);
}

static enum poly_status
xz_encode_open(void *state, struct poly_error *error)
{
	struct xz_encoder *xz = state;
	xz->allocator = (lzma_allocator){xz_alloc, xz_free, NULL};
	xz->lzma = (lzma_stream)LZMA_STREAM_INIT;
	xz->lzma.allocator = &xz->allocator;
	lzma_ret code = lzma_easy_encoder(&xz->lzma, LEVEL, LZMA_CHECK_CRC64);
	return code == LZMA_OK ? POLY_OK : xz_failure(&xz->lzma, code, error);
}

/* Compresses the input; under LZMA_FINISH until the stream is complete. */
static enum poly_status
compress(struct xz_encoder *xz, lzma_action action, const struct filter_sink *sink,
	struct poly_error *error)
{
	lzma_stream *lzma = &xz->lzma;
	lzma_ret code;
	do {
		lzma->next_out = xz->encoded;
		lzma->avail_out = sizeof xz->encoded;
		code = lzma_code(lzma, action);
		if (code != LZMA_OK && code != LZMA_STREAM_END)
			return xz_failure(lzma, code, error);
		size_t n = sizeof xz->encoded - lzma->avail_out;
		if (n && sink->write(sink->user, xz->encoded, n))
			return POLY_ERR_IO;
	} while (action == LZMA_FINISH ? code != LZMA_STREAM_END : lzma->avail_in > 0);
	return POLY_OK;
}

static enum poly_status
xz_encode(void *state, const uint8_t *data, size_t n, const struct filter_sink *sink,
	struct poly_error *error)
{
	struct xz_encoder *xz = state;
	xz->lzma.next_in = data;
	xz->lzma.avail_in = n;
	return compress(xz, LZMA_RUN, sink, error);
}

static enum poly_status
xz_encode_end(void *state, const struct filter_sink *sink, struct poly_error *error)
{
	struct xz_encoder *xz = state;
	xz->lzma.next_in = NULL;
	xz->lzma.avail_in = 0;
	return compress(xz, LZMA_FINISH, sink, error);
}

static void
xz_encode_close(void *state)
{
	struct xz_encoder *xz = state;
	lzma_end(&xz->lzma);
}

#endif

extern const struct filter filter_xz;
const struct filter filter_xz = {
	.name = "xz",
	.extension = "xz",
	.probe = xz_probe,
#ifdef POLY_WITH_LZMA
	.decoder_size = sizeof(struct xz_decoder),
	.encoder_size = sizeof(struct xz_encoder),
	.decode_open = xz_decode_open,
	.decode = xz_decode,
	.decode_close = xz_decode_close,
	.encode_open = xz_encode_open,
	.encode = xz_encode,
	.encode_end = xz_encode_end,
	.encode_close = xz_encode_close,
#else
	.missing = "liblzma-dev",
#endif
};
