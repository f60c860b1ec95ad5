/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes, several times over so that lines repeat, as any format of lines
 * (what is left of byte 0) with any options of it (how often that is taken) and of reading
 * (byte 1): prediction changes nothing.
 */
#include "lines.h"
#include "option.h"

#include <stdlib.h>
#include <string.h>

/* How often the bytes are read, and most of them. */
#define TIMES 4
#define SIZE_MAX_BYTES ((size_t)64 << 10)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const formats[] = {"cis501", "cis501v2", "qemu4v", "tarmac", "lackey", "din",
	"bach-text", "text:pc:hex8,branch:T/N|-,address:0x|-,time?,text:rest",
	"text:access:r/w' 'address:hex4','value:dec3|0x':',..."};

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2 || size > SIZE_MAX_BYTES)
		return 0;
	const uint8_t choice = data[1];
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.format = formats[data[0] % (sizeof formats / sizeof *formats)];
	options.skip_errors = choice & 1;
	options.check = choice & 2;
	options.one_thread = true;
	options.batch_rows = choice & 4 ? 7 : POLY_BATCH_ROWS;
	options.block_size = choice & 8 ? 100 : 0;
	options.columns = choice & 16 ? POLY_COLUMNS(address, time) : POLY_ALL_COLUMNS;
	const struct poly_format_info *format = poly_format_find(options.format);
	char word[100];
	const char *words[] = {word, NULL};
	const unsigned option = data[0] / (unsigned)(sizeof formats / sizeof *formats);
	if (format && option && set_option(format, option, word))
		options.options = words;
	size -= 2;
	uint8_t *copies = malloc(TIMES * size + 1);
	for (size_t i = 0; copies && i < TIMES; i++)
		memcpy(copies + i * size, data + 2, size);
	enum predict_way way = choice >> 5 < PREDICT_WAYS ? choice >> 5 : PREDICT_BEST;
	if (copies && way != PREDICT_NEVER &&
		lines_difference(copies, TIMES * size, &options, way))
		abort();
	free(copies);
	return 0;
}
