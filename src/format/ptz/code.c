/* SPDX-License-Identifier: MIT */
/* Codings of numbers. */
#include "format/ptz/code.h"

#include "base/bits.h"
#include "base/mem.h"

#include <string.h>

static void
code_planes(const struct ptz_values *it, struct buf *to)
{
	uint64_t all = 0;
	unsigned size = 1;
	for (size_t i = 0; i < it->count; i++)
		all |= it->values[i];
	while (size < 8 && all >> 8 * size)
		size++;
	uint8_t *room = buf_reserve(to, it->count * size);
	if (!room)
		return;
	for (unsigned plane = 0; plane < size; plane++) {
		for (size_t i = 0; i < it->count; i++)
			*room++ = (uint8_t)(it->values[i] >> 8 * plane);
	}
	to->size += it->count * size;
}

static bool
code_template(const struct ptz_values *it, struct buf *to)
{
	uint64_t *last = mem_new(it->templates + (size_t)1, sizeof *last);
	uint64_t *known = mem_new(it->templates / 64 + (size_t)1, sizeof *known);
	const bool ok = last && known;
	uint64_t before = 0;
	for (size_t i = 0; ok && i < it->count; i++) {
		const uint32_t t = it->template[i];
		ptz_put(to,
			ptz_zigzag(it->values[i] - (bit_test(known, t) ? last[t] : before)));
		last[t] = before = it->values[i];
		bit_set(known, t);
	}
	mem_free(last);
	mem_free(known);
	return ok;
}

