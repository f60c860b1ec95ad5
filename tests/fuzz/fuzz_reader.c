/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes, read as any format (byte 0, see code_of_name) with any options (byte
 * 1), checked and written again. What is read without skipping, ends soundly and is written
 * without a note must come out the same. For a format with an argument, the first line of the
 * bytes is the argument. Where the environment has a FORMAT it is read as that alone.
 */
#include "option.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct comparison {
	const uint8_t *data;
	size_t size, at;
	bool differs;
};

static int
compare(void *user, const void *data, size_t n)
{
	struct comparison *format_option = user;
	if (n > format_option->size - format_option->at ||
		memcmp(format_option->data + format_option->at, data, n) != 0)
		format_option->differs = true;
	else
		format_option->at += n;
	return 0;
}

/* Returns the number of a format in inputs, which other formats do not change. */
static uint8_t
code_of_name(const char *name)
{
	unsigned code = 0;
	for (; *name; name++)
		code += 7u * (uint8_t)*name;
	return (uint8_t)code;
}

/* Returns the format whose code is the next one from code on; NULL: detection, whose code is 0.
 */
static const struct poly_format_info *
readable_format(uint8_t code)
{
	const char *only = getenv("FORMAT");
	const struct poly_format_info *format, *found = NULL;
	uint8_t distance = (uint8_t)-code;
	for (size_t i = 0; !only && (format = poly_format_at(i)); i++) {
		const uint8_t next = (uint8_t)(code_of_name(format->name) - code);
		if (format->can_read && (next < distance || !code)) {
			distance = code ? next : 0;
			found = code ? format : NULL;
		}
	}
	return only ? poly_format_find(only) : found;
}

static enum poly_status
drain(struct poly_reader *reader, struct poly_writer *writer)
{
	const struct poly_batch *batch;
	enum poly_status status;
	while ((status = poly_reader_next(reader, &batch, NULL)) == POLY_OK) {
		if (writer && poly_writer_write(writer, batch, NULL) != POLY_OK)
			return POLY_ERR_LOSS;
	}
	if (writer && poly_writer_finish(writer, NULL) != POLY_OK)
		return POLY_ERR_LOSS;
	return status;
}

/* Returns the size of the first line, the argument of a format that follows its name. */
static size_t
take_argument(
	const struct poly_format_info *format, const uint8_t *data, size_t size, char name[300])
{
	const struct poly_option *option = format->options;
	const uint8_t *end = memchr(data, '\n', size);
	size_t n = end ? (size_t)(end - data) : size;
	snprintf(name, 300, "%s", format->name);
	if (!option->name || option->type != POLY_OPTION_TEXT || n > 200)
		return 0;
	snprintf(name, 300, "%s:%.*s", format->name, (int)n, (const char *)data);
	return end ? n + 1 : n;
}

static bool
compressed(const struct poly_reader *reader)
{
	return strcmp(poly_reader_compression(reader), "none") != 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	const struct poly_format_info *format = readable_format(data[0]);
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	char name[300];
	size_t taken = format ? take_argument(format, data + 2, size - 2, name) : 0;
	options.format = format ? name : NULL;
	options.skip_errors = data[1] & 1;
	options.check = data[1] & 2;
	options.strict = data[1] & 4;
	options.one_thread = true;
	options.expansion_limit = 1000;
	options.batch_rows = data[1] & 8 ? 5 : POLY_BATCH_ROWS;
	char word[100];
	const char *words[] = {word, NULL};
	if (format && data[1] >> 4 && set_option(format, data[1] >> 4, word))
		options.options = words;
	struct poly_reader *reader;
	if (poly_reader_open_memory(
		    data + taken + 2, size - taken - 2, &options, &reader, NULL) != POLY_OK)
		return 0;
	struct comparison comparison = {data + taken + 2, size - taken - 2, 0, false};
	struct poly_sink sink = {compare, &comparison};
	struct poly_write_options target = POLY_WRITE_OPTIONS_INIT;
	struct poly_writer *writer = NULL;
	target.format = poly_reader_format(reader)->name;
	poly_writer_open_sink(&sink, poly_reader_info(reader), &target, &writer, NULL);
	enum poly_status status = drain(reader, writer);
	uint64_t count;
	if (writer && status == POLY_END && !compressed(reader) &&
		!poly_writer_note_at(writer, 0, &count) &&
		(comparison.differs || comparison.at != comparison.size))
		abort();
	poly_writer_close(writer);
	poly_reader_close(reader);
	return 0;
}
