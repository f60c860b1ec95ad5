/* SPDX-License-Identifier: MIT */
/* The registry of instruction sets, and decoders of them. */
#include "isa/isa.h"

#include "base/err.h"
#include "base/mem.h"
#include "isa/powerpc_state.h"
#include "isa/set.h"
#include "polytrace/disasm.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_SIZE = 256, OPCODE_MAX = 8, NAME_SIZE = 16 };

struct isa_decoder {
	const struct isa_set *set;
	void *state; /* of the set */
	char text[TEXT_SIZE];
};

static const struct isa_set *
set_at(size_t i)
{
	static const struct isa_set *(*const files[])(size_t) = {
		isa_powerpc_at, isa_capstone_at, isa_riscv_at};
	for (size_t file = 0; file < sizeof files / sizeof *files; file++) {
		for (size_t j = 0; files[file](j); j++) {
			if (i-- == 0)
				return files[file](j);
		}
	}
	return NULL;
}

const char *
poly_isa_at(size_t i)
{
	const struct isa_set *set = set_at(i);
	return set ? set->name : NULL;
}

static const struct isa_set *
find_set(const char *name, struct poly_error *error)
{
	char names[240];
	size_t used = 0;
	const struct isa_set *set;
	for (size_t i = 0; (set = set_at(i)) != NULL; i++) {
		if (strcmp(set->name, name) == 0)
			return set;
		if (used < sizeof names)
			used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
				i ? ", " : "", set->name);
	}
	err_usage(error, "unknown instruction set '%s' (expected one of %s)", name, names);
	return NULL;
}

unsigned
isa_address_bits(const char *name)
{
	const struct isa_set *set = name ? find_set(name, NULL) : NULL;
	return set && set->address_bits ? set->address_bits : 64;
}

unsigned
isa_length_max(const char *name)
{
	const struct isa_set *set = name ? find_set(name, NULL) : NULL;
	return !set ? 0 : set->length_max ? set->length_max : 4;
}

unsigned
isa_stack_register(const char *name)
{
	const struct isa_set *set = name ? find_set(name, NULL) : NULL;
	return set && set->stack_register ? set->stack_register : ISA_NO_REGISTER;
}

unsigned
isa_link_register(const char *name)
{
	const struct isa_set *set = name ? find_set(name, NULL) : NULL;
	return set && set->link_register ? set->link_register : ISA_NO_REGISTER;
}

isa_cache_fn *
isa_cache_operations(const char *name)
{
	const struct isa_set *set = name ? find_set(name, NULL) : NULL;
	return set ? set->cache_operation : NULL;
}

const char *
isa_find(const char *name, struct poly_error *error)
{
	const struct isa_set *set = find_set(name, error);
	return set ? set->name : NULL;
}

enum poly_status
isa_open(const char *isa, struct isa_decoder **decoder, struct poly_error *error)
{
	const struct isa_set *set = find_set(isa, error);
	*decoder = NULL;
	if (!set)
		return POLY_ERR_USAGE;
	struct isa_decoder *opened = mem_new(1, sizeof *opened);
	if (!opened)
		return err_memory(error);
	opened->set = set;
	const enum poly_status status =
		set->open ? set->open(set, &opened->state, error) : POLY_OK;
	if (status == POLY_OK)
		*decoder = opened;
	else
		mem_free(opened);
	return status;
}

const char *
isa_described(const char *name)
{
	const struct isa_set *set = name ? find_set(name, NULL) : NULL;
	const bool is_available = set && (!set->is_available || set->is_available());
	return is_available && set->describe ? set->name : NULL;
}

bool
isa_describe(struct isa_decoder *decoder, const uint8_t *encoding, size_t n,
	struct isa_instruction *instruction)
{
	const struct isa_set *set = decoder->set;
	memset(instruction, 0, sizeof *instruction);
	return set->describe && set->describe(set, decoder->state, encoding, n, instruction);
}

bool
isa_describe_opcode(struct isa_decoder *decoder, uint64_t opcode, unsigned size,
	struct isa_instruction *instruction)
{
	uint8_t bytes[OPCODE_MAX];
	const unsigned n = size < OPCODE_MAX ? size : OPCODE_MAX;
	for (unsigned i = n; i-- > 0; opcode >>= 8)
		bytes[i] = (uint8_t)opcode;
	return isa_describe(decoder, bytes, n, instruction);
}

const char *
isa_text(struct isa_decoder *decoder, const struct isa_encoding *encoding)
{
	const struct isa_set *set = decoder->set;
	if (set->address_bits && encoding->pc >> set->address_bits)
		return NULL;
	return set->text(set, decoder->state, encoding, decoder->text, TEXT_SIZE)
		       ? decoder->text
		       : NULL;
}

