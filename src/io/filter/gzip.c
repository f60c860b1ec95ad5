/* SPDX-License-Identifier: MIT */
/*
 * gzip, by ISA-L.
 *
 * spec: RFC 1952 (members, header, trailer), RFC 1951 (the first block's header, for probing).
 */
#include "base/err.h"
#include "io/filter.h"

#include <string.h>

#ifdef POLY_WITH_ISAL
#include <isa-l/igzip_lib.h>
#endif

enum {
	FLAG_HEADER_CRC = 2,
	FLAG_EXTRA = 4,
	FLAG_NAME = 8,
	FLAG_COMMENT = 16,
	FLAG_RESERVED = 0xe0,
};

enum { MAGIC_SIZE = 3, HEADER_SIZE = 10 };

static const uint8_t magic[MAGIC_SIZE] = {0x1f, 0x8b, 8};

/* Returns the offset after a string that begins at an offset; 0: its end is not in view. */
static size_t
string_end(const uint8_t *p, size_t n, size_t at)
{
	const uint8_t *end = at < n ? memchr(p + at, 0, n - at) : NULL;
	return end ? (size_t)(end - p) + 1 : 0;
}

/* Returns the offset of the deflate stream; 0: it is not in view. */
static size_t
header_end(const uint8_t *p, size_t n)
{
	size_t at = HEADER_SIZE;
	if (p[3] & FLAG_EXTRA)
		at = n < at + 2 ? 0 : at + 2 + p[at] + ((size_t)p[at + 1] << 8);
	if (at && p[3] & FLAG_NAME)
		at = string_end(p, n, at);
	if (at && p[3] & FLAG_COMMENT)
		at = string_end(p, n, at);
	if (at && p[3] & FLAG_HEADER_CRC)
		at += 2;
	return at < n ? at : 0;
}

/* The number in count bits at a bit position, low bit first; bits out of view are 0. */
static unsigned
bits_at(const uint8_t *p, size_t n, size_t position, unsigned count)
{
	unsigned value = 0;
	for (unsigned i = 0; i < count; i++, position++)
		if (position / 8 < n)
			value |= ((unsigned)p[position / 8] >> position % 8 & 1U) << i;
	return value;
}

/*
 * RFC 1951 3.2.7: the codes of a dynamic block begin with 4 to 19 lengths of three bits, which
 * must fill a prefix code exactly.
 */
static bool
dynamic_codes_are_sound(const uint8_t *p, size_t n)
{
	unsigned lengths = bits_at(p, n, 13, 4) + 4, sum = 0;
	if (bits_at(p, n, 3, 5) > 29 || bits_at(p, n, 8, 5) > 29)
		return false;
	if (n * 8 < 17 + 3 * (size_t)lengths)
		return true;
	for (unsigned i = 0; i < lengths; i++) {
		unsigned length = bits_at(p, n, 17 + 3 * (size_t)i, 3);
		sum += length ? 128U >> length : 0;
	}
	return sum == 128;
}

/* RFC 1951 3.2.3: bits verified in the header of the first block, or -1. */
static int
probe_block(const uint8_t *p, size_t n)
{
	switch (p[0] >> 1 & 3) {
	case 0:
		if (n < 5)
			return 0;
		return (p[1] ^ p[3]) == 0xff && (p[2] ^ p[4]) == 0xff ? 16 : -1;
	case 1: return 1;
	case 2: return dynamic_codes_are_sound(p, n) ? 8 : -1;
	default: return -1;
	}
}

static int
gzip_probe(const uint8_t *p, size_t n)
{
	if (n < MAGIC_SIZE || memcmp(p, magic, MAGIC_SIZE))
		return 0;
	if (n > 3 && p[3] & FLAG_RESERVED)
		return 0;
	if (n < HEADER_SIZE)
		return 24;
	/* The extra flags and the operating systems that are in use. */
	if ((p[8] != 0 && p[8] != 2 && p[8] != 4) || (p[9] > 19 && p[9] != 255))
		return 0;
	size_t at = header_end(p, n);
	int bits = at ? probe_block(p + at, n - at) : 0;
	return bits < 0 ? 0 : 36 + bits;
}

#ifdef POLY_WITH_ISAL

/* ISA-L counts bytes in 32 bits. */
#define STEP_MAX ((size_t)1 << 30)