bool
ptz_code(const struct ptz_values *it, enum ptz_coding coding, struct buf *to)
{
	uint64_t before = 0;
	bool ok = true;
	switch (coding) {
	case PTZ_PLANES: code_planes(it, to); break;
	case PTZ_TEMPLATE: ok = code_template(it, to); break;
	case PTZ_PC:
		for (size_t i = 0; i < it->count; i++)
			ptz_put(to, ptz_zigzag(it->values[i] - it->pc[i]));
		break;
	case PTZ_DELTA:
		for (size_t i = 0; i < it->count; i++) {
			ptz_put(to, ptz_zigzag(it->values[i] - before));
			before = it->values[i];
		}
		break;
	case PTZ_BYTES:
	case PTZ_XOR:
	case PTZ_CODING_COUNT: break;
	}
	return ok && !to->failed;
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
decode_planes(struct ptz_decoder *it, uint64_t *to, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = 0;
	for (unsigned plane = 0; plane < it->size; plane++) {
		const uint8_t *p = it->bytes.p + (size_t)plane * it->count + it->at;
		for (size_t i = 0; i < n; i++)
			to[i] |= (uint64_t)p[i] << 8 * plane;
	}
}

/* A number of one byte or two, which most are, or more. */
static inline uint64_t
take(struct ptz_bytes *bytes)
{
	const uint8_t *p = bytes->p;
	if (p < bytes->end && p[0] < 0x80)
		return *bytes->p++;
	if (bytes->end - p >= 2 && p[1] < 0x80) {
		bytes->p += 2;
		return (uint64_t)p[1] << 7 | (p[0] & 0x7f);
	}
	return ptz_take(bytes);
}

/* True where the next eight numbers are bytes. */
static inline bool
are_bytes(const struct ptz_bytes *bytes)
{
	return bytes->end - bytes->p >= 8 && !(load_le64(bytes->p) & 0x8080808080808080);
}

/* Bytes whose numbers are found at once, and those that must be there for it. */
enum { BLOCK = 64, BLOCK_MOST = BLOCK + 8 };

/* The bytes of a block that end a number, a bit each. */
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

/* The number of n bytes (1 to 8) at p, where 8 may be read. */
static inline uint64_t
join_groups(const uint8_t *p, unsigned n)
{
	uint64_t v = load_le64(p) & 0x7f7f7f7f7f7f7f7f >> (64 - 8 * n);
	v = (v & 0x007f007f007f007f) | (v & 0x7f007f007f007f00) >> 1;
	v = (v & 0x00003fff00003fff) | (v & 0x3fff00003fff0000) >> 2;
	return (v & 0x0fffffff) | (v & 0x0fffffff00000000) >> 4;
}

/*
 * Takes up to n differences that end within a block: where a number ends does not wait for the
 * ones before it. How many; none where the first one is longer than 8 bytes.
 */
static inline size_t
take_block(struct ptz_bytes *bytes, uint64_t *to, size_t n)
{
	uint64_t ends = find_ends(bytes->p);
	unsigned at = 0;
	size_t i = 0;
	for (; ends && i < n; ends &= ends - 1) {
		const unsigned next = (unsigned)__builtin_ctzll(ends) + 1;
		if (next - at > 8)
			break;
		to[i++] = ptz_unzigzag(join_groups(bytes->p + at, next - at));
		at = next;
	}
	bytes->p += at;
	return i;
}

/* Takes n differences. */
static void
decode_differences(struct ptz_bytes *from, uint64_t *to, size_t n)
{
	struct ptz_bytes bytes = *from;
	size_t i = 0;
	while (i < n) {
		if (n - i >= 8 && are_bytes(&bytes)) {
			for (size_t k = 0; k < 8; k++)
				to[i + k] = ptz_unzigzag(bytes.p[k]);
			bytes.p += 8;
			i += 8;
			continue;
		}
		size_t taken = 0;
		if (bytes.end - bytes.p >= BLOCK_MOST)
			taken = take_block(&bytes, to + i, n - i);
		if (taken == 0)
			to[i++] = ptz_unzigzag(take(&bytes));
		i += taken;
	}
	*from = bytes;
}

/* Adds differences to the last values of templates, of which some may have none. */
static void
add_first(struct ptz_decoder *it, uint64_t *to, const struct ptz_span *span, uint64_t before)
{
	for (uint32_t i = 0; i < span->count; i++) {
		const uint32_t t = span->first + i;
		if (bit_test(it->known, t))
			before = it->last[t];
		else
			bit_set(it->known, t);
		before += to[i];
		to[i] = it->last[t] = before;
	}
	/* There is a bit behind that of the last template, which is not set. */
	while (bit_test(it->known, it->all_known))
		it->all_known++;
}

static void
decode_templates(struct ptz_decoder *it, uint64_t *to, size_t n, const struct ptz_span *spans)
{
	decode_differences(&it->bytes, to, n);
	for (size_t i = 0; i < n; i += spans++->count) {
		uint64_t *restrict last = it->last + spans->first, *restrict own = to + i;
		if (spans->first + spans->count > it->all_known) {
			add_first(it, own, spans, i ? to[i - 1] : it->before);
			continue;
		}
		for (uint32_t k = 0; k < spans->count; k++)
			own[k] = last[k] += own[k];
	}
	it->before = n ? to[n - 1] : it->before;
}

void
ptz_decode(struct ptz_decoder *it, uint64_t *to, size_t n, const struct ptz_span *spans)
{
	if (n > it->count - it->at || (it->coding == PTZ_PLANES && it->bytes.bad)) {
		it->bytes.bad = true;
		memset(to, 0, n * sizeof *to);
		return;
	}
	switch (it->coding) {
	case PTZ_PLANES: decode_planes(it, to, n); break;
	case PTZ_TEMPLATE: decode_templates(it, to, n, spans); break;
	case PTZ_DELTA:
		decode_differences(&it->bytes, to, n);
		for (size_t i = 0; i < n; i++)
			to[i] = it->before += to[i];
		break;
	case PTZ_PC: decode_differences(&it->bytes, to, n); break;
	case PTZ_BYTES:
	case PTZ_XOR:
	case PTZ_CODING_COUNT: it->bytes.bad = true; memset(to, 0, n * sizeof *to);
	}
	it->at += (uint32_t)n;
}