bool
isa_target(const struct isa_instruction *instruction, uint64_t pc, uint64_t *target)
{
	/* MIPS32 volume II, J: the upper bits are those of the delay slot's address. */
	const uint64_t region = (pc + 4) & ~(uint64_t)0xfffffff;
	switch ((enum isa_target)instruction->target_kind) {
	case ISA_TARGET_RELATIVE: *target = pc + (uint64_t)instruction->target; return true;
	case ISA_TARGET_ABSOLUTE: *target = (uint64_t)instruction->target; return true;
	case ISA_TARGET_REGION: *target = region | (uint64_t)instruction->target; return true;
	case ISA_TARGET_NONE: break;
	}
	return false;
}

const char *
isa_register_name(const struct isa_decoder *decoder, unsigned number)
{
	const struct isa_set *set = decoder->set;
	return set->register_name ? set->register_name(set, number) : NULL;
}

/* Copies a name in lower case; false: it is too long for one of a register. */
static bool
copy_name(const char *name, char lower[NAME_SIZE])
{
	size_t n = strlen(name);
	for (size_t i = 0; i <= n && n < NAME_SIZE; i++)
		lower[i] = (char)tolower((unsigned char)name[i]);
	return n < NAME_SIZE;
}

bool
isa_registers_named(const char *isa, const char *name, struct isa_registers *registers)
{
	const struct isa_set *set = isa ? find_set(isa, NULL) : NULL;
	char lower[NAME_SIZE];
	memset(registers, 0, sizeof *registers);
	if (!set || !set->register_name || !copy_name(name, lower))
		return false;
	for (unsigned i = 0; i < ISA_REGISTERS_MAX; i++) {
		const char *known = set->register_name(set, i);
		if (known && strcmp(known, lower) == 0)
			registers->bits[i / 64] |= (uint64_t)1 << i % 64;
	}
	if (set->add_named)
		set->add_named(set, lower, registers);
	return registers->bits[0] || registers->bits[1];
}

bool
isa_is_control_register(const char *isa, const char *name)
{
	const struct isa_set *set = isa ? find_set(isa, NULL) : NULL;
	struct isa_registers registers;
	if (!set || !set->data_registers)
		return false;
	isa_registers_named(isa, name, &registers);
	for (unsigned i = 0; i < set->data_registers; i++) {
		if (registers.bits[i / 64] >> i % 64 & 1)
			return false;
	}
	return true;
}

bool
isa_reads_counter(const char *isa, uint64_t opcode)
{
	const struct isa_set *set = isa ? find_set(isa, NULL) : NULL;
	return set && set->reads_counter && set->reads_counter(opcode);
}

/* Returns whether one set has a register. */
static bool
has_register(const char *isa, const char *name)
{
	struct isa_registers registers;
	return isa_registers_named(isa, name, &registers) ||
	       (strcmp(isa, "powerpc") == 0 && powerpc_state_find(name) < STATE_REGISTERS);
}

bool
poly_isa_has_register(const char *isa, const char *name)
{
	const char *set;
	if (isa)
		return has_register(isa, name);
	for (size_t i = 0; (set = poly_isa_at(i)); i++) {
		if (has_register(set, name))
			return true;
	}
	return false;
}

const char *
isa_register_list(const char *name)
{
	const struct isa_set *set = name ? find_set(name, NULL) : NULL;
	if (!set || !set->register_name)
		return NULL;
	if (set->register_list)
		return set->register_list;
	for (unsigned i = 0; i < ISA_REGISTERS_MAX; i++) {
		if (set->register_name(set, i))
			return "a register of the instruction set";
	}
	return NULL;
}

const char *
isa_mnemonic_at(const char *isa, size_t i, enum isa_class *cls)
{
	const struct isa_set *set = isa ? find_set(isa, NULL) : NULL;
	return set && set->mnemonic_at ? set->mnemonic_at(set, i, cls) : NULL;
}

unsigned
isa_delay(const struct isa_decoder *decoder)
{
	return decoder->set->delay;
}

unsigned
isa_slack(const struct isa_decoder *decoder)
{
	return decoder->set->slack;
}

const char *
isa_class_name(enum isa_class cls)
{
	static const char *const names[ISA_CLASS_COUNT] = {
		[ISA_UNKNOWN] = "unknown",
		[ISA_INTEGER] = "integer",
		[ISA_MULTIPLY] = "multiply",
		[ISA_DIVIDE] = "divide",
		[ISA_FLOAT] = "float",
		[ISA_VECTOR] = "vector",
		[ISA_LOAD] = "load",
		[ISA_STORE] = "store",
		[ISA_ATOMIC] = "atomic",
		[ISA_BRANCH] = "branch",
		[ISA_CACHE] = "cache",
		[ISA_FENCE] = "fence",
		[ISA_SYSTEM] = "system",
	};
	return names[cls < ISA_CLASS_COUNT ? cls : ISA_UNKNOWN];
}

void
isa_close(struct isa_decoder *decoder)
{
	if (!decoder)
		return;
	if (decoder->set->close)
		decoder->set->close(decoder->state);
	mem_free(decoder);
}
