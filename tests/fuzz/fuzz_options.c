/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: options of analyses, readers and writers, sweeps among them. The first line is
 * the name of an analysis, or of a format after '<' or '>'; every other line is an option.
 */
#include "polytrace/polytrace.h"

#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A refusal has a message; only what was accepted has a handle. */
static void
expect_result(enum poly_status status, const void *handle, const struct poly_error *error)
{
	if ((status == POLY_OK) != (handle != NULL) || (status != POLY_OK && !*error->message))
		abort();
}

static int
discard(void *user, const void *data, size_t size)
{
	(void)user;
	(void)data;
	(void)size;
	return 0;
}

static void
try_analysis(const char *name, const char *const *words)
{
	struct poly_stats_options options = POLY_STATS_OPTIONS_INIT;
	const char *const names[] = {name, NULL};
	struct poly_stats *stats = NULL;
	struct poly_error error;
	options.analyses = names;
	options.options = words;
	const enum poly_status status = poly_stats_new(&options, &stats, &error);
	expect_result(status, stats, &error);
	poly_stats_free(stats);
}

static void
try_reader(const char *name, const char *const *words)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader = NULL;
	struct poly_error error;
	options.format = name;
	options.options = words;
	options.one_thread = true;
	const enum poly_status status =
		poly_reader_open_memory("", 0, &options, &reader, &error);
	expect_result(status, reader, &error);
	poly_reader_close(reader);
}

static void
try_writer(const char *name, const char *const *words)
{
	static const struct poly_trace_info source = {
		.format = "jsonl", .columns = POLY_ALL_COLUMNS_INIT};
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	const struct poly_sink sink = {discard, NULL};
	struct poly_writer *writer = NULL;
	struct poly_error error;
	options.format = name;
	options.options = words;
	const enum poly_status status =
		poly_writer_open_sink(&sink, &source, &options, &writer, &error);
	expect_result(status, writer, &error);
	poly_writer_close(writer);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *words[WORDS_MAX + 1] = {NULL};
	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	size_t count = 0;
	for (char *word = strtok(text, "\n"); word && count < WORDS_MAX;
		word = strtok(NULL, "\n"))
		words[count++] = word;
	if (count) {
		const char *const *options = (const char *const *)words + 1;
		if (*words[0] == '<')
			try_reader(words[0] + 1, options);
		else if (*words[0] == '>')
			try_writer(words[0] + 1, options);
		else
			try_analysis(words[0], options);
	}
	free(text);
	return 0;
}
