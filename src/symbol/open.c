/* SPDX-License-Identifier: MIT */
/* Opens symbol tables: ELF files and lists, compressed or not. */
#include "symbol/symbols.h"

#include "base/err.h"
#include "base/mem.h"
#include "io/in.h"

#include <string.h>

/* Maximum size of a symbol file, in bytes. */
#define FILE_SIZE_MAX ((size_t)2 << 30)
#define BLOCK ((size_t)1 << 20)

/* Parses the symbols of a file's contents, which may be modified. */
static enum poly_status
parse_symbols(
	uint8_t *data, size_t size, struct poly_symbols **symbols, struct poly_error *error)
{
	struct poly_symbols *parsed = mem_new(1, sizeof *parsed);
	if (!parsed)
		return err_memory(error);
	enum poly_status status =
		size >= 4 && memcmp(data, "\177ELF", 4) == 0
			? symbols_add_elf(parsed, data, size, error)
			: symbols_add_list(parsed, (const char *)data, size, error);
	if (status == POLY_OK)
		status = symbols_build_indexes(parsed, error);
	if (status == POLY_OK)
		*symbols = parsed;
	else
		poly_symbols_free(parsed);
	return status;
}

/* Reads an input to its end. */
static enum poly_status
read_all(struct in *in, struct buf *data, struct poly_error *error)
{
	for (size_t got = BLOCK; got == BLOCK;) {
		if (data->size > FILE_SIZE_MAX)
			return err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
				"symbol file is larger than %zu bytes", FILE_SIZE_MAX);
		uint8_t *dst = buf_reserve(data, BLOCK);
		if (!dst)
			return err_memory(error);
		got = in_read(in, dst, BLOCK);
		data->size += got;
	}
	const enum poly_status status = in_status(in, error);
	return status == POLY_END ? POLY_OK : status;
}

/* Reads the symbols of an input and closes it. */
static enum poly_status
read_symbols(struct in *in, struct poly_symbols **symbols, struct poly_error *error)
{
	struct buf data = {0};
	enum poly_status status = read_all(in, &data, error);
	if (status == POLY_OK)
		status = parse_symbols(data.data, data.size, symbols, error);
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
