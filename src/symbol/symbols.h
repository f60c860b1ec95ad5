/* SPDX-License-Identifier: MIT */
/* Symbol tables under construction, and their sources. */
#ifndef SYMBOL_SYMBOLS_H
#define SYMBOL_SYMBOLS_H

#include "polytrace/symbols.h"

#include "base/buf.h"

/* Rank of a symbol among those of one address; the largest is preferred. */
enum {
	RANK_LOCAL = 0,
	RANK_WEAK = 1,
	RANK_GLOBAL = 2,
	RANK_UNTYPED = 0, /* neither function nor data */
	RANK_DATA = 3,
	RANK_CODE = 6,
};

/* A symbol of a file. */
struct ranked_symbol {
	struct poly_symbol info; /* the name is set when all symbols are read */
	size_t name;		 /* offset in the names */
	uint64_t end;		 /* first address after its section; 0: unknown */
	unsigned rank;
};

/* A section of code. */
struct symbol_code {
	uint64_t address;
	size_t offset, size; /* in the bytes of all */
};

struct poly_symbols {
	struct ranked_symbol *list; /* by address; of equal addresses the preferred one last */
	size_t count, capacity;
	uint64_t *reach;   /* by index: the last address covered by it or one before it */
	uint32_t *by_name; /* indices sorted by name; of equal names the preferred one first */
	struct buf names;  /* each followed by a NUL */
	const char *isa;   /* of an ELF file, as poly_isa_at lists it; or NULL */
	bool big_endian;   /* that file */
	struct buf code;   /* of all sections */
	struct symbol_code *sections;
	size_t section_count, section_capacity;
};

/*
 * Adds a symbol with a name of n bytes; skips ARM mapping symbols. False: out of memory.
 */
bool symbols_add(struct poly_symbols *symbols, const char *name, size_t n,
	const struct ranked_symbol *symbol);

/* Sorts the symbols and builds the indexes. POLY_ERR_FORMAT: no symbols. POLY_ERR_MEMORY. */
enum poly_status symbols_build_indexes(struct poly_symbols *symbols, struct poly_error *error);

/* Returns the code at an address, as it is in the file, and its bytes up to the end of its
 * section. NULL: no code. */
const uint8_t *symbols_code(const struct poly_symbols *symbols, uint64_t address, size_t *size);

/* Adds the symbols of a list. */
enum poly_status symbols_add_list(
	struct poly_symbols *symbols, const char *text, size_t size, struct poly_error *error);

/* Adds the symbols of an ELF file in memory. */
enum poly_status symbols_add_elf(
	struct poly_symbols *symbols, uint8_t *data, size_t size, struct poly_error *error);

#endif
