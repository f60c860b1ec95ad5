/* SPDX-License-Identifier: MIT */
/* Words of TT6 and TT6E to the output, or to what waits for a later record. */
#include "format/tt6/tt6.h"

void
tt6_store_word(const struct tt6_writer *writer, uint8_t *p, uint32_t word)
{
	if (writer->little)
		store_le32(p, word);
	else
		store_be32(p, word);
}

const uint8_t *
tt6_put_words(struct writing *writing, const uint32_t *words, size_t count)
{
	struct tt6_writer *writer = writing->state;
	struct buf *buf = writer->holding			? &writer->held.words
			  : writer->missing != TT6_MISSING_NONE ? &writer->bytes
								: NULL;
	uint8_t *p = buf ? buf_reserve(buf, 4 * count) : out_room(writing->out, 4 * count);
	if (!p)
		return NULL;
	for (size_t i = 0; i < count; i++)
		tt6_store_word(writer, p + 4 * i, words[i]);
	if (buf)
		buf->size += 4 * count;
	else
		out_commit(writing->out, 4 * count);
	return p;
}

void
tt6_put_bytes(struct writing *writing, const uint8_t *bytes, size_t n)
{
	struct tt6_writer *writer = writing->state;
	if (writer->missing == TT6_MISSING_NONE)
		out_write(writing->out, bytes, n);
	else
		buf_append(&writer->bytes, bytes, n);
}

void
tt6_expect(struct writing *writing, uint32_t pc)
{
	writing->context = TT6_EXPECTS | pc;
}

void
tt6_put_word(struct writing *writing, uint32_t word)
{
	tt6_put_words(writing, &word, 1);
}

void
tt6_put_record(struct writing *writing, unsigned code, const uint32_t *words, uint32_t count)
{
	tt6_put_word(writing, code << 16 | count);
	for (uint32_t i = 0; i < count; i++)
		tt6_put_word(writing, words[i]);
}

void
tt6_put_escape(struct writing *writing, unsigned code, uint64_t value)
{
	const uint32_t words[] = {(uint32_t)(value >> 32), (uint32_t)value};
	const bool is_wide = words[0] != 0;
	tt6_put_record(writing, code, words + !is_wide, 1u + is_wide);
}
