/* SPDX-License-Identifier: MIT */
/*
 * Symbols: names of addresses, from an ELF file or from a list as nm(1) prints it.
 *
 * A symbol covers the addresses of its size. If the file states none (or 0), it extends to the
 * next symbol, at most to the end of its section; the last one of a list to the end of its 4
 * KiB page. A symbol without a size that lies within another one has only a name and an
 * address.
 *
 * Of an ELF file the code is stored, too, for readers (poly_read_options).
 *
 * Symbols are immutable: threads may share them.
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
	const char *name; /* as in the file: not empty, not demangled */
	uint64_t address; /* in bytes; of ARM functions without the Thumb bit */
	uint64_t size;	  /* in bytes; 0: it lies within another symbol */
	bool is_code;	  /* a function, or in an executable section */
};

/*
 * Reads the symbols of the file at path ("-": standard input), decompressed if necessary.
 * Of an ELF file it reads the defined symbols of .symtab or, without it, of .dynsym, except
 * sections, files and thread-local data. Any other file is a list with one line per symbol:
 * "address name", "address type name" or "address size type name" with numbers in hexadecimal;
 * lines of undefined symbols, empty lines and those that begin with '#' are skipped. On
 * POLY_OK *symbols belongs to the caller; on failure it is NULL. POLY_ERR_IO: it cannot be
 * read. POLY_ERR_FORMAT: it is neither, is corrupt, or has no symbols. POLY_ERR_LIMIT: it is
 * larger than 2 GiB. POLY_ERR_UNSUPPORTED: it is an ELF file or compressed, and the build lacks
 * the library. POLY_ERR_MEMORY.
 */
POLY_API enum poly_status poly_symbols_open(
	const char *path, struct poly_symbols **symbols, struct poly_error *error);

/* The same for size bytes at data, which the symbols do not refer to. */
POLY_API enum poly_status poly_symbols_open_memory(
	const void *data, size_t size, struct poly_symbols **symbols, struct poly_error *error);

/* Returns the i-th symbol from 0, by address; NULL after the last one. Valid as long as the
 * symbols. */
POLY_API const struct poly_symbol *poly_symbols_at(
	const struct poly_symbols *symbols, size_t i);

/*
 * Returns the symbol that covers an address: of several the one that begins last; of those with
 * the same start a function before data and a global one before a local one. NULL: none.
 */
POLY_API const struct poly_symbol *poly_symbols_find(
	const struct poly_symbols *symbols, uint64_t address);

/*
 * Returns the symbol of a name of length bytes: of several a function before data, a global one
 * before a local one, then the one with the lowest address. NULL: none.
 */
POLY_API const struct poly_symbol *poly_symbols_named(
	const struct poly_symbols *symbols, const char *name, size_t length);

/* Frees symbols. Accepts NULL. */
POLY_API void poly_symbols_free(struct poly_symbols *symbols);

#ifdef __cplusplus
}
#endif

#endif
