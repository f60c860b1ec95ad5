/* SPDX-License-Identifier: MIT */
/* Symbols by address and by name. */
#include "symbol/symbols.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

/* The last symbol of a list without sizes ends with its 4 KiB page. */
#define PAGE_MASK ((uint64_t)4095)

/* ARM mapping symbols: $a $t $d $x and $a.name. */
static bool
is_mapping_symbol(const char *name, size_t n)
{
	return n >= 2 && name[0] == '$' && memchr("atdx", name[1], 4) &&
	       (n == 2 || name[2] == '.');
}

bool
symbols_add(struct poly_symbols *symbols, const char *name, size_t n,
	const struct ranked_symbol *symbol)
{
	if (!n || is_mapping_symbol(name, n) || memchr(name, 0, n))
		return true;
	if (!VEC_ROOM(symbols->list, symbols->capacity, symbols->count))
		return false;
	struct ranked_symbol *added = &symbols->list[symbols->count++];
	*added = *symbol;
	added->name = symbols->names.size;
	/* A symbol must not wrap around the address space. */
	const uint64_t limit = UINT64_MAX - added->info.address;
	if (added->info.size && added->info.size - 1 > limit)
		added->info.size = limit + 1;
	buf_append(&symbols->names, name, n);
	buf_byte(&symbols->names, 0);
	return !symbols->names.failed && symbols->count < UINT32_MAX;
}

static int
order(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int
by_address(const void *left, const void *right)
{
	const struct ranked_symbol *a = left, *b = right;
	if (a->info.address != b->info.address)
		return order(a->info.address, b->info.address);
	if (a->rank != b->rank)
		return order(a->rank, b->rank);
	return strcmp(b->info.name, a->info.name);
}

/* Indices are ordered by address, so symbols of equal rank are, too. */
static int
compare_names(const struct poly_symbols *symbols, uint32_t a, uint32_t b)
{
	const struct ranked_symbol *x = &symbols->list[a], *y = &symbols->list[b];
	const int names = strcmp(x->info.name, y->info.name);
	if (names)
		return names;
	return x->rank != y->rank ? order(y->rank, x->rank) : order(a, b);
}

/* Sifts an entry of the heap of the first n names down. */
static void
sift(struct poly_symbols *symbols, size_t at, size_t n)
{
	uint32_t *heap = symbols->by_name;
	for (size_t child; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && compare_names(symbols, heap[child], heap[child + 1]) < 0)
			child++;
		if (compare_names(symbols, heap[at], heap[child]) >= 0)
			return;
		const uint32_t kept = heap[at];
		heap[at] = heap[child];
		heap[child] = kept;
	}
}

/* Heap sort: the comparison needs the symbols, and qsort passes no context. */
static void
sort_names(struct poly_symbols *symbols)
{
	uint32_t *heap = symbols->by_name;
	for (size_t i = 0; i < symbols->count; i++)
		heap[i] = (uint32_t)i;
	for (size_t i = symbols->count / 2; i-- > 0;)
		sift(symbols, i, symbols->count);
	for (size_t n = symbols->count; n-- > 1;) {
		const uint32_t largest = heap[0];
		heap[0] = heap[n];
		heap[n] = largest;
		sift(symbols, 0, n);
	}
}

/* Returns the last address of a symbol of a size above 0. */
static uint64_t
last_of(const struct poly_symbol *symbol)
{
	return symbol->address + (symbol->size - 1);
}

/* Returns the size of symbols without one at the address of the i-th, before the next address.
 */
static uint64_t
guess_size(const struct poly_symbols *symbols, size_t i, size_t next)
{
	const struct ranked_symbol *symbol = &symbols->list[i];
	uint64_t last = symbol->info.address | PAGE_MASK;
	if (i && symbols->reach[i - 1] >= symbol->info.address)
		return 0;
	if (next < symbols->count)
		last = symbols->list[next].info.address - 1;
	if (symbol->end > symbol->info.address &&
		(symbol->end - 1 < last || next == symbols->count))
		last = symbol->end - 1;
	return last - symbol->info.address + 1;
}

