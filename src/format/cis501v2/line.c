/* SPDX-License-Identifier: MIT */
/* Lines of the second format of CIS 501. spec: traces of Penn CIS 501, fall 2016 */
#include "format/cis501v2/line.h"

#include "base/num.h"

#include <stdio.h>

#define FIELDS 13

static const char *const types[] = {"_", "CD", "CI", "UD", "UI", NULL};

/* Registers in the order of their numbers. */
static const char *const registers[] = {"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8",
	"r9", "r10", "r11", "r12", "sp", "lr", "pc", "_", NULL};

/* Letters of the column flags, in the order of enum poly_flags. */
static const char flag_letters[] = "_RWB";

struct v2_word {
	const char *text;
	size_t length;
};

/* Splits a line of n bytes without its newline into fields; returns their number. */
static unsigned
split(const char *text, size_t n, struct v2_word words[FIELDS])
{
	const char *end = text + n;
	unsigned count = 0;
	for (;; count++) {
		const char *tab = memchr(text, '\t', (size_t)(end - text));
		const char *stop = tab ? tab : end;
		if (count < FIELDS)
			words[count] = (struct v2_word){text, (size_t)(stop - text)};
		if (!tab)
			return count + 1;
		text = tab + 1;
	}
}

/* Removes the blanks around a field. */
static void
trim(struct v2_word *word)
{
	while (word->length && *word->text == ' ') {
		word->text++;
		word->length--;
	}
	while (word->length && word->text[word->length - 1] == ' ')
		word->length--;
}

/* Returns the index of a word in a list; -1 if absent. */
static int
find_word(const char *const *list, const struct v2_word *word)
{
	for (int i = 0; list[i]; i++) {
		if (strlen(list[i]) == word->length &&
			memcmp(list[i], word->text, word->length) == 0)
			return i;
	}
	return -1;
}

static bool
parse_hex(const struct v2_word *word, uint32_t *value)
{
	uint64_t v;
	if (!num_parse_hex(word->text, word->length, &v) || v > UINT32_MAX)
		return false;
	*value = (uint32_t)v;
	return true;
}

static bool
parse_decimal(const struct v2_word *word, uint32_t *value)
{
	uint64_t v;
	bool good = word->length <= 10 && num_parse(word->text, word->length, &v) && v <= 255;
	if (good)
		*value = (uint32_t)v;
	return good;
}

static bool
parse_name(const char *const *list, const struct v2_word *word, unsigned *value)
{
	int i = find_word(list, word);
	*value = (unsigned)i;
	return i >= 0;
}

static bool
parse_letter(const char *letters, const struct v2_word *word, char *letter)
{
	*letter = word->length == 1 ? *word->text : 0;
	return *letter && strchr(letters, *letter);
}

bool
cis501v2_is_text(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (text[i] < ' ' || text[i] > '~')
			return false;
	}
	return n <= CIS501V2_LINE_MAX;
}

static bool
parse_text(const struct v2_word *word, struct cis501v2 *op)
{
	op->text = word->text;
	op->length = word->length;
	return cis501v2_is_text(word->text, word->length);
}

static bool
parse_field(struct cis501v2 *op, unsigned field, const struct v2_word *word)
{
	char letter;
	bool good;
	switch (field) {
	case 0: return parse_hex(word, &op->pc);
	case 1: return parse_decimal(word, &op->opcode_size);
	case 2: return parse_name(types, word, &op->type);
	case 3: return parse_letter("TN_", word, &op->direction);
	case 4: return parse_hex(word, &op->target);
	case 5: return parse_letter("LS_", word, &op->access);
	case 6:
		op->address_text = word->text;
		op->address_length = word->length;
		return parse_hex(word, &op->address);
	case 7: return parse_decimal(word, &op->size);
	case 8:
		good = parse_letter(flag_letters, word, &letter);
		op->flags = good ? (unsigned)(strchr(flag_letters, letter) - flag_letters) : 0;
		return good;
	case 9: return parse_name(registers, word, &op->dest);
	case 10: return parse_name(registers, word, &op->src1);
	case 11: return parse_name(registers, word, &op->src2);
	default: return parse_text(word, op);
	}
}

static void
set_fault(
	const char *text, const struct v2_word *word, unsigned field, struct line_fault *fault)
{
	static const char *const names[FIELDS] = {"pc", "size", "branch type", "direction",
		"target", "memory", "memory address", "access size", "flags", "dest", "src1",
		"src2", "assembly"};
	static const char *const expected[FIELDS] = {"a hexadecimal number of 32 bits",
		"a decimal number up to 255", "CD, CI, UD, UI or _", "T, N or _",
		"a hexadecimal number of 32 bits", "L, S or _",
		"a hexadecimal number of 32 bits", "a decimal number up to 255", "R, W, B or _",
		"r0 to r12, sp, lr, pc or _", "r0 to r12, sp, lr, pc or _",
		"r0 to r12, sp, lr, pc or _", "printable characters"};
	line_set_fault(fault, V01, (size_t)(word->text - text) + 1,
		"field %u, %s, is '%.*s', expected %s", field + 1, names[field],
		line_shown((const uint8_t *)word->text, word->length), word->text,
		expected[field]);
}

enum v2_record
cis501v2_parse(const char *text, size_t n, struct cis501v2 *op, struct line_fault *fault)
{
	struct v2_word words[FIELDS];
	if (n && text[n - 1] == '\n')
		n--;
	if (n && text[n - 1] == '\r')
		n--;
	unsigned count = split(text, n, words);
	struct v2_word line = {text, n};
	trim(&line);
	if (line.length == 0)
		return BLANK;
	if (count != FIELDS) {
		line_set_fault(
			fault, V01, 0, "%u fields between tabs, expected %d", count, FIELDS);
		return CORRUPT;
	}
	for (unsigned i = 0; i < FIELDS; i++) {
		if (i + 1 < FIELDS)
			trim(&words[i]);
		if (parse_field(op, i, &words[i]))
			continue;
		set_fault(text, &words[i], i, fault);
		return CORRUPT;
	}
	return (enum v2_record)op->type;
}

size_t
cis501v2_print(char *dst, const struct cis501v2 *op)
{
	int n = snprintf(dst, CIS501V2_PRINT_ROOM,
		"%08x\t%u\t%2s\t%c\t%08x\t%c\t%08x\t%u\t%c\t%3s\t%3s\t%3s\t", op->pc,
		op->opcode_size, types[op->type], op->direction, op->target, op->access,
		op->address, op->size, flag_letters[op->flags], registers[op->dest],
		registers[op->src1], registers[op->src2]);
	memcpy(dst + n, op->text, op->length);
	dst[(size_t)n + op->length] = '\n';
	return (size_t)n + op->length + 1;
}

bool
cis501v2_is_exact(const char *text, size_t n, const struct cis501v2 *op)
{
	char again[CIS501V2_LINE_MAX + CIS501V2_PRINT_ROOM];
	bool nothing_hidden = op->access != '_' || (op->address == 0 && op->size == 0);
	return nothing_hidden && cis501v2_print(again, op) == n && memcmp(again, text, n) == 0;
}

const char *
cis501v2_type(unsigned type)
{
	return types[type];
}
