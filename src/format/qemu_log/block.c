/* SPDX-License-Identifier: MIT */
/*
 * Blocks of -d in_asm: lines of an address, the encoding and the text.
 *
 * spec: "Text and event logs", sections 1.2 and 1.3.
 */
#include "format/qemu_log/qemu_log.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/vec.h"

#include <string.h>

/* Maximum instructions of a block, as the map holds their number. */
#define BLOCK_MAX 0xffff

/* Maximum bytes of an encoding. */
#define ENCODING_MAX 16

bool
log_skip_hex(struct log_line *line, uint64_t *value, unsigned *digits)
{
	size_t n = 2;
	if (!log_begins(line, "0x"))
		return false;
	while (n < line->size && num_hex_digit(line->text[n]) >= 0)
		n++;
	if (n == 2 || n > 18 || !num_parse_hex(line->text + 2, n - 2, value))
		return false;
	*digits = (unsigned)n - 2;
	line->text += n;
	line->size -= n;
	return true;
}

static void
skip_blanks(struct log_line *line)
{
	while (line->size && (*line->text == ' ' || *line->text == '\t')) {
		line->text++;
		line->size--;
	}
}

/* Returns the number of hexadecimal digits at the front. */
static size_t
digits_of(const struct log_line *line)
{
	size_t n = 0;
	while (n < line->size && num_hex_digit(line->text[n]) >= 0)
		n++;
	return n;
}

/* Skips a group of the encoding, of as many digits as the first one (0: any); returns its
 * digits, 0: there is none. */
static size_t
skip_group(struct log_line *line, size_t width, uint8_t *bytes)
{
	const size_t n = digits_of(line);
	const bool ends = n == line->size || line->text[n] == ' ';
	if (!ends || (width ? n != width : n != 2 && n != 4 && n != 8))
		return 0;
	for (size_t i = 0; i < n; i += 2)
		bytes[i / 2] = (uint8_t)(num_hex_digit(line->text[i]) << 4 |
					 num_hex_digit(line->text[i + 1]));
	line->text += n;
	line->size -= n;
	return n;
}

/* Skips an encoding, which two blanks or the end follow; returns its bytes, 0: there is none.
 */
static size_t
skip_encoding(struct log_line *line, uint8_t bytes[ENCODING_MAX], size_t *width)
{
	struct log_line rest = *line;
	size_t n = skip_group(&rest, 0, bytes) / 2;
	*width = 2 * n;
	while (n && n + *width / 2 <= ENCODING_MAX && rest.size > 1 && rest.text[1] != ' ') {
		struct log_line next = {rest.text + 1, rest.size - 1};
		const size_t digits = skip_group(&next, *width, bytes + n);
		if (!digits)
			break;
		n += digits / 2;
		rest = next;
	}
	if (!n || (rest.size && (rest.size < 2 || rest.text[1] != ' ')))
		return 0;
	*line = rest;
	return n;
}

/* Stores an encoding of n bytes in an instruction, after those that it has. */
static void
add_encoding(struct log_blocks *blocks, struct log_instruction *instruction,
	const uint8_t *bytes, size_t n)
{
	if (instruction->size + n > ENCODING_MAX)
		return;
	if (!instruction->size)
		instruction->bytes = (uint32_t)blocks->texts.size;
	buf_append(&blocks->texts, bytes, n);
	for (size_t i = 0; i < n; i++)
		instruction->opcode = instruction->opcode << 8 | bytes[i];
	instruction->size = (uint8_t)(instruction->size + n);
}

/* Returns whether the bytes of a line continue the encoding of the last instruction, as of x86
 * after eight. */
static bool
continues(
	const struct log_blocks *blocks, const struct log_line *rest, uint64_t pc, size_t width)
{
	const struct log_instruction *last =
		blocks->count > blocks->first ? &blocks->list[blocks->count - 1] : NULL;
	return last && width == 2 && !rest->size && last->size && !(last->size % 8) &&
	       pc == last->pc + last->size &&
	       blocks->texts.size == (size_t)last->bytes + last->size;
}

void
log_block_begin(struct log_blocks *blocks)
{
	log_block_end(blocks);
	blocks->first = blocks->count;
	blocks->is_open = true;
}