#define LEVEL 2
#define LEVEL_SIZE ISAL_DEF_LVL2_DEFAULT

struct gzip_decoder {
	struct inflate_state inflate;
	bool inside;  /* a member */
	bool members; /* at least one is complete */
	int failure;  /* of ISA-L, returned after its previous output was delivered */
};

struct gzip_encoder {
	struct isal_zstream deflate;
	_Alignas(64) uint8_t level[LEVEL_SIZE];
	/*
	 * The output of ISA-L depends on how its input is split: collect blocks of fixed size.
	 */
	uint8_t taken[128 << 10];
	size_t count; /* bytes collected, not yet deflated */
	uint8_t encoded[64 << 10];
};

static enum poly_status
gzip_decode_open(void *state, struct poly_error *error)
{
	(void)error;
	struct gzip_decoder *gzip = state;
	isal_inflate_init(&gzip->inflate);
	return POLY_OK;
}

static const char *
failure_text(int code)
{
	switch (code) {
	case ISAL_INVALID_BLOCK: return "corrupt gzip stream: invalid block";
	case ISAL_INVALID_SYMBOL: return "corrupt gzip stream: invalid code";
	case ISAL_INVALID_LOOKBACK:
		return "corrupt gzip stream: reference to bytes before the beginning";
	case ISAL_INVALID_WRAPPER: return "invalid gzip header";
	case ISAL_UNSUPPORTED_METHOD: return "unknown compression method in the gzip header";
	case ISAL_INCORRECT_CHECKSUM: return "gzip checksum or length mismatch";
	default: return "corrupt gzip stream";
	}
}

/* After the last member only zero padding may follow. */
static enum poly_status
gzip_padding(struct in *source, struct poly_error *error)
{
	for (;;) {
		size_t have, zeros = 0;
		const uint8_t *p = in_peek(source, 1, &have);
		while (zeros < have && !p[zeros])
			zeros++;
		in_consume(source, zeros);
		if (!have)
			return POLY_END;
		if (zeros < have)
			return err_set(error, POLY_ERR_FORMAT, 0,
				"trailing bytes after the last gzip member");
	}
}

/* Starts a member; POLY_OK without being inside if it is truncated. */
static enum poly_status
gzip_begin(struct gzip_decoder *gzip, struct in *source, struct poly_error *error)
{
	size_t have;
	const uint8_t *p = in_peek(source, MAGIC_SIZE, &have);
	size_t seen = have < MAGIC_SIZE ? have : MAGIC_SIZE;
	if (gzip->members && (!seen || memcmp(p, magic, seen)))
		return gzip_padding(source, error);
	if (seen < MAGIC_SIZE) {
		in_consume(source, have);
		return POLY_OK;
	}
	isal_inflate_reset(&gzip->inflate);
	gzip->inflate.crc_flag = ISAL_GZIP;
	gzip->inside = true;
	return POLY_OK;
}

/*
 * ISA-L decodes ahead into a buffer of its own and abandons it on failure: the buffered bytes
 * are valid and are delivered first. But if the data refers to bytes before the beginning,
 * ISA-L counts that last match, of at most 258 bytes, as decoded; it does not report its
 * length.
 */
static enum poly_status
gzip_failure(
	struct gzip_decoder *gzip, int code, struct filter_room *room, struct poly_error *error)
{
	struct inflate_state *inflate = &gzip->inflate;
	int32_t ahead = inflate->tmp_out_valid - inflate->tmp_out_processed;
	size_t held = ahead > 0 ? (size_t)ahead : 0;
	size_t n = held < room->size - room->got ? held : room->size - room->got;
	gzip->failure = code;
	if (n)
		memcpy(room->dst + room->got,
			inflate->tmp_out_buffer + inflate->tmp_out_processed, n);
	inflate->tmp_out_processed += (int32_t)n;
	room->got += n;
	if (n < held)
		return POLY_OK;
	return err_set(error, POLY_ERR_FORMAT, 0, "%s", failure_text(code));
}

