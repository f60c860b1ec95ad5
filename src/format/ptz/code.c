/* SPDX-License-Identifier: MIT */
/* Codings of numbers. */
#include "format/ptz/code.h"

#include "base/bits.h"
#include "base/mem.h"

#include <string.h>

static void
code_planes(const struct ptz_values *values, struct buf *out)
{
	uint64_t all = 0;
	unsigned size = 1;
	for (size_t i = 0; i < values->count; i++)
		all |= values->values[i];
	while (size < 8 && all >> 8 * size)
		size++;
	uint8_t *room = buf_reserve(out, values->count * size);
	if (!room)
		return;
	for (unsigned plane = 0; plane < size; plane++) {
		for (size_t i = 0; i < values->count; i++)
			*room++ = (uint8_t)(values->values[i] >> 8 * plane);
	}
	out->size += values->count * size;
}

static bool
code_template(const struct ptz_values *values, struct buf *out)
{
	uint64_t *last = mem_new(values->templates + (size_t)1, sizeof *last);
	uint64_t *known = mem_new(values->templates / 64 + (size_t)1, sizeof *known);
	const bool ok = last && known;
	uint64_t previous = 0;
	for (size_t i = 0; ok && i < values->count; i++) {
		const uint32_t t = values->template[i];
		ptz_put_varint(out, ptz_zigzag(values->values[i] -
					       (bit_test(known, t) ? last[t] : previous)));
		last[t] = previous = values->values[i];
		bit_set(known, t);
	}
	mem_free(last);
	mem_free(known);
	return ok;
}

bool
ptz_encode(const struct ptz_values *values, enum ptz_coding coding, struct buf *out)
{
	uint64_t previous = 0;
	bool ok = true;
	switch (coding) {
	case PTZ_PLANES: code_planes(values, out); break;
	case PTZ_TEMPLATE: ok = code_template(values, out); break;
	case PTZ_PC:
		for (size_t i = 0; i < values->count; i++)
			ptz_put_varint(out, ptz_zigzag(values->values[i] - values->pc[i]));
		break;
	case PTZ_DELTA:
		for (size_t i = 0; i < values->count; i++) {
			ptz_put_varint(out, ptz_zigzag(values->values[i] - previous));
			previous = values->values[i];
		}
		break;
	case PTZ_BYTES:
	case PTZ_XOR:
	case PTZ_CODING_COUNT: break;
	}
	return ok && !out->failed;
}

bool
ptz_decoder_init(struct ptz_decoder *decoder, const struct ptz_stream *stream, const uint8_t *p,
	uint32_t templates)
{
	decoder->coding = (enum ptz_coding)stream->coding;
	decoder->count = stream->values;
	decoder->bytes = (struct ptz_bytes){p, stream->size ? p + stream->size : p, false};
	decoder->size = stream->values ? stream->size / stream->values : 0;
	if (decoder->coding == PTZ_PLANES &&
		(decoder->size > 8 || stream->values * decoder->size != stream->size))
		decoder->bytes.bad = true;
	if (decoder->coding != PTZ_TEMPLATE)
		return true;
	decoder->last = mem_new(templates + (size_t)1, sizeof *decoder->last);
	decoder->known = mem_new(templates / 64 + (size_t)1, sizeof *decoder->known);
	return decoder->last && decoder->known;
}

void
ptz_decoder_fini(struct ptz_decoder *decoder)
{
	mem_free(decoder->last);
	mem_free(decoder->known);
	memset(decoder, 0, sizeof *decoder);
}

static void
decode_planes(struct ptz_decoder *decoder, uint64_t *dst, size_t n)
{
	for (size_t i = 0; i < n; i++)
		dst[i] = 0;
	for (unsigned plane = 0; plane < decoder->size; plane++) {
		const uint8_t *p =
			decoder->bytes.p + (size_t)plane * decoder->count + decoder->at;
		for (size_t i = 0; i < n; i++)
			dst[i] |= (uint64_t)p[i] << 8 * plane;
	}
}

/* Parses a varint of one byte or two, which are the most common, or more. */
static inline uint64_t
parse_number(struct ptz_bytes *bytes)
{
	const uint8_t *p = bytes->p;
	if (p < bytes->end && p[0] < 0x80)
		return *bytes->p++;
	if (bytes->end - p >= 2 && p[1] < 0x80) {
		bytes->p += 2;
		return (uint64_t)p[1] << 7 | (p[0] & 0x7f);
	}
	return ptz_parse_varint(bytes);
}

/* Returns whether each of the next eight numbers is one byte. */
static inline bool
are_bytes(const struct ptz_bytes *bytes)
{
	return bytes->end - bytes->p >= 8 && !(load_le64(bytes->p) & 0x8080808080808080);
}

/* Bytes whose numbers are found together, and the bytes that must be readable for it. */
enum { BLOCK = 64, BLOCK_READ_MAX = BLOCK + 8 };

