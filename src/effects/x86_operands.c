/* SPDX-License-Identifier: MIT */
#include "effects/x86_operands.h"

#include "base/bits.h"

#include <stdlib.h>
#include <string.h>

#define GENERAL 16

/* Returns the bytes of a general register by its name. */
static uint8_t
size_of_name(const char *name, size_t n)
{
	const char last = name[n - 1];
	if (last == 'b' || last == 'l' || last == 'h')
		return 1;
	if (*name == 'e' || last == 'd')
		return 4;
	return *name == 'r' && last != 'w' ? 8 : 2;
}

/* Returns the number of a general register by its name; X86_NO_REGISTER: another one. */
static int8_t
register_number(const char *text, size_t n)
{
	char name[8];
	struct isa_registers registers = {{0}};
	if (!n || n >= sizeof name)
		return X86_NO_REGISTER;
	memcpy(name, text, n);
	name[n] = 0;
	if (!isa_registers_named("x86-64", name, &registers))
		return X86_NO_REGISTER;
	for (unsigned i = 0; i < GENERAL; i++) {
		if (bit_test(registers.bits, i))
			return (int8_t)i;
	}
	return X86_NO_REGISTER;
}

/* Parses "rax + rcx*8 - 0x10", up to a bracket. */
static void
parse_address(const char *text, struct x86_operand *operand)
{
	int sign = 1;
	while (*text && *text != ']') {
		const size_t n = strcspn(text, " *]");
		const int8_t number = register_number(text, n);
		if (*text == '-' || *text == '+') {
			sign = *text == '-' ? -1 : 1;
		} else if (n == 3 && memcmp(text, "rip", n) == 0) {
			operand->is_rip = true;
		} else if (text[n] == '*') {
			/* The index of a gather is a vector register. */
			operand->index = number;
			text += n + 1;
			text += strspn(text, "1248");
			continue;
		} else if (number != X86_NO_REGISTER) {
			if (operand->base == X86_NO_REGISTER)
				operand->base = number;
			else
				operand->index = number;
		} else if (*text >= '0' && *text <= '9') {
			operand->value += sign * (int64_t)strtoull(text, NULL, 0);
		}
		text += n + (text[n] == ' ');
	}
}

/* Returns the bytes that a memory operand states: "dword ptr". */
static uint8_t
size_of_memory(const char *text, size_t n)
{
	static const struct {
		const char *word;
		uint8_t size;
	} sizes[] = {{"byte", 1}, {"word", 2}, {"dword", 4}, {"qword", 8}, {"xmmword", 16}};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		const size_t length = strlen(sizes[i].word);
		if (n > length && memcmp(text, sizes[i].word, length) == 0 &&
			text[length] == ' ')
			return sizes[i].size;
	}
	return 0;
}

/* Parses an operand of n characters. */
static struct x86_operand
parse_operand(const char *text, size_t n)
{
	struct x86_operand operand = {
		.number = X86_NO_REGISTER, .base = X86_NO_REGISTER, .index = X86_NO_REGISTER};
	const char *bracket = memchr(text, '[', n);
	if (bracket) {
		operand.kind = X86_OPERAND_MEMORY;
		operand.size = size_of_memory(text, n);
		parse_address(bracket + 1, &operand);
		return operand;
	}
	const bool negative = *text == '-';
	if (text[negative] >= '0' && text[negative] <= '9') {
		operand.kind = X86_OPERAND_IMMEDIATE;
		operand.value = (int64_t)strtoull(text + negative, NULL, 0);
		if (negative)
			operand.value = -operand.value;
		return operand;
	}
	operand.kind = X86_OPERAND_REGISTER;
	operand.number = register_number(text, n);
	operand.size = operand.number == X86_NO_REGISTER ? 0 : size_of_name(text, n);
	return operand;
}

bool
x86_instruction_decode(struct isa_decoder *decoder, const uint8_t *encoding, size_t n,
	struct x86_instruction *instruction)
{
	*instruction = (struct x86_instruction){.count = 0};
	if (!isa_describe(decoder, encoding, n, &instruction->isa))
		return false;
	const struct isa_encoding whole = {.bytes = encoding, .size = n, .pc = 0};
	const char *text = isa_text(decoder, &whole);
	const char *name = text ? strstr(text, instruction->isa.mnemonic) : NULL;
	if (!name || !*instruction->isa.mnemonic)
		return true;
	instruction->has_prefix = name != text;
	instruction->repeats = strncmp(text, "rep", 3) == 0 && name != text;
	name += strcspn(name, " ");
	while (*name && instruction->count < X86_OPERANDS) {
		name += strspn(name, ", ");
		const size_t size = strcspn(name, ",");
		if (size)
			instruction->operands[instruction->count++] = parse_operand(name, size);
		name += size;
	}
	return true;
}
