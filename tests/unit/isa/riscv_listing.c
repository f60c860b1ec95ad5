/* SPDX-License-Identifier: MIT */
/*
 * Lists RISC-V code for comparisons with other programs. Each line has the offset and the
 * length of an instruction and, if it is known: class, flow, mnemonic, registers read,
 * registers written, distance of the target, accesses (direction, size, base and displacement)
 * and text.
 *
 * usage: riscv_listing riscv32|riscv64 < CODE
 */
#include "isa/isa.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENCODING_MAX = 8 };

static void
list_registers(const struct isa_decoder *decoder, const struct isa_registers *registers)
{
	const char *before = "";
	for (unsigned i = 0; i < ISA_REGISTERS_MAX; i++) {
		if (!(registers->bits[i / 64] >> i % 64 & 1))
			continue;
		printf("%s%s", before, isa_register_name(decoder, i));
		before = ",";
	}
	putchar('\t');
}

static void
list_target(const struct isa_instruction *instruction)
{
	uint64_t target;
	if (isa_target(instruction, 0, &target))
		printf("%" PRId64, (int64_t)target);
	putchar('\t');
}

static void
list_accesses(const struct isa_decoder *decoder, const struct isa_instruction *instruction)
{
	static const char *const directions[] = {"", "R", "W", "RW"};
	for (unsigned i = 0; i < instruction->access_count; i++) {
		const struct isa_access *access = &instruction->accesses[i];
		printf("%s%s%u:%s:%" PRId64, i ? "," : "", directions[access->direction],
			(unsigned)access->size, isa_register_name(decoder, access->base),
			access->displacement);
	}
	putchar('\t');
}

/* Describes the instruction at the beginning of code; returns its bytes, big end first. */
static size_t
describe(struct isa_decoder *decoder, const uint8_t *code, size_t left, uint8_t *encoding,
	struct isa_instruction *instruction)
{
	for (size_t n = 2; n <= ENCODING_MAX && n <= left; n += 2) {
		for (size_t i = 0; i < n; i++)
			encoding[i] = code[n - 1 - i];
		isa_describe(decoder, encoding, n, instruction);
		if (instruction->length == n)
			return n;
	}
	return 2;
}

/* Lists the instruction at offset; returns its length. */
static size_t
list_instruction(struct isa_decoder *decoder, const uint8_t *code, uint64_t offset, size_t left)
{
	struct isa_instruction instruction;
	uint8_t encoding[ENCODING_MAX];
	const size_t n = describe(decoder, code, left, encoding, &instruction);
	const char *text = isa_text(
		decoder, &(struct isa_encoding){.bytes = encoding, .size = n, .pc = offset});
	printf("%" PRIx64 "\t%zu", offset, n);
	if (instruction.cls) {
		printf("\t%s\t%u\t%s\t", isa_class_name((enum isa_class)instruction.cls),
			(unsigned)instruction.flow, instruction.mnemonic);
		list_registers(decoder, &instruction.reads);
		list_registers(decoder, &instruction.writes);
		list_target(&instruction);
		list_accesses(decoder, &instruction);
	}
	if (text)
		printf("%s%s", instruction.cls ? "" : "\t", text);
	putchar('\n');
	return n;
}

int
main(int argc, char **argv)
{
	struct isa_decoder *decoder;
	struct poly_error error;
	size_t size = 0, room = 1 << 20;
	uint8_t *code = malloc(room);
	if (argc != 2 || !code || isa_open(argv[1], &decoder, &error) != POLY_OK)
		return 2;
	for (size_t n; (n = fread(code + size, 1, room - size, stdin)) > 0;) {
		size += n;
		if (size == room && !(code = realloc(code, room *= 2)))
			return 2;
	}
	for (size_t offset = 0; offset + 2 <= size;)
		offset += list_instruction(decoder, code + offset, offset, size - offset);
	isa_close(decoder);
	free(code);
	return 0;
}