/* Returns a bitmap of the bytes of a block that end a number. */
static inline uint64_t
find_ends(const uint8_t *p)
{
	uint64_t ends = 0;
	for (unsigned i = 0; i < BLOCK; i += 8) {
		const uint64_t last = ~load_le64(p + i) >> 7 & 0x0101010101010101;
		ends |= (last * 0x0102040810204080 >> 56) << i;
	}
	return ends;
}

/* Returns the number in the n bytes (1 to 8) at p, where 8 are readable. */
static inline uint64_t
join_groups(const uint8_t *p, unsigned n)
{
	uint64_t v = load_le64(p) & 0x7f7f7f7f7f7f7f7f >> (64 - 8 * n);
	v = (v & 0x007f007f007f007f) | (v & 0x7f007f007f007f00) >> 1;
	v = (v & 0x00003fff00003fff) | (v & 0x3fff00003fff0000) >> 2;
	return (v & 0x0fffffff) | (v & 0x0fffffff00000000) >> 4;
}

/*
 * Decodes up to n differences that end within a block: finding the end of a number does not
 * wait for the preceding ones. Returns their number; 0 if the first one is longer than 8 bytes.
 */
static inline size_t
decode_block(struct ptz_bytes *bytes, uint64_t *dst, size_t n)
{
	uint64_t ends = find_ends(bytes->p);
	unsigned at = 0;
	size_t i = 0;
	for (; ends && i < n; ends &= ends - 1) {
		const unsigned next = (unsigned)__builtin_ctzll(ends) + 1;
		if (next - at > 8)
			break;
		dst[i++] = ptz_unzigzag(join_groups(bytes->p + at, next - at));
		at = next;
	}
	bytes->p += at;
	return i;
}

/* Decodes n differences. */
static void
decode_differences(struct ptz_bytes *input, uint64_t *dst, size_t n)
{
	struct ptz_bytes bytes = *input;
	size_t i = 0;
	while (i < n) {
		if (n - i >= 8 && are_bytes(&bytes)) {
			for (size_t k = 0; k < 8; k++)
				dst[i + k] = ptz_unzigzag(bytes.p[k]);
			bytes.p += 8;
			i += 8;
			continue;
		}
		size_t decoded = 0;
		if (bytes.end - bytes.p >= BLOCK_READ_MAX)
			decoded = decode_block(&bytes, dst + i, n - i);
		if (decoded == 0)
			dst[i++] = ptz_unzigzag(parse_number(&bytes));
		i += decoded;
	}
	*input = bytes;
}

/* Adds differences to the last values of templates, some of which may have none. */
static void
add_first(struct ptz_decoder *decoder, uint64_t *dst, const struct ptz_span *span,
	uint64_t previous)
{
	for (uint32_t i = 0; i < span->count; i++) {
		const uint32_t t = span->first + i;
		if (bit_test(decoder->known, t))
			previous = decoder->last[t];
		else
			bit_set(decoder->known, t);
		previous += dst[i];
		dst[i] = decoder->last[t] = previous;
	}
	/* The bit after that of the last template is never set. */
	while (bit_test(decoder->known, decoder->all_known))
		decoder->all_known++;
}

static void
decode_templates(
	struct ptz_decoder *decoder, uint64_t *dst, size_t n, const struct ptz_span *spans)
{
	decode_differences(&decoder->bytes, dst, n);
	for (size_t i = 0; i < n; i += spans++->count) {
		uint64_t *restrict last = decoder->last + spans->first, *restrict own = dst + i;
		if (spans->first + spans->count > decoder->all_known) {
			add_first(decoder, own, spans, i ? dst[i - 1] : decoder->previous);
			continue;
		}
		for (uint32_t k = 0; k < spans->count; k++)
			own[k] = last[k] += own[k];
	}
	decoder->previous = n ? dst[n - 1] : decoder->previous;
}

void
ptz_decode(struct ptz_decoder *decoder, uint64_t *dst, size_t n, const struct ptz_span *spans)
{
	if (n > decoder->count - decoder->at ||
		(decoder->coding == PTZ_PLANES && decoder->bytes.bad)) {
		decoder->bytes.bad = true;
		memset(dst, 0, n * sizeof *dst);
		return;
	}
	switch (decoder->coding) {
	case PTZ_PLANES: decode_planes(decoder, dst, n); break;
	case PTZ_TEMPLATE: decode_templates(decoder, dst, n, spans); break;
	case PTZ_DELTA:
		decode_differences(&decoder->bytes, dst, n);
		for (size_t i = 0; i < n; i++)
			dst[i] = decoder->previous += dst[i];
		break;
	case PTZ_PC: decode_differences(&decoder->bytes, dst, n); break;
	case PTZ_BYTES:
	case PTZ_XOR:
	case PTZ_CODING_COUNT: decoder->bytes.bad = true; memset(dst, 0, n * sizeof *dst);
	}
	decoder->at += (uint32_t)n;
}