/* Sets missing sizes of the symbols from i on that have one address; returns the index after
 * them. */
static size_t
resolve_sizes(struct poly_symbols *symbols, size_t i)
{
	size_t next = i;
	uint64_t size = 0, reach = i ? symbols->reach[i - 1] : 0;
	for (; next < symbols->count &&
		symbols->list[next].info.address == symbols->list[i].info.address;
		next++) {
		if (symbols->list[next].info.size > size)
			size = symbols->list[next].info.size;
	}
	if (!size)
		size = guess_size(symbols, i, next);
	for (; i < next; i++) {
		struct poly_symbol *info = &symbols->list[i].info;
		if (!info->size)
			info->size = size;
		if (info->size && last_of(info) > reach)
			reach = last_of(info);
		symbols->reach[i] = reach;
	}
	return next;
}

enum poly_status
symbols_build_indexes(struct poly_symbols *symbols, struct poly_error *error)
{
	if (!symbols->count)
		return err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET, "no symbols found");
	symbols->reach = mem_new(symbols->count, sizeof *symbols->reach);
	symbols->by_name = mem_new(symbols->count, sizeof *symbols->by_name);
	if (!symbols->reach || !symbols->by_name)
		return err_memory(error);
	for (size_t i = 0; i < symbols->count; i++) {
		struct ranked_symbol *symbol = &symbols->list[i];
		symbol->info.name = (const char *)symbols->names.data + symbol->name;
	}
	qsort(symbols->list, symbols->count, sizeof *symbols->list, by_address);
	for (size_t i = 0; i < symbols->count;)
		i = resolve_sizes(symbols, i);
	sort_names(symbols);
	return POLY_OK;
}

const struct poly_symbol *
poly_symbols_at(const struct poly_symbols *symbols, size_t i)
{
	return i < symbols->count ? &symbols->list[i].info : NULL;
}

const struct poly_symbol *
poly_symbols_find(const struct poly_symbols *symbols, uint64_t address)
{
	size_t low = 0, high = symbols->count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (symbols->list[middle].info.address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	/* All symbols before low begin at or before the address. */
	while (low > 0 && symbols->reach[low - 1] >= address) {
		const struct poly_symbol *info = &symbols->list[--low].info;
		if (address - info->address < info->size)
			return info;
	}
	return NULL;
}

/* Compares a symbol's name with one of length bytes. */
static int
compare_to(const char *name, const char *wanted, size_t length)
{
	const int first = strncmp(name, wanted, length);
	return first ? first : name[length] != 0;
}

const struct poly_symbol *
poly_symbols_named(const struct poly_symbols *symbols, const char *name, size_t length)
{
	size_t low = 0, high = symbols->count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct ranked_symbol *symbol = &symbols->list[symbols->by_name[middle]];
		if (compare_to(symbol->info.name, name, length) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == symbols->count)
		return NULL;
	const struct poly_symbol *found = &symbols->list[symbols->by_name[low]].info;
	return compare_to(found->name, name, length) == 0 ? found : NULL;
}

const uint8_t *
symbols_code(const struct poly_symbols *symbols, uint64_t address, size_t *size)
{
	for (size_t i = 0; i < symbols->section_count; i++) {
		const struct symbol_code *section = &symbols->sections[i];
		const uint64_t at = address - section->address;
		if (at >= section->size)
			continue;
		*size = section->size - (size_t)at;
		return symbols->code.data + section->offset + at;
	}
	return NULL;
}

void
poly_symbols_free(struct poly_symbols *symbols)
{
	if (!symbols)
		return;
	buf_free(&symbols->code);
	mem_free(symbols->sections);
	buf_free(&symbols->names);
	mem_free(symbols->list);
	mem_free(symbols->reach);
	mem_free(symbols->by_name);
	mem_free(symbols);
}
