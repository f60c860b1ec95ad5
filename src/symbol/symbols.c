/* SPDX-License-Identifier: MIT */
/* Symbols by address and by name. */
#include "symbol/symbols.h"

#include "base/err.h"
#include "base/mem.h"
#include "io/in.h"

#include <stdlib.h>
#include <string.h>

/* Largest file of symbols, in bytes. */
#define FILE_MOST ((size_t)2 << 30)
#define BLOCK ((size_t)1 << 20)

/* Where the last symbol of a list, of which nothing else is known, ends. */
#define PAGE_MASK ((uint64_t)4095)

/* $a $t $d $x and $a.name: where code and data begin. */
static bool
is_mark(const char *name, size_t n)
{
	return n >= 2 && name[0] == '$' && memchr("atdx", name[1], 4) &&
	       (n == 2 || name[2] == '.');
}

bool
symbols_add(
	struct poly_symbols *symbols, const char *name, size_t n, const struct symbol *symbol)
{
	if (!n || is_mark(name, n) || memchr(name, 0, n))
		return true;
	if (symbols->count == symbols->capacity) {
		const size_t capacity = symbols->capacity ? 2 * symbols->capacity : 256;
		struct symbol *list = mem_resize(symbols->list, capacity, sizeof *list);
		if (!list)
			return false;
		symbols->list = list;
		symbols->capacity = capacity;
	}
	struct symbol *added = &symbols->list[symbols->count++];
	*added = *symbol;
	added->name = symbols->names.size;
	/* Nothing reaches beyond the last address. */
	const uint64_t most = UINT64_MAX - added->told.address;
	if (added->told.size && added->told.size - 1 > most)
		added->told.size = most + 1;
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
	const struct symbol *a = left, *b = right;
	if (a->told.address != b->told.address)
		return order(a->told.address, b->told.address);
	if (a->rank != b->rank)
		return order(a->rank, b->rank);
	return strcmp(b->told.name, a->told.name);
}

/* Numbers are by address, so those of equal rank come by address too. */
static int
compare_names(const struct poly_symbols *symbols, uint32_t a, uint32_t b)
{
	const struct symbol *x = &symbols->list[a], *y = &symbols->list[b];
	const int names = strcmp(x->told.name, y->told.name);
	if (names)
		return names;
	return x->rank != y->rank ? order(y->rank, x->rank) : order(a, b);
}

/* Sifts an entry of the heap of the first n names down to its place. */
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

/* qsort hands nothing to its comparison, and here it has to know the symbols: a heap sort. */
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

/* The last address that a symbol reaches; it must have a size. */
static uint64_t
last_of(const struct poly_symbol *symbol)
{
	return symbol->address + (symbol->size - 1);
}

/* The size that symbols without one have, which begin where the i-th does, before the next. */
static uint64_t
guess_size(const struct poly_symbols *symbols, size_t i, size_t next)
{
	const struct symbol *it = &symbols->list[i];
	uint64_t last = it->told.address | PAGE_MASK;
	if (i && symbols->reach[i - 1] >= it->told.address)
		return 0;
	if (next < symbols->count)
		last = symbols->list[next].told.address - 1;
	if (it->end > it->told.address && (it->end - 1 < last || next == symbols->count))
		last = it->end - 1;
	return last - it->told.address + 1;
}

/* Gives sizes to those without one, among the symbols from i that begin together; the next. */
static size_t
settle(struct poly_symbols *symbols, size_t i)
{
	size_t next = i;
	uint64_t size = 0, reach = i ? symbols->reach[i - 1] : 0;
	for (; next < symbols->count &&
		symbols->list[next].told.address == symbols->list[i].told.address;
		next++) {
		if (symbols->list[next].told.size > size)
			size = symbols->list[next].told.size;
	}
	if (!size)
		size = guess_size(symbols, i, next);
	for (; i < next; i++) {
		struct poly_symbol *told = &symbols->list[i].told;
		if (!told->size)
			told->size = size;
		if (told->size && last_of(told) > reach)
			reach = last_of(told);
		symbols->reach[i] = reach;
	}
	return next;
}

