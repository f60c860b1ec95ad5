/* SPDX-License-Identifier: MIT */
/*
 * What instructions do: one interface for every instruction set. A description is derived from
 * the encoding alone, so that it holds at every address and can be cached by encoding.
 *
 * One thread at a time per decoder; a description is a value without pointers to it.
 */
#ifndef ISA_ISA_H
#define ISA_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "polytrace/status.h"

/* What an instruction is for. Loads and stores are instructions that only move data between
 * registers and memory; one that also computes is of the class of its operation. */
enum isa_class {
	ISA_UNKNOWN,  /* the encoding, or the instruction set, is not known */
	ISA_INTEGER,  /* moves, arithmetic, logic and comparisons of integers; hints */
	ISA_MULTIPLY, /* of integers */
	ISA_DIVIDE,   /* of integers */
	ISA_FLOAT,    /* scalar floating point */
	ISA_VECTOR,   /* any arithmetic on vectors */
	ISA_LOAD,
	ISA_STORE,
	ISA_ATOMIC, /* reads and writes memory as one; load-reserved and store-conditional */
	ISA_BRANCH, /* all that sets the next pc, except traps and returns from them */
	ISA_CACHE,  /* cache operations and prefetches */
	ISA_FENCE,  /* memory and instruction barriers */
	ISA_SYSTEM, /* traps, returns from them, control registers */
	ISA_CLASS_COUNT
};

/* Control flow; bits. 0: continues with the next instruction. */
enum isa_flow {
	ISA_JUMPS = 1,	     /* is a branch */
	ISA_CONDITIONAL = 2, /* may fall through */
	ISA_INDIRECT = 4,    /* the target is not in the encoding */
	ISA_CALLS = 8,	     /* stores a return address */
	ISA_RETURNS = 16,
	ISA_DELAYED = 32, /* has a delay slot */
	ISA_ANNULS = 64,  /* annuls the delay slot when it falls through */
};

/* How a target follows from the address of its branch. */
enum isa_target {
	ISA_TARGET_NONE,     /* not a branch, or an indirect one */
	ISA_TARGET_RELATIVE, /* pc + target */
	ISA_TARGET_ABSOLUTE, /* target */
	ISA_TARGET_REGION,   /* target within the aligned 256 MB of the delay slot (MIPS J) */
};

/* A set of registers, numbered by the instruction set (isa_register_name): bit n % 64 of word
 * n / 64. */
#define ISA_REGISTERS_MAX 128
struct isa_registers {
	uint64_t bits[ISA_REGISTERS_MAX / 64];
};

enum isa_direction { ISA_READS = 1, ISA_WRITES = 2 };

/* A data access: base + index * scale + displacement. Instruction fetches are not accesses. */
#define ISA_NO_REGISTER 255
#define ISA_ACCESSES_MAX 2
struct isa_access {
	uint8_t direction; /* bits of enum isa_direction */
	uint8_t base;	   /* register, ISA_NO_REGISTER: none */
	uint8_t index;	   /* register, ISA_NO_REGISTER: none */
	uint8_t scale;	   /* a power of 2; 0: the index counts in another way */
	uint32_t size;	   /* bytes; 0: not known from the encoding */
	int64_t displacement;
};

/* A description. All 0: nothing is known. */
struct isa_instruction {
	char mnemonic[24];   /* without operands and width suffixes; "": not known */
	uint8_t length;	     /* bytes of the encoding; 0: not known */
	uint8_t cls;	     /* enum isa_class */
	uint8_t flow;	     /* bits of enum isa_flow */
	uint8_t target_kind; /* enum isa_target */
	bool has_registers;  /* reads and writes are known */
	bool has_accesses;   /* accesses are known; implies that access_count 0 is none */
	uint8_t access_count;
	int64_t target; /* bytes, or the address, by target_kind */
	struct isa_registers reads, writes;
	struct isa_access accesses[ISA_ACCESSES_MAX];
};

/* An encoding at an address, in the order of isa_describe. */
struct isa_encoding {
	const uint8_t *bytes;
	size_t size;
	uint64_t pc;
};

struct isa_decoder;

/*
 * Opens a decoder for an instruction set of poly_isa_at. On POLY_OK *decoder belongs to the
 * caller, who closes it. POLY_ERR_USAGE: no such set; the message lists them.
 * POLY_ERR_UNSUPPORTED: this build has no library for it. POLY_ERR_MEMORY.
 */
enum poly_status isa_open(
	const char *isa, struct isa_decoder **decoder, struct poly_error *error);

