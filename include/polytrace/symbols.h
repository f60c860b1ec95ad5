/* SPDX-License-Identifier: MIT */
/*
 * Symbols: names for addresses, of an ELF file or of a list as nm(1) prints it.
 *
 * A symbol reaches over its size. Where the file states none (or 0), it reaches to the next
 * symbol, at most to the end of its section; the last of a list to the end of its 4 KiB page.
 * One without a size that lies within another one has a name and an address alone.
 *
 * Symbols don't change: any threads may look at them at a time.
 */
#ifndef POLYTRACE_SYMBOLS_H
#define POLYTRACE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "polytrace/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct poly_symbols;

/* One symbol. */
struct poly_symbol {
	const char *name; /* as the file has it: not empty, not demangled */
	uint64_t address; /* in bytes; of ARM functions without the bit that tells Thumb code */
	uint64_t size;	  /* bytes that it reaches over; 0: it lies within another one */
	bool is_code;	  /* a function, or in a section that can be executed */
};

/*
 * Reads the symbols of the file at path ("-": standard input), whatever compresses it. An ELF
 * file gives those of .symtab or, without it, of .dynsym, as far as they are defined: sections,
 * files and thread-local data are no symbols. Any other file is a list with a line a symbol:
 * "address name", "address type name" or "address size type name" with numbers in hexadecimal;
 * lines of undefined symbols, empty ones and those that begin with '#' are passed over. On
 * POLY_OK *symbols belongs to the caller; on failure it is NULL. POLY_ERR_IO: it cannot be
 * read. POLY_ERR_FORMAT: it is neither, or damaged; or it has no symbols. POLY_ERR_LIMIT: it is
 * larger than 2 GiB. POLY_ERR_UNSUPPORTED: it is an ELF file, or compressed, and the build
 * lacks the library. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_symbols_open(
	const char *path, struct poly_symbols **symbols, struct poly_error *error);

/* The same for size bytes at data, which need not stay. */
POLY_API enum poly_status poly_symbols_open_memory(
	const void *data, size_t size, struct poly_symbols **symbols, struct poly_error *error);

/* The i-th symbol from 0, by address; NULL after the last one. Held as long as the symbols. */
POLY_API const struct poly_symbol *poly_symbols_at(
	const struct poly_symbols *symbols, size_t i);

/*
 * The symbol that reaches over an address: of several the one that begins last; of those that
 * begin together a function before data and a global one before a local one. NULL: there is
 * none.
 */
POLY_API const struct poly_symbol *poly_symbols_find(
	const struct poly_symbols *symbols, uint64_t address);

/*
 * The symbol of a name of length bytes: of several a function before data, a global one before
 * a local one, then the one with the lowest address. NULL: there is none.
 */
POLY_API const struct poly_symbol *poly_symbols_named(
	const struct poly_symbols *symbols, const char *name, size_t length);

/* Frees symbols. Accepts NULL. */
POLY_API void poly_symbols_free(struct poly_symbols *symbols);

#ifdef __cplusplus
}
#endif

#endif