/* Puts everything in order when all symbols are there. */
static enum poly_status
finish(struct poly_symbols *symbols, struct poly_error *error)
{
	if (!symbols->count)
		return err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET, "it has no symbols");
	symbols->reach = mem_new(symbols->count, sizeof *symbols->reach);
	symbols->by_name = mem_new(symbols->count, sizeof *symbols->by_name);
	if (!symbols->reach || !symbols->by_name)
		return err_memory(error);
	for (size_t i = 0; i < symbols->count; i++) {
		struct symbol *symbol = &symbols->list[i];
		symbol->told.name = (const char *)symbols->names.data + symbol->name;
	}
	qsort(symbols->list, symbols->count, sizeof *symbols->list, by_address);
	for (size_t i = 0; i < symbols->count;)
		i = settle(symbols, i);
	sort_names(symbols);
	return POLY_OK;
}

/* Symbols of what was read, which is changed. */
static enum poly_status
make(uint8_t *data, size_t size, struct poly_symbols **symbols, struct poly_error *error)
{
	struct poly_symbols *it = mem_new(1, sizeof *it);
	if (!it)
		return err_memory(error);
	enum poly_status status =
		size >= 4 && memcmp(data, "\177ELF", 4) == 0
			? symbols_add_elf(it, data, size, error)
			: symbols_add_list(it, (const char *)data, size, error);
	if (status == POLY_OK)
		status = finish(it, error);
	if (status == POLY_OK)
		*symbols = it;
	else
		poly_symbols_free(it);
	return status;
}

/* Everything that an input has. */
static enum poly_status
read_all(struct in *in, struct buf *data, struct poly_error *error)
{
	for (size_t got = BLOCK; got == BLOCK;) {
		if (data->size > FILE_MOST)
			return err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
				"the file of symbols is larger than %zu bytes", FILE_MOST);
		uint8_t *to = buf_reserve(data, BLOCK);
		if (!to)
			return err_memory(error);
		got = in_read(in, to, BLOCK);
		data->size += got;
	}
	const enum poly_status status = in_status(in, error);
	return status == POLY_END ? POLY_OK : status;
}

/* Symbols of an input, which is closed. */
static enum poly_status
read_symbols(struct in *in, struct poly_symbols **symbols, struct poly_error *error)
{
	struct buf data = {0};
	enum poly_status status = read_all(in, &data, error);
	if (status == POLY_OK)
		status = make(data.data, data.size, symbols, error);
	buf_free(&data);
	in_close(in);
	return status;
}

enum poly_status
poly_symbols_open(const char *path, struct poly_symbols **symbols, struct poly_error *error)
{
	struct in *in;
	*symbols = NULL;
	const enum poly_status status = in_open(path, NULL, &in, error);
	return status == POLY_OK ? read_symbols(in, symbols, error) : status;
}

enum poly_status
poly_symbols_open_memory(
	const void *data, size_t size, struct poly_symbols **symbols, struct poly_error *error)
{
	struct in *in;
	*symbols = NULL;
	const enum poly_status status = in_open_memory(data, size, NULL, &in, error);
	return status == POLY_OK ? read_symbols(in, symbols, error) : status;
}

const struct poly_symbol *
poly_symbols_at(const struct poly_symbols *symbols, size_t i)
{
	return i < symbols->count ? &symbols->list[i].told : NULL;
}

const struct poly_symbol *
poly_symbols_find(const struct poly_symbols *symbols, uint64_t address)
{
	size_t low = 0, high = symbols->count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (symbols->list[middle].told.address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	/* All before low begin at the address or before it. */
	while (low > 0 && symbols->reach[low - 1] >= address) {
		const struct poly_symbol *told = &symbols->list[--low].told;
		if (address - told->address < told->size)
			return told;
	}
	return NULL;
}

/* Orders a symbol's name by one of length bytes. */
static int
compare_to(const char *name, const char *other, size_t length)
{
	const int first = strncmp(name, other, length);
	return first ? first : name[length] != 0;
}

const struct poly_symbol *
poly_symbols_named(const struct poly_symbols *symbols, const char *name, size_t length)
{
	size_t low = 0, high = symbols->count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct symbol *symbol = &symbols->list[symbols->by_name[middle]];
		if (compare_to(symbol->told.name, name, length) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == symbols->count)
		return NULL;
	const struct poly_symbol *found = &symbols->list[symbols->by_name[low]].told;
	return compare_to(found->name, name, length) == 0 ? found : NULL;
}

void
poly_symbols_free(struct poly_symbols *symbols)
{
	if (!symbols)
		return;
	buf_free(&symbols->names);
	mem_free(symbols->list);
	mem_free(symbols->reach);
	mem_free(symbols->by_name);
	mem_free(symbols);
}
