/* SPDX-License-Identifier: MIT */
/*
 * Declarations shared by the files of the format qemu-log: translated blocks, and register
 * dumps of each processor.
 *
 * spec: QEMU user manual, "-d item1[,...]"; "Text and event logs", section 1.
 */
#ifndef FORMAT_QEMU_LOG_H
#define FORMAT_QEMU_LOG_H

#include "base/buf.h"
#include "base/map.h"
#include "format/core/format.h"

#include <string.h>

/* Maximum bytes of a line, and of the instructions that are kept. */
#define QEMU_LOG_LINE_MAX ((size_t)16 << 10)
#define QEMU_LOG_INSTRUCTIONS_MAX ((uint32_t)8 << 20)

/* Maximum lines of a dump. */
#define QEMU_LOG_DUMP_MAX 1024

/* Maximum registers of a processor, and number of processors whose registers are kept. */
#define QEMU_LOG_REGISTERS 72
#define QEMU_LOG_PROCESSORS 256

/* A line without its newline. */
struct log_line {
	const char *text;
	size_t size;
};

/* Returns whether a line begins with a text. */
static inline bool
log_begins(const struct log_line *line, const char *text)
{
	const size_t n = strlen(text);
	return line->size >= n && memcmp(line->text, text, n) == 0;
}

/* The processors whose dumps are known. */
enum log_target {
	LOG_UNKNOWN,
	LOG_X86_64,
	LOG_I386,
	LOG_ARM,
	LOG_AARCH64,
	LOG_PPC,
	LOG_RISCV,
	LOG_MIPS,
	LOG_S390X,
	LOG_TARGETS
};

/* A register dump. */
struct log_dump {
	enum log_target target;
	bool has_pc;
	uint64_t pc;
	unsigned pc_digits;
	bool has_cpu;
	uint32_t cpu;
	bool is_complete; /* it has the last line that all dumps of the target have */
	uint64_t set[2];  /* bit n: register n has a value */
	uint8_t size[QEMU_LOG_REGISTERS]; /* in bytes */
	uint64_t value[QEMU_LOG_REGISTERS];
};

/* Returns the target whose dump begins with a line; LOG_UNKNOWN: none. */
enum log_target log_dump_begins(const struct log_line *line);

/* Adds the registers of a line to a dump, whose target is set; false: not a line of the dump.
 */
bool log_dump_line(struct log_dump *dump, const struct log_line *line);

/* Completes a dump after its last line. */
void log_dump_end(struct log_dump *dump);

/* Formats the name of a register of a target; false: no such register. */
bool log_register_name(enum log_target target, unsigned number, char name[16]);

/* An instruction of a block. */
struct log_instruction {
	uint64_t pc, opcode;
	uint32_t text, bytes; /* offsets in the buffer */
	uint16_t text_size;
	uint8_t size;	    /* of the encoding; 0: unknown */
	bool has_halfwords; /* its encoding was printed as halfwords */
};

/* The blocks that QEMU has translated. */
struct log_blocks {
	struct log_instruction *list; /* in the order of the log */
	uint32_t count, capacity;
	struct buf texts;
	struct map
		by_pc;	/* first instruction of the newest block, times 65536, plus its size */
	uint32_t first; /* of the block that is being read */
	bool is_open;
	bool is_full; /* QEMU_LOG_INSTRUCTIONS_MAX was reached */
	bool no_memory;
};

/* Begins a block; ends the open one. */
void log_block_begin(struct log_blocks *blocks);

/* Adds a line of a block; false: not a line of a block, which it ends. */
bool log_block_line(
	struct log_blocks *blocks, const struct log_line *line, enum log_target target);

/* Ends the open block. */
void log_block_end(struct log_blocks *blocks);

/* Finds the newest block at an address; returns its number of instructions, 0: none. */
uint32_t log_block_find(const struct log_blocks *blocks, uint64_t pc, uint32_t *first);

/* Frees the blocks. */
void log_blocks_free(struct log_blocks *blocks);

/* A line of the plugin execlog. */
struct log_execlog {
	uint64_t cpu, pc, opcode;
	struct log_line text, rest;
	bool is_read;	  /* fields were accesses and names of devices */
	bool has_address; /* the last field was an address, which a device may follow */
};

/* An access of a line of execlog. */
struct log_access {
	uint64_t address;
	bool is_store;
};

/* Parses "CPU, 0xPC, 0xOPCODE, "TEXT", ..."; false: another line. */
bool log_parse_execlog(const struct log_line *line, struct log_execlog *found);

/* Takes the next access; false: there is none. */
bool log_next_access(struct log_execlog *line, struct log_access *access);

/* Parses "Trace CPU: 0xHOST [BASE/PC/FLAGS/CFLAGS] SYMBOL", and counts the digits of the
 * address; false: another line. */
bool log_parse_trace(
	const struct log_line *line, uint32_t *cpu, uint64_t *pc, unsigned *digits);

/* Skips a hexadecimal number with 0x; false: there is none. */
bool log_skip_hex(struct log_line *line, uint64_t *value, unsigned *digits);

/* What the lines at the front show. */
struct log_sample {
	enum log_target target;
	unsigned digits; /* of addresses */
	size_t traces, blocks, dumps, plugin, others, lines;
	bool has_bytes, has_halves; /* forms of encodings */
};

/* Classifies the lines of n bytes at the front of a log. */
void log_sample_take(struct log_sample *sample, const uint8_t *p, size_t n);

/* Returns the instruction set of a log; NULL: undecided. */
const char *log_sample_isa(const struct log_sample *sample);

#endif