/* Adds an instruction to the open block. */
static void
add_instruction(struct log_blocks *blocks, uint64_t pc, const struct log_line *text,
	const uint8_t *bytes, size_t n)
{
	blocks->is_full |= blocks->count == QEMU_LOG_INSTRUCTIONS_MAX ||
			   blocks->texts.size > UINT32_MAX / 2;
	if (blocks->is_full || blocks->count - blocks->first == BLOCK_MAX)
		return;
	if (!VEC_ROOM(blocks->list, blocks->capacity, blocks->count)) {
		blocks->no_memory = true;
		return;
	}
	struct log_instruction *added = &blocks->list[blocks->count++];
	*added = (struct log_instruction){.pc = pc};
	added->text = (uint32_t)blocks->texts.size;
	added->text_size = (uint16_t)(text->size < UINT16_MAX ? text->size : UINT16_MAX);
	buf_append(&blocks->texts, text->text, added->text_size);
	if (n)
		add_encoding(blocks, added, bytes, n);
}

bool
log_block_line(struct log_blocks *blocks, const struct log_line *line, enum log_target target)
{
	struct log_line rest = *line;
	uint8_t bytes[ENCODING_MAX];
	uint64_t pc;
	unsigned digits;
	size_t width = 0;
	if (!blocks->is_open || !log_skip_hex(&rest, &pc, &digits) || !rest.size ||
		*rest.text != ':')
		return false;
	rest.text++;
	rest.size--;
	skip_blanks(&rest);
	/* MIPS has no encodings, and names of instructions that look like them. */
	const size_t n = target == LOG_MIPS ? 0 : skip_encoding(&rest, bytes, &width);
	skip_blanks(&rest);
	if (n && continues(blocks, &rest, pc, width)) {
		struct log_instruction *last = &blocks->list[blocks->count - 1];
		add_encoding(blocks, last, bytes, n);
		return true;
	}
	while (rest.size && rest.text[rest.size - 1] == ' ')
		rest.size--;
	const uint32_t before = blocks->count;
	add_instruction(blocks, pc, &rest, bytes, n);
	if (blocks->count > before)
		blocks->list[before].has_halfwords = width == 4;
	return true;
}

/* Returns whether the open block is the same as the one that its address has. */
static bool
is_known(const struct log_blocks *blocks, uint32_t count, uint64_t known)
{
	const struct log_instruction *now = &blocks->list[blocks->first],
				     *old = &blocks->list[known >> 16];
	if ((known & BLOCK_MAX) != count)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		if (now[i].pc != old[i].pc || now[i].opcode != old[i].opcode ||
			now[i].size != old[i].size || now[i].text_size != old[i].text_size ||
			memcmp(blocks->texts.data + now[i].text,
				blocks->texts.data + old[i].text, now[i].text_size) != 0)
			return false;
	}
	return true;
}

void
log_block_end(struct log_blocks *blocks)
{
	const uint32_t count = blocks->count - blocks->first;
	if (!blocks->is_open)
		return;
	blocks->is_open = false;
	blocks->no_memory |= blocks->texts.failed;
	if (!count || blocks->no_memory)
		return;
	const uint64_t pc = blocks->list[blocks->first].pc;
	const uint64_t *known = map_find(&blocks->by_pc, pc);
	if (known && is_known(blocks, count, *known)) {
		blocks->texts.size = blocks->list[blocks->first].text;
		blocks->count = blocks->first;
		return;
	}
	bool added;
	uint64_t *place = map_get(&blocks->by_pc, pc, 0, &added);
	blocks->no_memory |= !place;
	if (place)
		*place = (uint64_t)blocks->first << 16 | count;
}

uint32_t
log_block_find(const struct log_blocks *blocks, uint64_t pc, uint32_t *first)
{
	const uint64_t *known = map_find(&blocks->by_pc, pc);
	if (!known)
		return 0;
	*first = (uint32_t)(*known >> 16);
	return (uint32_t)(*known & BLOCK_MAX);
}

void
log_blocks_free(struct log_blocks *blocks)
{
	mem_free(blocks->list);
	buf_free(&blocks->texts);
	map_free(&blocks->by_pc);
}