/* Inflates the bytes in view, as far as the room suffices. */
static enum poly_status
gzip_inflate(struct gzip_decoder *gzip, struct in *source, struct filter_room *room,
	struct poly_error *error)
{
	struct inflate_state *inflate = &gzip->inflate;
	size_t have, left = room->size < STEP_MAX ? room->size : STEP_MAX;
	const uint8_t *p = in_peek(source, 1, &have);
	have = have < STEP_MAX ? have : STEP_MAX;
	inflate->next_in = (uint8_t *)(uintptr_t)p; /* it only reads */
	inflate->avail_in = (uint32_t)have;
	inflate->next_out = room->dst;
	inflate->avail_out = (uint32_t)left;
	int code = isal_inflate(inflate);
	in_consume(source, have - inflate->avail_in);
	room->got = left - inflate->avail_out;
	if (code < 0)
		return gzip_failure(gzip, code, room, error);
	if (inflate->block_state == ISAL_BLOCK_FINISH) {
		gzip->inside = false;
		gzip->members = true;
	}
	return POLY_OK;
}

static enum poly_status
gzip_decode(void *state, struct in *source, struct filter_room *room, struct poly_error *error)
{
	struct gzip_decoder *gzip = state;
	enum poly_status status = POLY_OK;
	if (gzip->failure)
		return gzip_failure(gzip, gzip->failure, room, error);
	while (!room->got && status == POLY_OK) {
		if (!gzip->inside)
			status = gzip_begin(gzip, source, error);
		if (!gzip->inside)
			return status;
		status = gzip_inflate(gzip, source, room, error);
		size_t have = 1;
		if (!room->got && gzip->inside)
			in_peek(source, 1, &have);
		if (!have)
			return status;
	}
	return status;
}

static enum poly_status
gzip_encode_open(void *state, struct poly_error *error)
{
	(void)error;
	struct gzip_encoder *gzip = state;
	isal_deflate_init(&gzip->deflate);
	gzip->deflate.level = LEVEL;
	gzip->deflate.level_buf = gzip->level;
	gzip->deflate.level_buf_size = sizeof gzip->level;
	gzip->deflate.gzip_flag = IGZIP_GZIP;
	return POLY_OK;
}

/* Deflates the collected bytes, and the end of the stream if it is set. */
static enum poly_status
gzip_deflate(
	struct gzip_encoder *gzip, const struct filter_sink *sink, struct poly_error *error)
{
	struct isal_zstream *deflate = &gzip->deflate;
	deflate->next_in = gzip->taken;
	deflate->avail_in = (uint32_t)gzip->count;
	gzip->count = 0;
	do {
		deflate->next_out = gzip->encoded;
		deflate->avail_out = sizeof gzip->encoded;
		if (isal_deflate(deflate) != COMP_OK)
			return err_set(error, POLY_ERR_UNSUPPORTED, POLY_NO_OFFSET,
				"the gzip library failed to compress");
		size_t n = sizeof gzip->encoded - deflate->avail_out;
		if (n && sink->write(sink->user, gzip->encoded, n))
			return POLY_ERR_IO;
	} while (!deflate->avail_out || deflate->avail_in);
	return POLY_OK;
}

static enum poly_status
gzip_encode(void *state, const uint8_t *data, size_t n, const struct filter_sink *sink,
	struct poly_error *error)
{
	struct gzip_encoder *gzip = state;
	enum poly_status status = POLY_OK;
	while (n && status == POLY_OK) {
		const size_t left = sizeof gzip->taken - gzip->count;
		const size_t step = n < left ? n : left;
		memcpy(gzip->taken + gzip->count, data, step);
		gzip->count += step;
		data += step;
		n -= step;
		if (step == left)
			status = gzip_deflate(gzip, sink, error);
	}
	return status;
}

static enum poly_status
gzip_encode_end(void *state, const struct filter_sink *sink, struct poly_error *error)
{
	struct gzip_encoder *gzip = state;
	gzip->deflate.end_of_stream = 1;
	return gzip_deflate(gzip, sink, error);
}

static void
gzip_close(void *state)
{
	(void)state;
}

#endif

extern const struct filter filter_gzip;
const struct filter filter_gzip = {
	.name = "gzip",
	.extension = "gz",
	.probe = gzip_probe,
#ifdef POLY_WITH_ISAL
	.decoder_size = sizeof(struct gzip_decoder),
	.encoder_size = sizeof(struct gzip_encoder),
	.decode_open = gzip_decode_open,
	.decode = gzip_decode,
	.decode_close = gzip_close,
	.encode_open = gzip_encode_open,
	.encode = gzip_encode,
	.encode_end = gzip_encode_end,
	.encode_close = gzip_close,
#else
	.missing = "libisal-dev",
#endif
};
