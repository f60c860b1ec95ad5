/* SPDX-License-Identifier: MIT */
/* Symbols while they are gathered, and where they come from. */
#ifndef SYMBOL_SYMBOLS_H
#define SYMBOL_SYMBOLS_H

#include "polytrace/symbols.h"

#include "base/buf.h"

/* How good a symbol is as the name of its address; the larger, the better. */
enum {
	RANK_LOCAL = 0,
	RANK_WEAK = 1,
	RANK_GLOBAL = 2,
	RANK_UNTYPED = 0, /* neither function nor data */
	RANK_DATA = 3,
	RANK_CODE = 6,
};

/* A symbol, as its file tells it. */
struct symbol {
	struct poly_symbol told; /* name: set when all are there */
	size_t name;		 /* offset in the names */
	uint64_t end;		 /* first address behind its section; 0: not known */
	unsigned rank;
};

struct poly_symbols {
	struct symbol *list; /* by address; of equal addresses the best one last */
	size_t count, capacity;
	uint64_t *reach;   /* by number: the last address that it or one before it reaches */
	uint32_t *by_name; /* numbers by name; of equal names the best one first */
	struct buf names;  /* each with a NUL */
};

/*
 * Adds a symbol with a name of n bytes; names that only mark code or data of ARM are passed
 * over. False: no memory.
 */
bool symbols_add(
	struct poly_symbols *symbols, const char *name, size_t n, const struct symbol *symbol);

/* Adds the symbols of a list. */
enum poly_status symbols_add_list(
	struct poly_symbols *symbols, const char *text, size_t size, struct poly_error *error);

/* Adds the symbols of an ELF file in memory. */
enum poly_status symbols_add_elf(
	struct poly_symbols *symbols, uint8_t *data, size_t size, struct poly_error *error);

#endif