/*
 * Describes the instruction whose encoding begins a block of n bytes, in the order of the
 * column opcode: x86 and S/390 in memory order; a 16- or 32-bit word of ARM, AArch64, PowerPC,
 * MIPS, SPARC and RISC-V big end first; Thumb-2 with its first halfword first, each big end
 * first. False: not an instruction of the set (the description has a length if that is
 * known).
 */
bool isa_describe(struct isa_decoder *decoder, const uint8_t *encoding, size_t n,
	struct isa_instruction *instruction);

/* The same for the columns opcode and opcode_size (1 to 8). */
bool isa_describe_opcode(struct isa_decoder *decoder, uint64_t opcode, unsigned size,
	struct isa_instruction *instruction);

/* Returns the text of an instruction of exactly these bytes, as poly_disasm_bytes does; NULL:
 * not an instruction. Valid until the next call with this decoder. */
const char *isa_text(struct isa_decoder *decoder, const struct isa_encoding *encoding);

/* Returns whether the target of a branch at pc is known from its encoding; then sets *target.
 */
bool isa_target(const struct isa_instruction *instruction, uint64_t pc, uint64_t *target);

/* The name of a register in assembler's notation, static; NULL: no such register. */
const char *isa_register_name(const struct isa_decoder *decoder, unsigned number);

/* The name of a class as reports print it, static. */
const char *isa_class_name(enum isa_class cls);

/* Bytes of the branch delay slot of a set; and bytes after the return address to which a call
 * may return, too. */
unsigned isa_delay(const struct isa_decoder *decoder);
unsigned isa_slack(const struct isa_decoder *decoder);

/* Returns the instruction set of this name if it describes instructions in this build, and not
 * only prints their text; else NULL. Accepts NULL. */
const char *isa_described(const char *name);

/* Returns the bits of a set's addresses, if the same encodings mean others in a set of more
 * bits; else 64. Accepts NULL. */
unsigned isa_address_bits(const char *name);

/* Returns the bytes of a set's longest encoding; 0: no such set. Accepts NULL. */
unsigned isa_length_max(const char *name);

/* Returns the number of a set's stack pointer; ISA_NO_REGISTER: no such set, or not known.
 * Accepts NULL. */
unsigned isa_stack_register(const char *name);

/* Returns the number of the register in which a set's calls store the return address, as it is;
 * ISA_NO_REGISTER: no such set, or none. Accepts NULL. */
unsigned isa_link_register(const char *name);

/* Cache operations on the line of the address, as instructions request them. */
enum isa_cache {
	ISA_CACHE_NONE,
	ISA_CACHE_CLEAN,      /* writes a dirty line back */
	ISA_CACHE_FLUSH,      /* writes a dirty line back, and invalidates it */
	ISA_CACHE_INVALIDATE, /* invalidates a line without writing it back */
	ISA_CACHE_ALLOCATE,   /* is a write of the whole line, which need not be read */
	ISA_CACHE_CODE,	      /* invalidates a line of the instruction cache */
	ISA_CACHE_PREFETCH,   /* prefetches a line */
	ISA_CACHE_STREAM,     /* prefetches blocks that the register operand describes */
};
typedef enum isa_cache isa_cache_fn(uint64_t opcode);

/* Returns the function that determines the cache operation of an opcode of a set; NULL: the set
 * has none. Accepts NULL. */
isa_cache_fn *isa_cache_operations(const char *name);

/* Returns whether the register of a name, in any case, is one for control and status of a set;
 * false if the set does not distinguish them. Accepts NULL as the set's name. */
bool isa_is_control_register(const char *isa, const char *name);

/* Returns whether an instruction of a set reads a time or performance counter; false if that is
 * not known. Accepts NULL as the set's name. */
bool isa_reads_counter(const char *isa, uint64_t opcode);

/* Finds the registers of a name, in any case: one of isa_register_name, or a group or part of
 * them that the set names. False: no such register. Accepts NULL as the set's name. */
bool isa_registers_named(const char *isa, const char *name, struct isa_registers *registers);

/* Returns a set's registers in words, static; NULL: it has no numbers of registers. Accepts
 * NULL. */
const char *isa_register_list(const char *name);

/* Returns the mnemonic of the i-th line of a set's table of instructions from 0, and its class;
 * "": the line has none. NULL: after the last one, or the set has no table. Static. Accepts
 * NULL as the set's name. */
const char *isa_mnemonic_at(const char *isa, size_t i, enum isa_class *cls);

/* Returns the name of an instruction set, static; NULL, and an error that lists them, for any
 * other. */
const char *isa_find(const char *name, struct poly_error *error);

/* Frees a decoder. Accepts NULL. */
void isa_close(struct isa_decoder *decoder);

#endif
