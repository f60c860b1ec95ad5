/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any file as symbols. They are in order, found by name, and a symbol that is
 * found for an address reaches over it.
 */
#include "polytrace/symbols.h"

#include <stdlib.h>
#include <string.h>

/* Number of symbols that are checked. */
#define MOST 200

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool holds)
{
	if (!holds)
		abort();
}

static void
look_up(const struct poly_symbols *symbols, const struct poly_symbol *symbol)
{
	const uint64_t last = symbol->address + (symbol->size ? symbol->size - 1 : 0);
	const uint64_t places[] = {symbol->address, last, last + 1, symbol->address - 1};
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		const struct poly_symbol *found = poly_symbols_find(symbols, places[i]);
		must(!found || places[i] - found->address < found->size);
		/* Some symbol covers every address that this one covers. */
		must(found || !symbol->size || places[i] - symbol->address >= symbol->size);
	}
	const struct poly_symbol *named =
		poly_symbols_named(symbols, symbol->name, strlen(symbol->name));
	must(named && strcmp(named->name, symbol->name) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct poly_symbols *symbols;
	struct poly_error error;
	if (poly_symbols_open_memory(data, size, &symbols, &error) != POLY_OK)
		return 0;
	const struct poly_symbol *symbol;
	uint64_t before = 0;
	for (size_t i = 0; i < MOST && (symbol = poly_symbols_at(symbols, i)); i++) {
		must(symbol->address >= before && *symbol->name);
		before = symbol->address;
		look_up(symbols, symbol);
	}
	poly_symbols_free(symbols);
	return 0;
}
