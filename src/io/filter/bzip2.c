/* SPDX-License-Identifier: MIT */
/*
 * bzip2: several streams one after another are one.
 *
 * spec: bzip2 1.0.8, the stream's header and the marks of a block and of the stream's end.
 */
#include "base/err.h"
#include "base/mem.h"
#include "io/filter.h"

#include <string.h>

#ifdef POLY_WITH_BZIP2
#include <bzlib.h>
#endif

enum { HEADER_SIZE = 4, MARK_SIZE = 6 };

static int
bzip2_probe(const uint8_t *p, size_t n)
{
	static const uint8_t block[MARK_SIZE] = {0x31, 0x41, 0x59, 0x26, 0x53, 0x59};
	static const uint8_t end[MARK_SIZE] = {0x17, 0x72, 0x45, 0x38, 0x50, 0x90};
	if (n < HEADER_SIZE || memcmp(p, "BZh", 3) || p[3] < '1' || p[3] > '9')
		return 0;
	size_t seen = n - HEADER_SIZE < MARK_SIZE ? n - HEADER_SIZE : MARK_SIZE;
	if (memcmp(p + HEADER_SIZE, block, seen) && memcmp(p + HEADER_SIZE, end, seen))
		return 0;
	return 28 + 8 * (int)seen;
}

#ifdef POLY_WITH_BZIP2

/* The library counts bytes in 32 bits. */
#define STEP_MAX ((size_t)1 << 30)

#define LEVEL 9

struct bzip2_decoder {
	bz_stream bzip2;
	bool inside;  /* a stream */
	bool streams; /* at least one is complete */
};

struct bzip2_encoder {
	bz_stream bzip2;
	char encoded[64 << 10];
};

static void *
bzip2_alloc(void *user, int count, int size)
{
	(void)user;
	return mem_resize(NULL, (size_t)count, (size_t)size);
}

static void
bzip2_free(void *user, void *p)
{
	(void)user;
	mem_free(p);
}

static enum poly_status
bzip2_failure(int code, struct poly_error *error)
{
	if (code == BZ_MEM_ERROR)
		return err_memory(error);
	return err_set(error, POLY_ERR_FORMAT, 0, "corrupt bzip2 stream");
}

static enum poly_status
bzip2_decode_open(void *state, struct poly_error *error)
{
	(void)error;
	struct bzip2_decoder *decoder = state;
	decoder->bzip2.bzalloc = bzip2_alloc;
	decoder->bzip2.bzfree = bzip2_free;
	return POLY_OK;
}

static void
bzip2_decode_close(void *state)
{
	struct bzip2_decoder *decoder = state;
	if (decoder->inside)
		BZ2_bzDecompressEnd(&decoder->bzip2);
}

/* Starts a stream, or finds the end; POLY_OK without being inside if it is truncated. */
static enum poly_status
begin_stream(struct bzip2_decoder *decoder, struct in *source, struct poly_error *error)
{
	size_t have;
	const uint8_t *p = in_peek(source, HEADER_SIZE, &have);
	if (!have && decoder->streams)
		return POLY_END;
	if (memcmp(p, "BZh", have < 3 ? have : 3))
		return err_set(error, POLY_ERR_FORMAT, 0,
			"trailing bytes after the last bzip2 stream");
	if (have < HEADER_SIZE) {
		in_consume(source, have);
		return POLY_OK;
	}
	int code = BZ2_bzDecompressInit(&decoder->bzip2, 0, 0);
	if (code != BZ_OK)
		return bzip2_failure(code, error);
	decoder->inside = true;
	return POLY_OK;
}

/* Decodes the bytes in view, as far as the room suffices. */
static enum poly_status
decode_some(struct bzip2_decoder *decoder, struct in *source, struct filter_room *room,
	struct poly_error *error)
{
	bz_stream *bzip2 = &decoder->bzip2;
	size_t have, left = room->size < STEP_MAX ? room->size : STEP_MAX;
	const uint8_t *p = in_peek(source, 1, &have);
	have = have < STEP_MAX ? have : STEP_MAX;
	bzip2->next_in = (char *)(uintptr_t)p; /* it only reads */
	bzip2->avail_in = (unsigned)have;
	bzip2->next_out = (char *)room->dst;
	bzip2->avail_out = (unsigned)left;
	int code = BZ2_bzDecompress(bzip2);
	in_consume(source, have - bzip2->avail_in);
	room->got = left - bzip2->avail_out;
	if (code == BZ_STREAM_END) {
		BZ2_bzDecompressEnd(bzip2);
		decoder->inside = false;
		decoder->streams = true;
		return POLY_OK;
	}
	return code == BZ_OK ? POLY_OK : bzip2_failure(code, error);
}

