/* SPDX-License-Identifier: MIT */
/*
 * Lists descriptions of encodings for comparisons with other programs. Each line of standard
 * input is an encoding in hexadecimal, in the order of the column opcode; each line of the
 * output has length, class, flow, distance of the target from pc 0, registers read, registers
 * written, accesses (direction, size, base, index, scale and displacement) and text, and for an
 * unknown encoding only a length of 0.
 *
 * usage: isa_listing ISA < ENCODINGS
 */
#include "isa/isa.h"

#include "base/num.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENCODING_MAX = 32 };

static void
list_registers(const struct isa_decoder *decoder, const struct isa_registers *registers)
{
	const char *before = "";
	for (unsigned i = 0; i < ISA_REGISTERS_MAX; i++) {
		if (!(registers->bits[i / 64] >> i % 64 & 1))
			continue;
		printf("%s%s", before, isa_register_name(decoder, i));
		before = " ";
	}
	putchar('\t');
}

static const char *
name_or_none(const struct isa_decoder *decoder, unsigned number)
{
	const char *name = isa_register_name(decoder, number);
	return name ? name : "";
}

static void
list_instruction(const struct isa_decoder *decoder, const struct isa_instruction *instruction)
{
	static const char *const directions[] = {"", "R", "W", "RW"};
	uint64_t target;
	printf("%u\t%s\t%u\t", (unsigned)instruction->length,
		isa_class_name((enum isa_class)instruction->cls), (unsigned)instruction->flow);
	if (isa_target(instruction, 0, &target))
		printf("%" PRId64, (int64_t)target);
	putchar('\t');
	list_registers(decoder, &instruction->reads);
	list_registers(decoder, &instruction->writes);
	for (unsigned i = 0; i < instruction->access_count; i++) {
		const struct isa_access *access = &instruction->accesses[i];
		printf("%s%s:%u:%s:%s:%u:%" PRId64, i ? " " : "", directions[access->direction],
			(unsigned)access->size, name_or_none(decoder, access->base),
			name_or_none(decoder, access->index), (unsigned)access->scale,
			access->displacement);
	}
	printf("%s\t", instruction->has_accesses ? "" : "?");
}

int
main(int argc, char **argv)
{
	struct isa_decoder *decoder;
	struct poly_error error;
	char line[2 * ENCODING_MAX + 2];
	if (argc != 2)
		return 2;
	const enum poly_status status = isa_open(argv[1], &decoder, &error);
	if (status != POLY_OK)
		return status == POLY_ERR_UNSUPPORTED ? 77 : 2;
	while (fgets(line, sizeof line, stdin)) {
		uint8_t encoding[ENCODING_MAX];
		struct isa_instruction instruction;
		size_t n = strcspn(line, "\n") / 2;
		for (size_t i = 0; i < n; i++) {
			uint64_t byte = 0;
			num_parse_hex(line + 2 * i, 2, &byte);
			encoding[i] = (uint8_t)byte;
		}
		if (!isa_describe(decoder, encoding, n, &instruction)) {
			puts("0");
			continue;
		}
		list_instruction(decoder, &instruction);
		const char *text =
			isa_text(decoder, &(struct isa_encoding){.bytes = encoding, .size = n});
		puts(text ? text : "");
	}
	isa_close(decoder);
	return 0;
}