static enum poly_status
bzip2_decode(void *state, struct in *source, struct filter_room *room, struct poly_error *error)
{
	struct bzip2_decoder *decoder = state;
	enum poly_status status = POLY_OK;
	while (!room->got && status == POLY_OK) {
		if (!decoder->inside)
			status = begin_stream(decoder, source, error);
		if (!decoder->inside)
			return status;
		status = decode_some(decoder, source, room, error);
		size_t have = 1;
		if (!room->got && decoder->inside)
			in_peek(source, 1, &have);
		if (!have)
			return status;
	}
	return status;
}

static enum poly_status
bzip2_encode_open(void *state, struct poly_error *error)
{
	struct bzip2_encoder *encoder = state;
	encoder->bzip2.bzalloc = bzip2_alloc;
	encoder->bzip2.bzfree = bzip2_free;
	int code = BZ2_bzCompressInit(&encoder->bzip2, LEVEL, 0, 0);
	return code == BZ_OK ? POLY_OK : bzip2_failure(code, error);
}

/* Compresses the input; under BZ_FINISH until the stream is complete. */
static enum poly_status
compress(struct bzip2_encoder *encoder, int action, const struct filter_sink *sink,
	struct poly_error *error)
{
	bz_stream *bzip2 = &encoder->bzip2;
	int code;
	do {
		bzip2->next_out = encoder->encoded;
		bzip2->avail_out = sizeof encoder->encoded;
		code = BZ2_bzCompress(bzip2, action);
		if (code < 0)
			return bzip2_failure(code, error);
		size_t n = sizeof encoder->encoded - bzip2->avail_out;
		if (n && sink->write(sink->user, encoder->encoded, n))
			return POLY_ERR_IO;
	} while (action == BZ_FINISH ? code != BZ_STREAM_END : bzip2->avail_in > 0);
	return POLY_OK;
}

static enum poly_status
bzip2_encode(void *state, const uint8_t *data, size_t n, const struct filter_sink *sink,
	struct poly_error *error)
{
	struct bzip2_encoder *encoder = state;
	enum poly_status status = POLY_OK;
	while (n && status == POLY_OK) {
		size_t step = n < STEP_MAX ? n : STEP_MAX;
		encoder->bzip2.next_in = (char *)(uintptr_t)data; /* it only reads */
		encoder->bzip2.avail_in = (unsigned)step;
		status = compress(encoder, BZ_RUN, sink, error);
		data += step;
		n -= step;
	}
	return status;
}

static enum poly_status
bzip2_encode_end(void *state, const struct filter_sink *sink, struct poly_error *error)
{
	struct bzip2_encoder *encoder = state;
	encoder->bzip2.next_in = NULL;
	encoder->bzip2.avail_in = 0;
	return compress(encoder, BZ_FINISH, sink, error);
}

static void
bzip2_encode_close(void *state)
{
	struct bzip2_encoder *encoder = state;
	BZ2_bzCompressEnd(&encoder->bzip2);
}

#endif

extern const struct filter filter_bzip2;
const struct filter filter_bzip2 = {
	.name = "bzip2",
	.extension = "bz2",
	.probe = bzip2_probe,
#ifdef POLY_WITH_BZIP2
	.decoder_size = sizeof(struct bzip2_decoder),
	.encoder_size = sizeof(struct bzip2_encoder),
	.decode_open = bzip2_decode_open,
	.decode = bzip2_decode,
	.decode_close = bzip2_decode_close,
	.encode_open = bzip2_encode_open,
	.encode = bzip2_encode,
	.encode_end = bzip2_encode_end,
	.encode_close = bzip2_encode_close,
#else
	.missing = "libbz2-dev",
#endif
};
